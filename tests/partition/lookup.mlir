// Rows of a table that is split along its rows: each device looks in its own, and what is found is added up. Indices outside are
// moved inside the whole table first, as the op says.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %table: tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %indices: tensor<5x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = "stablehlo.gather"(%table, %indices) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>}> : (tensor<10x3xi32>, tensor<5x1xi32>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}
