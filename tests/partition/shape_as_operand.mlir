// An op whose shape is an operand, though all types are known; and random numbers, which are the same on any mesh.
sdy.mesh @mesh = <["x"=2]>
func.func @main()
    -> (tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %shape = stablehlo.constant dense<6> : tensor<1xi64>
  %low = stablehlo.constant dense<0> : tensor<i32>
  %high = stablehlo.constant dense<100> : tensor<i32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi64>) -> tensor<6xi32>
  %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<6xi32>
  return %0, %1 : tensor<6xi32>, tensor<6xi32>
}
