// Each row moves one of its own columns: the row indices are their own places, so rows stay where they are.
// collectives:
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %a: tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %from: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %rows = stablehlo.iota dim = 0 : tensor<6x1xi32>
  %places = stablehlo.concatenate %rows, %from, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
  %0 = "stablehlo.gather"(%a, %places) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<6x3xi32>, tensor<6x2xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
