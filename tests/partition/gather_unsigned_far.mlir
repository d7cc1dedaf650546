// Indices beyond what a signed integer holds are moved to the last row, as all that lie outside, and not to the first.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%0: tensor<300x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %1: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %2 = stablehlo.constant dense<[[9223372036854775813], [7]]> : tensor<2x1xui64>
  %5 = stablehlo.convert %1 : (tensor<2x1xi32>) -> tensor<2x1xui64>
  %3 = stablehlo.add %5, %2 : tensor<2x1xui64>
  %4 = "stablehlo.gather"(%0, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<300x3xf32>, tensor<2x1xui64>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
