func.func @accepted(%a: tensor<f32>, %s: tensor<2xi64>, %t: tensor<2xui64>, %p: tensor<3xui64>) {
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>
  %1, %2 = stablehlo.rng_bit_generator %t, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  %3, %4 = stablehlo.rng_bit_generator %p, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xf32>)
  return
}

// -----

func.func @scalars(%a: tensor<1xf32>, %b: tensor<f32>, %s: tensor<1xi64>) {
  // error: operand 0 must have no dimensions, but it is `tensor<1xf32>`
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<1xf32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @complex(%a: tensor<complex<f32>>, %s: tensor<1xi64>) {
  // error: random numbers cannot be complex
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<complex<f32>>, tensor<complex<f32>>, tensor<1xi64>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @elements(%a: tensor<f32>, %b: tensor<f64>, %s: tensor<1xi64>) {
  // error: operands and result must have the same elements, but they have f32, f64 and f32
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @normal(%a: tensor<i32>, %s: tensor<1xi64>) {
  // error: numbers of a normal distribution must be floats, but the elements are i32
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

func.func @shape_type(%a: tensor<f32>, %s: tensor<1x1xi64>) {
  // error: the shape must be given as one dimension of integers, but it is `tensor<1x1xi64>`
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @shape_size(%a: tensor<f32>, %s: tensor<2xi64>) {
  // error: the shape has 2 entries, but the result has 1 dimensions
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @state_type(%s: tensor<2xui32>) {
  // error: the state must have one dimension of ui64, but it is `tensor<2xui32>`
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui32>) -> (tensor<2xui32>, tensor<5xui16>)
  return
}

// -----

func.func @state_rank(%s: tensor<ui64>) {
  // error: the state must have one dimension of ui64, but it is `tensor<ui64>`
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<ui64>) -> (tensor<ui64>, tensor<5xui16>)
  return
}

// -----

func.func @state_threefry(%s: tensor<3xui64>) {
  // error: the state of THREE_FRY must have 2 elements, but it has 3
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui16>)
  return
}

// -----

func.func @state_philox(%s: tensor<4xui64>) {
  // error: the state of PHILOX must have 2 or 3 elements, but it has 4
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<5xui16>)
  return
}

// -----

func.func @state_after(%s: tensor<2xui64>) {
  // error: the state before is `tensor<2xui64>`, but the state after is `tensor<3xui64>`
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<5xui16>)
  return
}

// -----

func.func @output(%s: tensor<2xui64>) {
  // error: the output must hold integers or floats, but it holds complex<f32>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xcomplex<f32>>)
  return
}
