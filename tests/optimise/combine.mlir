// Two small sums over the same axis, neither of which waits for the other.
// pass: combine
// before: all_reduce=2 sent=32 held=176
// after: all_reduce=1 sent=32 held=192
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %3 = stablehlo.multiply %1, %1 : tensor<4xf32>
  return %3, %2 : tensor<4xf32>, tensor<4xf32>
}
