// Of a window that stands over the ends of the input, the elements inside are written.
func.func @main() {
  %input = stablehlo.constant dense<0> : tensor<4xi32>
  %indices = stablehlo.constant dense<[[-1], [3]]> : tensor<2x1xi32>
  %updates = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = "stablehlo.scatter"(%input, %indices, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      stablehlo.return %new : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[2, 0, 0, 3]> : tensor<4xi32>
  return
}
