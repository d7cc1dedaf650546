// Gather moves windows inside; scatter leaves out what falls outside.
func.func @gather_moves_windows_inside() {
  %x = stablehlo.iota dim = 0 : tensor<5xi32>
  %i = stablehlo.constant dense<[[-3], [1], [9]]> : tensor<3x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 2>
  }> : (tensor<5xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[0, 1], [1, 2], [3, 4]]> : tensor<3x2xi32>
  func.return
}

func.func @gather_rows_with_plain_numbers() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xui8>
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>
  }> : (tensor<3x2xi32>, tensor<2xui8>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[4, 0], [5, 1]]> : tensor<2x2xi32>
  func.return
}

func.func @gather_along_a_batch() {
  %x = stablehlo.constant dense<[[10, 11, 12], [20, 21, 22]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi64>
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[10, 12], [21, 21]]> : tensor<2x2xi32>
  func.return
}

func.func @gather_nothing() {
  %x = stablehlo.iota dim = 0 : tensor<5xi32>
  %i = stablehlo.constant dense<> : tensor<0x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 2>
  }> : (tensor<5xi32>, tensor<0x1xi32>) -> tensor<0x2xi32>
  check.expect_eq_const %0, dense<> : tensor<0x2xi32>
  func.return
}

func.func @scatter_leaves_out_what_falls_outside() {
  %x = stablehlo.constant dense<0> : tensor<4xi32>
  %i = stablehlo.constant dense<[[-1], [0], [3], [9223372036854775807]]> : tensor<4x1xi64>
  %u = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<4x1xi64>, tensor<4x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[5, 4, 0, 5]> : tensor<4xi32>
  func.return
}

func.func @scatter_in_order() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %i = stablehlo.constant dense<[[0], [0], [1]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    stablehlo.return %new : tensor<i32>
  }) : (tensor<2xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[8, 9]> : tensor<2xi32>
  func.return
}

func.func @scatter_two_at_once() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %u = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %v = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
    %max = stablehlo.maximum %a, %c : tensor<i32>
    %product = stablehlo.multiply %b, %d : tensor<f32>
    stablehlo.return %max, %product : tensor<i32>, tensor<f32>
  }) : (tensor<2xi32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>)
  check.expect_eq_const %0#0, dense<[20, 10]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[0.25, 1.0]> : tensor<2xf32>
  func.return
}

func.func @scatter_into_a_wider_type() {
  %x = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %i = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2xi8>, tensor<2x1xi32>, tensor<2xi8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[300, 100]> : tensor<2xi32>
  func.return
}

func.func @scatter_along_a_batch() {
  %x = stablehlo.constant dense<0> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi64>
  %u = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<2x2xi64>, tensor<2x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[1, 0, 2], [0, 7, 0]]> : tensor<2x3xi32>
  func.return
}

func.func @torch_index_select() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %0, dense<[[[5, 6], [1, 2]], [[9, 10], [9, 10]]]> : tensor<2x2x2xi32>
  %j = stablehlo.constant dense<[1, 0, 1]> : tensor<3xi32>
  %1 = "stablehlo.torch_index_select"(%x, %j) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<2x3x2xi32>, tensor<3xi32>) -> tensor<2x3x3xi32>
  check.expect_eq_const %1, dense<[[[2, 1, 2], [4, 3, 4], [6, 5, 6]], [[8, 7, 8], [10, 9, 10], [12, 11, 12]]]> : tensor<2x3x3xi32>
  func.return
}
