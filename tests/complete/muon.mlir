// Muon's orthogonalisation of a stack of matrices whose rows are split: each product wants whole matrices, and nothing is annotated along the
// stack. Two all-to-alls bring the stack to whole matrices and back.
sdy.mesh @mesh = <["d"=4]>
func.func @main(
    %arg0: tensor<8x64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}, {}]>},
    %arg1: tensor<8x64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}, {}]>})
    -> (tensor<8x64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}, {}]>}) {
  %0 = stablehlo.dot_general %arg1, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x64xf32>
  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x64x64xf32>
  %3 = stablehlo.dot_general %2, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x64x64xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<8x64x256xf32>
  return %4 : tensor<8x64x256xf32>
}
