// One element of each row, the rows listed in a constant: every device has its own rows, and finds its elements there.
// collectives:
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %places: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %rows = stablehlo.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi32>
  %0 = stablehlo.concatenate %rows, %places, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %1 = "stablehlo.gather"(%a, %0) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xi32>, tensor<4x2xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
