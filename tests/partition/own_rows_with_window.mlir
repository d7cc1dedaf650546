// Indices that are their own places along a dimension that has a window, of one index: it is looked up like any other.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<2xi32>, %updates: tensor<2x2x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<2xi32> {
  %rows = stablehlo.iota dim = 0 : tensor<2x2xi64>
  %0 = "stablehlo.scatter"(%a, %rows, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      stablehlo.return %new : tensor<i32>
    }) : (tensor<2xi32>, tensor<2x2xi64>, tensor<2x2x1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
