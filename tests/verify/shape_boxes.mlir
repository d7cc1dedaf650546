// Slices, padding and concatenation.
func.func @accepted(%x: tensor<4x6xf32>, %i: tensor<i64>, %u: tensor<2x0xf32>, %v: tensor<f32>) {
  %0 = stablehlo.slice %x [0:4:3, 6:6] : (tensor<4x6xf32>) -> tensor<2x0xf32>
  %1 = stablehlo.slice %v [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 0] : (tensor<4x6xf32>, tensor<i64>, tensor<i64>) -> tensor<4x0xf32>
  %3 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<2x0xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>
  %4 = stablehlo.pad %x, %v, low = [-4, 1], high = [0, 2], interior = [0, 3] : (tensor<4x6xf32>, tensor<f32>) -> tensor<0x24xf32>
  %5 = stablehlo.concatenate %x, %2, dim = 1 : (tensor<4x6xf32>, tensor<4x0xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.concatenate %x, dim = 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
// -----
func.func @slice_count(%x: tensor<4x6xf32>) {
  // error: `start_indices` has 1 entries
  %0 = stablehlo.slice %x [0:4] : (tensor<4x6xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @slice_lists(%x: tensor<4xf32>) {
  // error: `strides` has 0 entries
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 4>, strides = array<i64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @slice_start(%x: tensor<4x6xf32>) {
  // error: the start -1 of dimension 0 is negative
  %0 = stablehlo.slice %x [-1:4, 0:6] : (tensor<4x6xf32>) -> tensor<5x6xf32>
  return
}
// -----
func.func @slice_order(%x: tensor<4x6xf32>) {
  // error: the start 5 of dimension 1 lies behind the limit 4
  %0 = stablehlo.slice %x [0:4, 5:4] : (tensor<4x6xf32>) -> tensor<4x1xf32>
  return
}
// -----
func.func @slice_limit(%x: tensor<4x6xf32>) {
  // error: the limit 7 of dimension 1 lies behind the size 6
  %0 = stablehlo.slice %x [0:4, 0:7] : (tensor<4x6xf32>) -> tensor<4x7xf32>
  return
}
// -----
func.func @slice_stride(%x: tensor<4x6xf32>) {
  // error: the stride 0 of dimension 0 is not positive
  %0 = stablehlo.slice %x [0:4:0, 0:6] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
// -----
func.func @slice_result(%x: tensor<4x6xf32>) {
  // error: from the operands follows `tensor<2x6xf32>`
  %0 = stablehlo.slice %x [0:4:3, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  return
}
// -----
func.func @slice_type(%x: tensor<4xf32>) {
  // error: from the operands follows `tensor<4xf32>`
  %0 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<4xi32>
  return
}
// -----
func.func @dynamic_slice_indices(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // error: there are 1 start indices for the operand's 2 dimensions
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @dynamic_slice_sizes(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // error: `slice_sizes` has 1 entries
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2xf32>
  return
}
// -----
func.func @dynamic_slice_index_types(%x: tensor<4x6xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // error: the start indices must have the same type, but index 0 is `tensor<i32>` and index 1 is `tensor<i64>`
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}
// -----
func.func @dynamic_slice_index_of_floats(%x: tensor<4xf32>, %i: tensor<f32>) {
  // error: start index 0 must be an integer without dimensions
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @dynamic_slice_index_list(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // error: start index 0 must be an integer without dimensions
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}
// -----
func.func @dynamic_slice_too_large(%x: tensor<4xf32>, %i: tensor<i32>) {
  // error: the slice size 5 of dimension 0 must lie between 0 and 4
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}
// -----
func.func @dynamic_slice_negative(%x: tensor<4xf32>, %i: tensor<i32>) {
  // error: the slice size -1 of dimension 0
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [-1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  return
}
// -----
func.func @dynamic_slice_result(%x: tensor<4xf32>, %i: tensor<i32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}
// -----
func.func @dynamic_slice_type(%x: tensor<4xf32>, %i: tensor<i32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf64>
  return
}
// -----
func.func @update_result(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // error: from the operands follows `tensor<4xf32>`
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}
// -----
func.func @update_type(%x: tensor<4xf32>, %u: tensor<2xf64>, %i: tensor<i32>) {
  // error: the operand holds f32, but the update holds f64
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf64>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @update_rank(%x: tensor<4xf32>, %u: tensor<2x1xf32>, %i: tensor<i32>) {
  // error: must have the same number of dimensions
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @update_indices(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // error: there are 2 start indices for the operand's 1 dimensions
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @update_index_types(%x: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<ui32>) {
  // error: the start indices must have the same type
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<ui32>) -> tensor<4x4xf32>
  return
}
// -----
func.func @update_too_large(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // error: dimension 0 of the update has size 5, more than the operand's 4
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @pad_value_type(%x: tensor<2xf32>, %v: tensor<f64>) {
  // error: the padding value must be `tensor<f32>`, but it is `tensor<f64>`
  %0 = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return
}
// -----
func.func @pad_value_rank(%x: tensor<2xf32>, %v: tensor<1xf32>) {
  // error: the padding value must be `tensor<f32>`
  %0 = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @pad_result_type(%x: tensor<2xf32>, %v: tensor<f32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf64>
  return
}
// -----
func.func @pad_low_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: `edge_padding_low` has 1 entries
  %0 = stablehlo.pad %x, %v, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @pad_high_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: `edge_padding_high` has 1 entries
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @pad_interior_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: `interior_padding` has 1 entries
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @pad_interior_negative(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: the interior padding -1 of dimension 1 is negative
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x1xf32>
  return
}
// -----
func.func @pad_result(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: from the operands follows `tensor<5x9xf32>`
  %0 = stablehlo.pad %x, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  return
}
// -----
func.func @pad_leaves_less_than_nothing(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: the padding leaves dimension 0 with size -1
  %0 = stablehlo.pad %x, %v, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}
// -----
func.func @pad_too_much(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // error: the padding makes dimension 0 too large
  %0 = stablehlo.pad %x, %v, low = [9223372036854775807, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}
// -----
func.func @concatenate_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // error: all inputs must hold the same type, but input 0 holds f32 and input 1 holds f64
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}
// -----
func.func @concatenate_shapes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // error: dimension 1 has size 3 in input 0, but 4 in input 1; only dimension 0 may differ
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}
// -----
func.func @concatenate_ranks(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // error: all inputs must have the same number of dimensions, but input 0 has 2 and input 1 has 1
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}
// -----
func.func @concatenate_nothing() {
  // error: expected at least 1 operands, found 0
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<0xf32>
  return
}
// -----
func.func @concatenate_dimension(%x: tensor<2xf32>) {
  // error: `dimension` is 1
  %0 = stablehlo.concatenate %x, dim = 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @concatenate_scalars(%x: tensor<f32>) {
  // error: `dimension` is 0, but there are no dimensions
  %0 = stablehlo.concatenate %x, dim = 0 : (tensor<f32>) -> tensor<1xf32>
  return
}
// -----
func.func @concatenate_result(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<4xf32>`
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @concatenate_result_type(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<4xf32>`
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf64>
  return
}
