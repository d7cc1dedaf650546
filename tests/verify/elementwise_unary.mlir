// Which types functions of one element take and give.
func.func @accepted(%i: tensor<2xi8>, %u: tensor<2xui8>, %p: tensor<2xi1>, %f: tensor<2xbf16>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.abs %i : tensor<2xi8>
  %1 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %2 = stablehlo.negate %u : tensor<2xui8>
  %3 = stablehlo.not %p : tensor<2xi1>
  %4 = stablehlo.not %u : tensor<2xui8>
  %5 = stablehlo.sign %c : tensor<2xcomplex<f32>>
  %6 = stablehlo.is_finite %f : (tensor<2xbf16>) -> tensor<2xi1>
  %7 = stablehlo.real %f : tensor<2xbf16>
  %8 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %9 = stablehlo.convert %c : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  %10 = stablehlo.reduce_precision %f, format = e5m2 : tensor<2xbf16>
  %11 = stablehlo.exponential %c : tensor<2xcomplex<f32>>
  %12 = stablehlo.popcnt %i : tensor<2xi8>
  return
}
// -----
func.func @abs_of_unsigned(%x: tensor<2xui8>) {
  // error: operand 0 must hold signed integers, floats or complex numbers, but it holds ui8
  %0 = stablehlo.abs %x : tensor<2xui8>
  return
}
// -----
func.func @abs_of_complex_is_real(%x: tensor<2xcomplex<f32>>) {
  // error: result 0 is `tensor<2xcomplex<f32>>`, but from the operands follows `tensor<2xf32>`
  %0 = stablehlo.abs %x : tensor<2xcomplex<f32>>
  return
}
// -----
func.func @abs_shape(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
func.func @ceil_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats, but it holds i32
  %0 = stablehlo.ceil %x : tensor<2xi32>
  return
}
// -----
func.func @floor_of_complex(%x: tensor<2xcomplex<f32>>) {
  // error: operand 0 must hold floats
  %0 = stablehlo.floor %x : tensor<2xcomplex<f32>>
  return
}
// -----
func.func @round_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats
  %0 = stablehlo.round_nearest_even %x : tensor<2xi32>
  return
}
// -----
func.func @round_afz_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats
  %0 = stablehlo.round_nearest_afz %x : tensor<2xi32>
  return
}
// -----
func.func @convert_shape(%x: tensor<2xf32>) {
  // error: it must have the shape of the operand `tensor<2xf32>`
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<3xi32>
  return
}
// -----
func.func @convert_of_a_token(%x: !stablehlo.token) {
  // error: operand 0 must be a tensor
  %0 = "stablehlo.convert"(%x) : (!stablehlo.token) -> tensor<f32>
  return
}
// -----
func.func @cbrt_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.cbrt %x : tensor<2xi32>
  return
}
// -----
func.func @cosine_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.cosine %x : tensor<2xi32>
  return
}
// -----
func.func @exponential_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.exponential %x : tensor<2xi32>
  return
}
// -----
func.func @exponential_minus_one_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.exponential_minus_one %x : tensor<2xi32>
  return
}
// -----
func.func @log_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.log %x : tensor<2xi32>
  return
}
// -----
func.func @log_plus_one_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.log_plus_one %x : tensor<2xi32>
  return
}
// -----
func.func @logistic_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.logistic %x : tensor<2xi32>
  return
}
// -----
func.func @rsqrt_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.rsqrt %x : tensor<2xi32>
  return
}
// -----
func.func @sine_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.sine %x : tensor<2xi32>
  return
}
// -----
func.func @sqrt_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.sqrt %x : tensor<2xi32>
  return
}
// -----
func.func @tan_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.tan %x : tensor<2xi32>
  return
}
// -----
func.func @tanh_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.tanh %x : tensor<2xi32>
  return
}
// -----
func.func @exponential_type(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.exponential %x : (tensor<2xf32>) -> tensor<2xf64>
  return
}
// -----
func.func @count_leading_zeros_of_floats(%x: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = stablehlo.count_leading_zeros %x : tensor<2xf32>
  return
}
// -----
func.func @popcnt_of_booleans(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, but it holds i1
  %0 = stablehlo.popcnt %x : tensor<2xi1>
  return
}
// -----
func.func @not_of_floats(%x: tensor<2xf32>) {
  // error: operand 0 must hold booleans or integers
  %0 = stablehlo.not %x : tensor<2xf32>
  return
}
// -----
func.func @negate_of_booleans(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, floats or complex numbers
  %0 = stablehlo.negate %x : tensor<2xi1>
  return
}
// -----
func.func @sign_of_unsigned(%x: tensor<2xui8>) {
  // error: operand 0 must hold signed integers
  %0 = stablehlo.sign %x : tensor<2xui8>
  return
}
// -----
func.func @real_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers
  %0 = stablehlo.real %x : tensor<2xi32>
  return
}
// -----
func.func @real_type(%x: tensor<2xcomplex<f64>>) {
  // error: from the operands follows `tensor<2xf64>`
  %0 = stablehlo.real %x : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  return
}
// -----
func.func @imag_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers
  %0 = stablehlo.imag %x : tensor<2xi32>
  return
}
// -----
func.func @is_finite_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats
  %0 = stablehlo.is_finite %x : (tensor<2xi32>) -> tensor<2xi1>
  return
}
// -----
func.func @is_finite_type(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xi1>`
  %0 = stablehlo.is_finite %x : (tensor<2xf32>) -> tensor<2xi8>
  return
}
// -----
func.func @reduce_precision_of_integers(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xi32>
  return
}
// -----
func.func @reduce_precision_without_exponent(%x: tensor<2xf32>) {
  // error: `exponent_bits` is 0, but a float has at least one
  %0 = stablehlo.reduce_precision %x, format = e0m10 : tensor<2xf32>
  return
}
// -----
func.func @reduce_precision_negative(%x: tensor<2xf32>) {
  // error: `mantissa_bits` is -1, but it cannot be negative
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @reduce_precision_format(%x: tensor<2xf32>) {
  // error: `e5` is not a format such as `e5m10`
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<2xf32>
  return
}
// -----
func.func @two_operands(%x: tensor<2xf32>) {
  // error: expected 1 operand, found 2
  %0 = "stablehlo.abs"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
