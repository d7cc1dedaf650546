func.func @floats_only(%a: tensor<2xi32>) {
  // error: operand 0 must hold floats, but it holds i32
  %0 = chlo.erf %a : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @floats_or_complex(%a: tensor<2xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = chlo.acos %a : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @complex_only(%a: tensor<2xf32>) {
  // error: operand 0 must hold complex numbers, but it holds f32
  %0 = chlo._asin_acos_kernel %a : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @result_type(%a: tensor<2xf32>) {
  // error: result 0 is `tensor<3xf32>`, but from the operands follows `tensor<2xf32>`
  %0 = chlo.lgamma %a : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @predicate(%a: tensor<2xf32>) {
  // error: result 0 is `tensor<2xf32>`, but from the operands follows `tensor<2xi1>`
  %0 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @same_operands(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // error: the operands must have the same type, but they are `tensor<2xf32>` and `tensor<2xf64>`
  %0 = chlo.zeta %a, %b : tensor<2xf32>, tensor<2xf64> -> tensor<2xf32>
  return
}

// -----

func.func @integers_only(%a: tensor<2xf32>) {
  // error: operand 0 must hold integers, but it holds f32
  %0 = chlo.mulhi %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @constant_like(%a: tensor<2xf32>) {
  // error: result 0 is `tensor<2xf32>`, but from the operands follows `tensor<2xi32>`
  %0 = "chlo.constant_like"(%a) <{value = 1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @constant_like_value(%a: tensor<2xf32>) {
  // error: the attribute `value` must be a number with its type
  %0 = "chlo.constant_like"(%a) <{value = "one"}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
