// An update that stands over the border of two shards: each device writes what falls into its own, and nothing moves.
// collectives:
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %a: tensor<10x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %update: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %at: tensor<i32>)
    -> (tensor<10x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %update, %at, %zero : (tensor<10x2xi32>, tensor<4x2xi32>, tensor<i32>, tensor<i32>) -> tensor<10x2xi32>
  return %0 : tensor<10x2xi32>
}
