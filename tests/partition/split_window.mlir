// A kernel that lies split along its window: the input has no room to be split along it, so neither is the op.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=3]>
func.func @main(
    %a: tensor<1x8x2xf32>,
    %k: tensor<3x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> tensor<1x6x2xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x2xf32>) -> tensor<1x6x2xf32>
  return %0 : tensor<1x6x2xf32>
}
