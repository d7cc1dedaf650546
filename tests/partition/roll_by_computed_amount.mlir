// A roll by an amount that is computed, as frameworks write it: the tensor is gathered once, not what comes of putting it behind itself.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%rows: tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %by: tensor<i32>)
    -> (tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %twice = stablehlo.concatenate %rows, %rows, dim = 0 : (tensor<16x3xi32>, tensor<16x3xi32>) -> tensor<32x3xi32>
  %0 = stablehlo.dynamic_slice %twice, %by, %zero, sizes = [16, 3] : (tensor<32x3xi32>, tensor<i32>, tensor<i32>) -> tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
