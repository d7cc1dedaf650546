// Constants, iota, broadcasts, transposes and bit casts.
func.func @accepted(%x: tensor<2x3xf32>, %s: tensor<f32>, %w: tensor<2xi8>, %z: tensor<0x3xf32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.iota dim = 1 : tensor<2x3xcomplex<f32>>
  %2 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %4 = stablehlo.broadcast %x, sizes = [4, 0] : (tensor<2x3xf32>) -> tensor<4x0x2x3xf32>
  %5 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<1x6xf32>
  %6 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %7 = stablehlo.reverse %x, dims = [1, 0] : tensor<2x3xf32>
  %8 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3x8xi4>
  %9 = stablehlo.bitcast_convert %w : (tensor<2xi8>) -> tensor<i16>
  %10 = stablehlo.bitcast_convert %z : (tensor<0x3xf32>) -> tensor<0x3xui32>
  %11 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return
}
// -----
func.func @constant_type() {
  // error: from the operands follows `tensor<2xi32>`
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}
// -----
func.func @constant_without_value() {
  // error: the attribute `value` is missing
  %0 = "stablehlo.constant"() : () -> tensor<3xi32>
  return
}
// -----
func.func @constant_of_a_number() {
  // error: the value must be a constant
  %0 = stablehlo.constant 1 : i32
  return
}
// -----
func.func @iota_dimension() {
  // error: `iota_dimension` is 2, but there are only the dimensions 0 to 1
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}
// -----
func.func @iota_negative() {
  // error: `iota_dimension` is -1
  %0 = stablehlo.iota dim = -1 : tensor<2x3xi32>
  return
}
// -----
func.func @iota_of_a_scalar() {
  // error: `iota_dimension` is 0, but there are no dimensions
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}
// -----
func.func @iota_of_booleans() {
  // error: the result must hold integers, floats or complex numbers, not i1
  %0 = stablehlo.iota dim = 0 : tensor<2xi1>
  return
}
// -----
func.func @broadcast_in_dim_type(%x: tensor<2xf32>) {
  // error: the operand holds f32, but the result holds f64
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2xf64>
  return
}
// -----
func.func @broadcast_in_dim_count(%x: tensor<2xf32>) {
  // error: `broadcast_dimensions` has 2 entries, but the operand's shape has 1
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @broadcast_in_dim_range(%x: tensor<2xf32>) {
  // error: `broadcast_dimensions` names dimension 1, but there is only dimension 0
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @broadcast_in_dim_twice(%x: tensor<2x2xf32>) {
  // error: `broadcast_dimensions` names dimension 0 twice
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @broadcast_in_dim_size(%x: tensor<2xf32>) {
  // error: dimension 0 of the operand has size 2; it must be 1 or 4
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @broadcast_negative(%x: tensor<2xf32>) {
  // error: size 0 of `broadcast_sizes` is -1
  %0 = stablehlo.broadcast %x, sizes = [-1] : (tensor<2xf32>) -> tensor<1x2xf32>
  return
}
// -----
func.func @broadcast_result(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<3x2xf32>`
  %0 = stablehlo.broadcast %x, sizes = [3] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @reshape_count(%x: tensor<2x3xf32>) {
  // error: the operand `tensor<2x3xf32>` has 6 elements, but the result `tensor<5xf32>` has 5
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @reshape_type(%x: tensor<2xf32>) {
  // error: the operand holds f32, but the result holds i32
  %0 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<2xi32>
  return
}
// -----
func.func @transpose_count(%x: tensor<2x3xf32>) {
  // error: `permutation` has 1 entries, but the operand's shape has 2
  %0 = stablehlo.transpose %x, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // error: `permutation` names dimension 0 twice
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @transpose_range(%x: tensor<2x3xf32>) {
  // error: `permutation` names dimension 2
  %0 = stablehlo.transpose %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @transpose_result(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<3x2xf32>`
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @transpose_type(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<3x2xf32>`
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}
// -----
func.func @reverse_result(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<2x3xf32>`
  %0 = stablehlo.reverse %x, dims = [0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @reverse_twice(%x: tensor<2x3xf32>) {
  // error: `dimensions` names dimension 1 twice
  %0 = stablehlo.reverse %x, dims = [1, 1] : tensor<2x3xf32>
  return
}
// -----
func.func @reverse_range(%x: tensor<2x3xf32>) {
  // error: `dimensions` names dimension 2
  %0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>
  return
}
// -----
func.func @bitcast_same_width(%x: tensor<2xf32>) {
  // error: f32 and i32 have the same width, so the shapes must be the same
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<1x2xi32>
  return
}
// -----
func.func @bitcast_narrower_rank(%x: tensor<2xf32>) {
  // error: the result must have one more dimension
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi16>
  return
}
// -----
func.func @bitcast_narrower_outer(%x: tensor<2xf32>) {
  // error: the result must have one more dimension
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<3x2xi16>
  return
}
// -----
func.func @bitcast_narrower_bits(%x: tensor<2xf32>) {
  // error: 4 elements of type i16 do not have the bits of one f32 (dimension 1 of the result)
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xi16>
  return
}
// -----
func.func @bitcast_wider_rank(%x: tensor<2xi16>) {
  // error: the operand must have one more dimension
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi16>) -> tensor<1xi32>
  return
}
// -----
func.func @bitcast_wider_bits(%x: tensor<2x4xi16>) {
  // error: 4 elements of type i16 do not have the bits of one i32
  %0 = stablehlo.bitcast_convert %x : (tensor<2x4xi16>) -> tensor<2xi32>
  return
}
// -----
func.func @bitcast_complex(%x: tensor<2xcomplex<f32>>) {
  // error: complex numbers can only be read as complex numbers
  %0 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi64>
  return
}
// -----
func.func @get_dimension_size_range(%x: tensor<2x3xf32>) {
  // error: `dimension` is 2
  %0 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x3xf32>) -> tensor<i32>
  return
}
// -----
func.func @get_dimension_size_result(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<i32>`
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i64>
  return
}
// -----
func.func @set_dimension_size_range(%x: tensor<2x3xf32>, %n: tensor<i32>) {
  // error: `dimension` is 2
  %0 = stablehlo.set_dimension_size %x, %n, dim = 2 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @set_dimension_size_of_a_list(%x: tensor<2x3xf32>, %n: tensor<1xi32>) {
  // error: the size must be `tensor<i32>`
  %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @set_dimension_size_others(%x: tensor<2x3xf32>, %n: tensor<i32>) {
  // error: may differ from the operand `tensor<2x3xf32>` only in dimension 1
  %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x3xf32>
  return
}
// -----
func.func @set_dimension_size_grows(%x: tensor<2x3xf32>, %n: tensor<i32>) {
  // error: dimension 1 cannot grow from 3 to 4
  %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x4xf32>
  return
}
