// Ops whose parameters are operands, with static types.
func.func @broadcast(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_type(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: the operand holds i64, but the result holds i32
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi32>
  return
}
// -----
func.func @broadcast_count(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: `broadcast_dimensions` has 1 entries
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_range(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: `broadcast_dimensions` names dimension 3
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [3, 1] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_twice(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: `broadcast_dimensions` names dimension 1 twice
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 1] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_size(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: dimension 1 of the operand has size 3; it must be 1 or 2
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_shape_count(%x: tensor<1x3xi64>, %s: tensor<2xi64>) {
  // error: `output_dimensions` has 2 entries for the 3 dimensions of the result
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<2xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_shape_of_floats(%x: tensor<1x3xi64>, %s: tensor<3xf32>) {
  // error: `output_dimensions` must be a list of integers, but it is `tensor<3xf32>`
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<3xf32>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_known_twice(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: names dimension 1 twice
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] {known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_known_expanding_range(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: `known_expanding_dimensions` with `known_nonexpanding_dimensions` names dimension 2
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] {known_expanding_dimensions = array<i64: 2>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @broadcast_known_nonexpanding_range(%x: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // error: `known_expanding_dimensions` with `known_nonexpanding_dimensions` names dimension -1
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: -1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @gather(%x: tensor<3x4x2xi64>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi64>
  return
}
// -----
func.func @gather_sizes(%x: tensor<3x4x2xi64>, %i: tensor<2x3x2xi64>, %s: tensor<2xi64>) {
  // error: `slice_sizes` has 2 entries for the 3 dimensions of the operand
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<2xi64>) -> tensor<2x3x2x2xi64>
  return
}
// -----
func.func @gather_rank(%x: tensor<3x4x2xi64>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // error: the result has 3 dimensions, but from `start_indices` and `offset_dims` follow 4
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}
// -----
func.func @gather_counts(%x: tensor<3x4x2xi64>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // error: dimension 1 of the result has size 4, but from `start_indices` follows 3
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x4x2x2xi64>
  return
}
// -----
func.func @gather_type(%x: tensor<3x4x2xi64>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // error: the operand holds i64, but the result holds i32
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi32>
  return
}
// -----
func.func @iota(%s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<4x5xi64>
  return
}
// -----
func.func @iota_dimension(%s: tensor<2xi64>) {
  // error: `iota_dimension` is 2
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<4x5xi64>
  return
}
// -----
func.func @iota_rank(%s: tensor<3xi64>) {
  // error: `output_shape` has 3 entries for the 2 dimensions of the result
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<3xi64>) -> tensor<4x5xi64>
  return
}
// -----
func.func @iota_of_booleans(%s: tensor<2xi64>) {
  // error: the result must hold integers, floats or complex numbers
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<4x5xi1>
  return
}
// -----
func.func @pad(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<2xi64>, %h: tensor<2xi64>, %i: tensor<2xi64>) {
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_value(%x: tensor<2x3xi64>, %v: tensor<i32>, %l: tensor<2xi64>, %h: tensor<2xi64>, %i: tensor<2xi64>) {
  // error: the padding value must be `tensor<i64>`
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_low(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<1xi64>, %h: tensor<2xi64>, %i: tensor<2xi64>) {
  // error: `edge_padding_low` has 1 entries for the 2 dimensions of the operand
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<1xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_high(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<2xi64>, %h: tensor<1xi64>, %i: tensor<2xi64>) {
  // error: `edge_padding_high` has 1 entries
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_interior(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<2xi64>, %h: tensor<2xi64>, %i: tensor<3xi64>) {
  // error: `interior_padding` has 3 entries
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<3xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_list_types(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<2xi64>, %h: tensor<2xi32>, %i: tensor<2xi64>) {
  // error: operands 2 and 3 must have the same type
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi32>, tensor<2xi64>) -> tensor<5x9xi64>
  return
}
// -----
func.func @pad_result(%x: tensor<2x3xi64>, %v: tensor<i64>, %l: tensor<2xi64>, %h: tensor<2xi64>, %i: tensor<2xi64>) {
  // error: must have the element type and the number of dimensions of the operand
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi32>
  return
}
// -----
func.func @reshape(%x: tensor<2x3xi64>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  return
}
// -----
func.func @reshape_type(%x: tensor<2x3xi64>, %s: tensor<2xi64>) {
  // error: the operand holds i64, but the result holds i32
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi32>
  return
}
// -----
func.func @reshape_count(%x: tensor<2x3xi64>, %s: tensor<2xi64>) {
  // error: has 6 elements, but the result `tensor<4x2xi64>` has 8
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<4x2xi64>
  return
}
// -----
func.func @reshape_shape(%x: tensor<2x3xi64>, %s: tensor<3xi64>) {
  // error: `output_shape` has 3 entries for the 2 dimensions of the result
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<3x2xi64>
  return
}
// -----
func.func @slice(%x: tensor<4x6xf32>, %s: tensor<2xi64>, %l: tensor<2xi64>, %t: tensor<2xi64>) {
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
// -----
func.func @slice_type(%x: tensor<4x6xf32>, %s: tensor<2xi64>, %l: tensor<2xi64>, %t: tensor<2xi64>) {
  // error: must have the element type
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf64>
  return
}
// -----
func.func @slice_rank(%x: tensor<4x6xf32>, %s: tensor<2xi64>, %l: tensor<2xi64>, %t: tensor<2xi64>) {
  // error: the number of dimensions of the operand
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return
}
// -----
func.func @slice_starts(%x: tensor<4x6xf32>, %s: tensor<1xi64>, %l: tensor<2xi64>, %t: tensor<2xi64>) {
  // error: `start_indices` has 1 entries
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<4x6xf32>, tensor<1xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
// -----
func.func @slice_list_types(%x: tensor<4x6xf32>, %s: tensor<2xi64>, %l: tensor<2xi64>, %t: tensor<2xi32>) {
  // error: operands 1 and 3 must have the same type
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}
// -----
// error: tensors of `index` are not supported
func.func @sizes_as_index(%x: tensor<1x3xi64>, %s: tensor<3xindex>) -> tensor<2x3x2xi64> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<3xindex>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}
