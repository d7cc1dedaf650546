// The initial value of a sum counts once, however many devices add.
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<12x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
