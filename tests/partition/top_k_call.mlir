// The least elements along a split dimension, as a library call: ranked in each shard, and once more.
// collectives: all_gather=2
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<250xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<2xf32>, tensor<2xi32>) {
  %least:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = false}}
    : (tensor<250xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %least#0, %least#1 : tensor<2xf32>, tensor<2xi32>
}
