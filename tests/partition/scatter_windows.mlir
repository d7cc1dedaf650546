// Windows of three rows are added to a table that is split along its rows: a window that stands over the ends of shards is written in
// parts, and what stands over the ends of the table is left out, element by element.
// collectives:
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %table: tensor<10x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %indices: tensor<5x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %updates: tensor<5x3x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
    -> (tensor<10x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%table, %indices, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    indices_are_sorted = false, unique_indices = false}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      %sum = stablehlo.add %old, %new : tensor<i32>
      stablehlo.return %sum : tensor<i32>
  }) : (tensor<10x2xi32>, tensor<5x1xi32>, tensor<5x3x2xi32>) -> tensor<10x2xi32>
  return %0 : tensor<10x2xi32>
}
