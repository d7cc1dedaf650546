// A product of matrices with groups along the rows, the contracted dimension or the batch.
func.func @rows() {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %rhs = stablehlo.constant dense<[[[1], [1]], [[10], [100]]]> : tensor<2x2x1xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // The last row belongs to no group.
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xi32>, tensor<2x2x1xi32>, tensor<2xi32>) -> tensor<4x1xi32>
  check.expect_eq_const %0, dense<[[3], [430], [650], [0]]> : tensor<4x1xi32>
  func.return
}

func.func @rows_with_sizes_per_batch() {
  %lhs = stablehlo.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi32>
  %rhs = stablehlo.constant dense<[[[[1]], [[1]]], [[[10]], [[10]]]]> : tensor<2x2x1x1xi32>
  %sizes = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x2x1xi32>, tensor<2x2x1x1xi32>, tensor<2x2xi32>) -> tensor<2x2x1xi32>
  check.expect_eq_const %0, dense<[[[1], [20]], [[30], [40]]]> : tensor<2x2x1xi32>
  func.return
}

func.func @contracted() {
  %lhs = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rhs = stablehlo.constant dense<[[1], [10], [100]]> : tensor<3x1xi32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> : (tensor<2x3xi32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<2x2x1xi32>
  check.expect_eq_const %0, dense<[[[21], [54]], [[300], [600]]]> : tensor<2x2x1xi32>
  func.return
}

func.func @batch() {
  %lhs = stablehlo.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %rhs = stablehlo.constant dense<[[[1], [10]], [[1], [10]]]> : tensor<2x2x1xi32>
  %sizes = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x1x2xi32>, tensor<2x2x1xi32>, tensor<2xi32>) -> tensor<2x1x1xi32>
  check.expect_eq_const %0, dense<[[[21]], [[43]]]> : tensor<2x1x1xi32>
  func.return
}
