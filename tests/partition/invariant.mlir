// Rows of a split table, one in each round of a loop: the table is gathered once, before the loop, which moves less than looking
// for a row in all shards each time.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %table: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<16> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<8xi32>
  %0:3 = stablehlo.while(%i = %zero, %rows = %table, %last = %zeros) : tensor<i32>, tensor<16x8xi32>, tensor<8xi32>
    cond {
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %rows, %i, %zero, sizes = [1, 8] : (tensor<16x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x8xi32>
      %flat = stablehlo.reshape %row : (tensor<1x8xi32>) -> tensor<8xi32>
      %next = stablehlo.maximum %last, %flat : tensor<8xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %rows, %next : tensor<i32>, tensor<16x8xi32>, tensor<8xi32>
    }
  return %0#2 : tensor<8xi32>
}
