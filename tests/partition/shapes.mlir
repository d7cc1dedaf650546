// Reshape, transpose and broadcast of split tensors; heads that a mesh axis divides go through without a word.
// collectives:
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<3x8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %b: tensor<8xf32>)
    -> (tensor<4x2x3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}) {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<3x8x5xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<3x8x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<3x8x5xf32>) -> tensor<3x4x2x5xf32>
  %3 = stablehlo.transpose %2, dims = [1, 2, 0, 3] : (tensor<3x4x2x5xf32>) -> tensor<4x2x3x5xf32>
  return %3 : tensor<4x2x3x5xf32>
}
