// A maximum over an uneven dimension with an initial value that is not neutral; some shards are empty.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3xi32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<10x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
