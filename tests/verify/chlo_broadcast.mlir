func.func @accepted(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x1xf32>, %d: tensor<2xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_add %b, %c : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_add %a, %d {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sizes(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // error: operand 1 has size 2 where dimension 1 of the result has size 3
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @elements(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // error: the operands must have the same element type, but they have f32 and i32
  %0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @bits(%a: tensor<2xf32>) {
  // error: operand 0 must hold integers or truth values, but it holds f32
  %0 = chlo.broadcast_and %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shift(%a: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = chlo.broadcast_shift_left %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @zeta(%a: tensor<2xi32>) {
  // error: operand 0 must hold floats, but it holds i32
  %0 = chlo.broadcast_zeta %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @dimensions_count(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // error: `broadcast_dimensions` has 2 entries, but the smaller operand has 1 dimensions
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dimensions_range(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // error: an entry of `broadcast_dimensions` is 2, but there are only the dimensions 0 to 1
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dimensions_order(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // error: `broadcast_dimensions` must be strictly increasing, but 1 stands before 0
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @complex(%a: tensor<2xf16>) {
  // error: operand 0 must hold f32 or f64, but it holds f16
  %0 = chlo.broadcast_complex %a, %a : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @compare_direction(%a: tensor<2xf32>) {
  // error: the attribute `comparison_direction` is missing
  %0 = chlo.broadcast_compare %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @select_predicate(%a: tensor<2xf32>) {
  // error: operand 0 must hold truth values, but it holds f32
  %0 = chlo.broadcast_select %a, %a, %a : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_choices(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xi32>) {
  // error: both choices must have the same element type, but they have f32 and i32
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}
