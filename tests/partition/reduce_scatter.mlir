// A sum whose result is split along the axis that is summed over: combined and scattered at once.
// collectives: reduce_scatter=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
