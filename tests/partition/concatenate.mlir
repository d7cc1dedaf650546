// A token shift: zeros before the first, everything else one place further. One row moves.
// collectives: collective_permute=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %zeros = stablehlo.constant dense<0> : tensor<2x1xi32>
  %0 = stablehlo.slice %a [0:2, 0:15] : (tensor<2x16xi32>) -> tensor<2x15xi32>
  %1 = stablehlo.concatenate %zeros, %0, dim = 1 : (tensor<2x1xi32>, tensor<2x15xi32>) -> tensor<2x16xi32>
  return %1 : tensor<2x16xi32>
}
