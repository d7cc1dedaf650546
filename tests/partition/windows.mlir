// A convolution whose rows are split: each device fetches the rows beside its own, and what lies beside the ends is zero.
// collectives: collective_permute=2
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %image: tensor<1x10x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>},
    %kernel: tensor<3x3x2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>})
    -> (tensor<1x10x6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
  %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x10x6x2xi32>, tensor<3x3x2x4xi32>) -> tensor<1x10x6x4xi32>
  return %0 : tensor<1x10x6x4xi32>
}
