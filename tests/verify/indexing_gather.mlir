// Gather: dimension numbers that fit, and the result that follows.
func.func @accepted(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @indices_of_floats(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xf32>) {
  // error: `start_indices` must hold integers, but it holds f32
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @operand_rank(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: the operand has 4 dimensions, but `offset_dims`, `collapsed_slice_dims` and `operand_batching_dims` account for 3
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_vector_dim(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `index_vector_dim` is 5, but it must lie between 0 and 4
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 5>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_vector_dim_negative(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `index_vector_dim` is -1
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = -1>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_components(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_index_map` has 1 entries, but an index in `start_indices` has 2 components
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_components_of_numbers(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_index_map` has 2 entries, but an index in `start_indices` has 1 components
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @offset_dims_twice(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `offset_dims` names dimension 3 twice
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @offset_dims_order(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `offset_dims` must be in ascending order, but it is [4, 3]
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [4, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @offset_dims_range(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `offset_dims` names dimension 5
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 5], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @collapsed_and_batching(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `collapsed_slice_dims` with `operand_batching_dims` names dimension 0 twice
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @collapsed_order(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `collapsed_slice_dims` must be in ascending order
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [2, 1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @collapsed_range(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `collapsed_slice_dims` with `operand_batching_dims` names dimension 4
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [4], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @collapsed_size(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: the slice size of dimension 1 is 2; it must be at most 1, as `collapsed_slice_dims` names it
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 2, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @batching_order(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `operand_batching_dims` must be in ascending order
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [2, 0], start_indices_batching_dims = [1, 0], start_index_map = [3, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @batching_range(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `collapsed_slice_dims` with `operand_batching_dims` names dimension 7
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [7], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @batching_size(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: the slice size of dimension 0 is 2; it must be at most 1, as `operand_batching_dims` names it
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 2, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @indices_batching_twice(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_indices_batching_dims` names dimension 1 twice
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1, 1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @indices_batching_range(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_indices_batching_dims` names dimension 4
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [4], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @indices_batching_vector(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_indices_batching_dims` names dimension 3, which is the `index_vector_dim`
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @batching_counts(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `operand_batching_dims` has 1 entries, but `start_indices_batching_dims` has 0
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @batching_sizes_differ(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: dimension 0 of the operand has size 2, but it goes along with dimension 2 of `start_indices`, whose size is 3
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_map_twice(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_index_map` with `operand_batching_dims` names dimension 2 twice
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_map_and_batching(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_index_map` with `operand_batching_dims` names dimension 0 twice
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @index_map_range(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `start_index_map` with `operand_batching_dims` names dimension 4
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 4], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @slice_sizes_count(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: `slice_sizes` has 3 entries
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @slice_sizes_too_large(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: the slice size 3 of dimension 3 must lie between 0 and 2
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 3>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @slice_sizes_negative(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: the slice size -1 of dimension 3
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, -1>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
  return
}
// -----
func.func @result_shape(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: from the operands follows `tensor<2x2x3x2x2xi32>`
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x1xi32>
  return
}
// -----
func.func @result_type(%x: tensor<2x3x4x2xi32>, %i: tensor<2x2x3x2xi64>) {
  // error: from the operands follows `tensor<2x2x3x2x2xi32>`
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>}> : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi64>
  return
}
