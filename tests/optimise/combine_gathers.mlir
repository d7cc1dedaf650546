// Two small operands that are gathered along the same axis, neither of which waits for the other.
// pass: combine
// before: ?
// after: ?
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.negate %a : tensor<4x8xf32>
  %1 = stablehlo.negate %b : tensor<4x6xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x6xf32>
}
