func.func @top_k_rank(%a: tensor<f32>) {
  // error: the operand must have at least one dimension
  %0:2 = chlo.top_k(%a, k = 1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @top_k_size(%a: tensor<2x3xf32>) {
  // error: `k` is 4, but the last dimension of the operand has only 3 elements
  %0:2 = chlo.top_k(%a, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @top_k_negative(%a: tensor<2x3xf32>) {
  // error: `k` must not be negative, but it is -1
  %0:2 = chlo.top_k(%a, k = -1) : tensor<2x3xf32> -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return
}

// -----

func.func @top_k_elements(%a: tensor<2xcomplex<f32>>) {
  // error: operand 0 must hold numbers with an order, but it holds complex<f32>
  %0:2 = chlo.top_k(%a, k = 1) : tensor<2xcomplex<f32>> -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
  return
}

// -----

func.func @top_k_indices(%a: tensor<2xf32>) {
  // error: result 1 is `tensor<1xi64>`, but from the operands follows `tensor<1xi32>`
  %0:2 = chlo.top_k(%a, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @scan_dimension(%a: tensor<4xi32>, %b: tensor<i32>) {
  // error: the dimension of the scan is 1, but there is only dimension 0
  %0:2 = chlo.scan(%a) inits(%b) dimension=1 {
  ^bb0(%x: tensor<i32>, %c: tensor<i32>):
    stablehlo.return %x, %c : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @scan_sizes(%a: tensor<4xi32>, %b: tensor<3xi32>) {
  // error: input 1 has 3 slices along dimension 0, but the scan takes 4 steps
  %0:2 = chlo.scan(%a, %b) inits() dimension=0 {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x, %y : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<3xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @scan_steps(%a: tensor<i32>) {
  // error: without inputs the number of steps is unknown
  %0:2 = chlo.scan() inits(%a) dimension=0 {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x, %x : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @scan_argument(%a: tensor<4xi32>, %b: tensor<i32>) {
  // error: argument 0 of the body is `tensor<4xi32>`, but it must be `tensor<i32>`
  %0:2 = chlo.scan(%a) inits(%b) dimension=0 {
  ^bb0(%x: tensor<4xi32>, %c: tensor<i32>):
    stablehlo.return %c, %c : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @scan_arguments(%a: tensor<4xi32>, %b: tensor<i32>) {
  // error: the body must take 2 arguments, one per operand, but it takes 1
  %0:2 = chlo.scan(%a) inits(%b) dimension=0 {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x, %x : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @scan_carried(%a: tensor<4xi32>, %b: tensor<f32>) {
  // error: carried value 0 starts as `tensor<f32>`, but the body returns `tensor<i32>` for it
  %0:2 = chlo.scan(%a) inits(%b) dimension=0 {
  ^bb0(%x: tensor<i32>, %c: tensor<f32>):
    stablehlo.return %x, %x : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<f32>) -> (tensor<4xi32>, tensor<f32>)
  return
}

// -----

func.func @scan_result(%a: tensor<4xi32>, %b: tensor<i32>) {
  // error: result 0 is `tensor<5xi32>`, but from the operands follows `tensor<4xi32>`
  %0:2 = chlo.scan(%a) inits(%b) dimension=0 {
  ^bb0(%x: tensor<i32>, %c: tensor<i32>):
    stablehlo.return %x, %c : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<5xi32>, tensor<i32>)
  return
}

// -----

func.func @ragged_one(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // error: `lhs_ragged_dimensions` must name one dimension, but it names 0
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_range(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // error: the ragged dimension is 2, but there are only the dimensions 0 to 1
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_sizes(%a: tensor<11x5xf32>, %b: tensor<3x6x7xf32>, %g: tensor<3xi64>) {
  // error: dimension 1 of the left operand has size 5, but dimension 1 of the right one has size 6
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x6x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_groups(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<4xi64>) {
  // error: there are 4 group sizes, but the group dimension 0 has size 3
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_group_dimension(%a: tensor<11x5xf32>, %b: tensor<5x7xf32>, %g: tensor<3xi64>) {
  // error: where rows are in groups `rhs_group_dimensions` must name one dimension, not 0
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @ragged_contracted(%a: tensor<11x5xf32>, %b: tensor<5x7xf32>, %g: tensor<3xi64>) {
  // error: the result is `tensor<11x7xf32>`, but from the operands follows `tensor<3x11x7xf32>`
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> : (tensor<11x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}
