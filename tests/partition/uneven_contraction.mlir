// A contracted dimension of 10 over 4 devices: the padding of both sides is zero.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %a: tensor<3x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<10x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x10xf32>, tensor<10x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
