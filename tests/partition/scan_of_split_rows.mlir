// A loop takes one row of a split tensor after the other, and writes one row of its result: the rows are gathered once, before the
// loop, and then nothing is left to combine.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%rows: tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.constant dense<0> : tensor<1x3xi32>
  %out = stablehlo.constant dense<0> : tensor<6x3xi32>
  %0:4 = stablehlo.while(%from = %rows, %i = %zero, %carry = %sum, %to = %out) : tensor<6x3xi32>, tensor<i32>, tensor<1x3xi32>, tensor<6x3xi32>
  cond {
    %end = stablehlo.constant dense<6> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %from, %i, %zero, sizes = [1, 3] : (tensor<6x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
    %product = stablehlo.multiply %carry, %row : tensor<1x3xi32>
    %added = stablehlo.add %carry, %row : tensor<1x3xi32>
    %written = stablehlo.dynamic_update_slice %to, %product, %i, %zero : (tensor<6x3xi32>, tensor<1x3xi32>, tensor<i32>, tensor<i32>) -> tensor<6x3xi32>
    stablehlo.return %from, %next, %added, %written : tensor<6x3xi32>, tensor<i32>, tensor<1x3xi32>, tensor<6x3xi32>
  }
  return %0#3 : tensor<6x3xi32>
}
