// Rows written at a place that is known: each device fetches the rows that fall into its shard, and nothing is gathered.
// collectives: collective_permute=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %rows: tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %new: tensor<14x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %rows, %new, %one, %one : (tensor<16x3xi32>, tensor<14x2xi32>, tensor<i32>, tensor<i32>) -> tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
