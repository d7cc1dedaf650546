// Which types functions of several elements take and give.
func.func @accepted(%p: tensor<2xi1>, %i: tensor<2xi4>, %f: tensor<2xf32>, %c: tensor<2xcomplex<f32>>, %one: tensor<i1>, %low: tensor<f32>) {
  %0 = stablehlo.add %p, %p : tensor<2xi1>
  %1 = stablehlo.multiply %i, %i : tensor<2xi4>
  %2 = stablehlo.maximum %c, %c : tensor<2xcomplex<f32>>
  %3 = stablehlo.power %i, %i : tensor<2xi4>
  %4 = stablehlo.atan2 %f, %f : tensor<2xf32>
  %5 = stablehlo.compare LT, %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %6 = stablehlo.compare EQ, %f, %f, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %7 = stablehlo.compare EQ, %p, %p, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %8 = stablehlo.compare EQ, %i, %i, NOTYPE : (tensor<2xi4>, tensor<2xi4>) -> tensor<2xi1>
  %9 = stablehlo.complex %f, %f : tensor<2xcomplex<f32>>
  %10 = stablehlo.select %one, %f, %f : tensor<i1>, tensor<2xf32>
  %11 = stablehlo.select %p, %f, %f : tensor<2xi1>, tensor<2xf32>
  %12 = stablehlo.clamp %low, %f, %f : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @add_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @and_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.and"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @divide_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.divide"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @maximum_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.maximum"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @minimum_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.minimum"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @multiply_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.multiply"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @or_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.or"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @power_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.power"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @remainder_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.remainder"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @shift_left_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.shift_left"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @shift_right_arithmetic_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.shift_right_arithmetic"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @shift_right_logical_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.shift_right_logical"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @subtract_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.subtract"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @xor_of_two_types(%x: tensor<2xi32>, %y: tensor<2xui32>) {
  // error: the operands must have the same type, but operand 0 is `tensor<2xi32>` and operand 1 is `tensor<2xui32>`
  %0 = "stablehlo.xor"(%x, %y) : (tensor<2xi32>, tensor<2xui32>) -> tensor<2xi32>
  return
}
// -----
func.func @add_shapes(%x: tensor<2xi32>, %y: tensor<1xi32>) {
  // error: the operands must have the same type
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  return
}
// -----
func.func @add_result(%x: tensor<2xi32>) {
  // error: from the operands follows `tensor<2xi32>`
  %0 = stablehlo.add %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi64>
  return
}
// -----
func.func @and_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold booleans or integers, but it holds f32
  %0 = stablehlo.and %x, %x : tensor<2xf32>
  return
}
// -----
func.func @or_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold booleans or integers, but it holds f32
  %0 = stablehlo.or %x, %x : tensor<2xf32>
  return
}
// -----
func.func @xor_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold booleans or integers, but it holds f32
  %0 = stablehlo.xor %x, %x : tensor<2xf32>
  return
}
// -----
func.func @subtract_of_i1(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, floats or complex numbers, but it holds i1
  %0 = stablehlo.subtract %x, %x : tensor<2xi1>
  return
}
// -----
func.func @divide_of_i1(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, floats or complex numbers, but it holds i1
  %0 = stablehlo.divide %x, %x : tensor<2xi1>
  return
}
// -----
func.func @remainder_of_i1(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, floats or complex numbers, but it holds i1
  %0 = stablehlo.remainder %x, %x : tensor<2xi1>
  return
}
// -----
func.func @power_of_i1(%x: tensor<2xi1>) {
  // error: operand 0 must hold integers, floats or complex numbers, but it holds i1
  %0 = stablehlo.power %x, %x : tensor<2xi1>
  return
}
// -----
func.func @shift_left_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = stablehlo.shift_left %x, %x : tensor<2xf32>
  return
}
// -----
func.func @shift_right_arithmetic_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = stablehlo.shift_right_arithmetic %x, %x : tensor<2xf32>
  return
}
// -----
func.func @shift_right_logical_of_f32(%x: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = stablehlo.shift_right_logical %x, %x : tensor<2xf32>
  return
}
// -----
func.func @atan2_of_i32(%x: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers
  %0 = stablehlo.atan2 %x, %x : tensor<2xi32>
  return
}
// -----
func.func @atan2_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // error: the operands must have the same type
  %0 = "stablehlo.atan2"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}
// -----
func.func @compare_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // error: the operands must have the same type
  %0 = stablehlo.compare LT, %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // error: the operands must have the same type
  %0 = stablehlo.compare LT, %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_result(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xi1>`
  %0 = stablehlo.compare LT, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @compare_floats_as_integers(%x: tensor<2xf32>) {
  // error: elements of type f32 do not compare as SIGNED
  %0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_signed_as_unsigned(%x: tensor<2xi32>) {
  // error: elements of type i32 do not compare as UNSIGNED
  %0 = stablehlo.compare LT, %x, %x, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_booleans_as_signed(%x: tensor<2xi1>) {
  // error: elements of type i1 do not compare as SIGNED
  %0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_complex_in_total_order(%x: tensor<2xcomplex<f32>>) {
  // error: elements of type complex<f32> do not compare as TOTALORDER
  %0 = stablehlo.compare EQ, %x, %x, TOTALORDER : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_direction_unknown(%x: tensor<2xf32>) {
  // error: `ABOVE` is not one of EQ, NE, GE, GT, LE, LT
  %0 = stablehlo.compare ABOVE, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}
// -----
func.func @compare_direction_missing(%x: tensor<2xf32>) {
  // error: the attribute `comparison_direction` is missing
  %0 = "stablehlo.compare"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}
// -----
func.func @complex_of_half(%x: tensor<2xf16>) {
  // error: operand 0 must hold f32 or f64, but it holds f16
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}
// -----
func.func @complex_of_two_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // error: the operands must have the same type
  %0 = "stablehlo.complex"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}
// -----
func.func @complex_result(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xcomplex<f32>>`
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}
// -----
func.func @clamp_min_shape(%x: tensor<2xf32>, %y: tensor<1xf32>) {
  // error: `min` is `tensor<1xf32>`: it must have no dimensions or those of the operand `tensor<2xf32>`
  %0 = stablehlo.clamp %y, %x, %x : (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @clamp_max_shape(%x: tensor<2xf32>, %y: tensor<1xf32>) {
  // error: `max` is `tensor<1xf32>`
  %0 = stablehlo.clamp %x, %x, %y : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @clamp_types(%x: tensor<2xf32>, %y: tensor<f64>) {
  // error: `min` holds f64, but the operand holds f32
  %0 = stablehlo.clamp %y, %x, %x : (tensor<f64>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @clamp_result(%x: tensor<2xf32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.clamp %x, %x, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return
}
// -----
func.func @select_predicate(%x: tensor<2xf32>, %p: tensor<2xi8>) {
  // error: the predicate must hold i1, but it holds i8
  %0 = stablehlo.select %p, %x, %x : tensor<2xi8>, tensor<2xf32>
  return
}
// -----
func.func @select_shapes(%x: tensor<2xf32>, %p: tensor<3xi1>) {
  // error: the predicate is `tensor<3xi1>`
  %0 = stablehlo.select %p, %x, %x : tensor<3xi1>, tensor<2xf32>
  return
}
// -----
func.func @select_alternatives(%x: tensor<2xf32>, %y: tensor<2xf64>, %p: tensor<i1>) {
  // error: the alternatives must have the same type
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}
// -----
func.func @select_result(%x: tensor<2xf32>, %p: tensor<i1>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return
}
