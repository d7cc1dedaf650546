// A few rows of a split tensor for all devices: those that have them add them to nothing, and no row is gathered that nobody asks for.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=8]>
func.func @main(%rows: tensor<14x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.slice %rows [3:6:2, 0:3] : (tensor<14x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
