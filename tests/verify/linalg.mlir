func.func @accepted(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>, %c: tensor<4x6xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.fft %c, type = IFFT, length = [4, 6] : (tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  %3 = stablehlo.fft %b, type = RFFT, length = [5] : (tensor<2x3x5xf32>) -> tensor<2x3x3xcomplex<f32>>
  %4 = stablehlo.fft %c, type = IRFFT, length = [4, 11] : (tensor<4x6xcomplex<f64>>) -> tensor<4x11xf64>
  return
}

// -----

func.func @cholesky_elements(%a: tensor<3x3xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = stablehlo.cholesky %a : tensor<3x3xi32>
  return
}

// -----

func.func @cholesky_type(%a: tensor<3x3xf32>) {
  // error: result 0 is `tensor<3x3xf64>`, but from the operands follows `tensor<3x3xf32>`
  %0 = "stablehlo.cholesky"(%a) : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return
}

// -----

func.func @cholesky_rank(%a: tensor<3xf32>) {
  // error: the operand must have at least two dimensions, but it has 1
  %0 = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

func.func @cholesky_square(%a: tensor<3x4xf32>) {
  // error: the last two dimensions must be equal, but they are 3 and 4
  %0 = stablehlo.cholesky %a : tensor<3x4xf32>
  return
}

// -----

func.func @solve_elements(%a: tensor<3x3xf32>, %b: tensor<3x3xf64>) {
  // error: both operands must have the same elements, but they have f32 and f64
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return
}

// -----

func.func @solve_integers(%a: tensor<3x3xi32>) {
  // error: operand 0 must hold floats or complex numbers, but it holds i32
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  return
}

// -----

func.func @solve_rank(%a: tensor<3x3xf32>, %b: tensor<2x3x3xf32>) {
  // error: both operands must have the same number of dimensions, at least two, but they have 2 and 3
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @solve_rank_one(%a: tensor<3xf32>) {
  // error: both operands must have the same number of dimensions, at least two, but they have 1 and 1
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @solve_batch(%a: tensor<2x3x3xf32>, %b: tensor<4x3x3xf32>) {
  // error: the batch dimension 0 has size 2 in `a`, but 4 in `b`
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  return
}

// -----

func.func @solve_square(%a: tensor<3x4xf32>, %b: tensor<3x3xf32>) {
  // error: the last two dimensions of `a` must be equal, but they are 3 and 4
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @solve_left(%a: tensor<3x3xf32>, %b: tensor<4x3xf32>) {
  // error: dimension 0 of `b` has size 4, but the matrices of `a` have size 3
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @solve_right(%a: tensor<3x3xf32>, %b: tensor<3x4xf32>) {
  // error: dimension 1 of `b` has size 4, but the matrices of `a` have size 3
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @solve_transpose(%a: tensor<3x3xf32>) {
  // error: `transpose_a` must be NO_TRANSPOSE, TRANSPOSE or ADJOINT
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @solve_result(%a: tensor<3x3xf32>) {
  // error: result 0 is `tensor<3x4xf32>`, but from the operands follows `tensor<3x3xf32>`
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @solve_attribute(%a: tensor<3x3xf32>) {
  // error: the attribute `left_side` is missing
  %0 = "stablehlo.triangular_solve"(%a, %a) <{lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @fft_rank(%a: tensor<4xcomplex<f32>>) {
  // error: `fft_length` has 2 entries, but the operand has only 1 dimensions
  %0 = stablehlo.fft %a, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_lengths(%a: tensor<4xcomplex<f32>>) {
  // error: `fft_length` must have one to three entries, but it has 0
  %0 = stablehlo.fft %a, type = FFT, length = [] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @fft_many_lengths(%a: tensor<2x2x2x2xcomplex<f32>>) {
  // error: `fft_length` must have one to three entries, but it has 4
  %0 = stablehlo.fft %a, type = FFT, length = [2, 2, 2, 2] : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2x2x2xcomplex<f32>>
  return
}

// -----

func.func @fft_elements(%a: tensor<4xf32>) {
  // error: operand 0 must hold complex numbers, but it holds f32
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @ifft_elements(%a: tensor<4xf32>) {
  // error: operand 0 must hold complex numbers, but it holds f32
  %0 = stablehlo.fft %a, type = IFFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rfft_elements(%a: tensor<4xcomplex<f32>>) {
  // error: operand 0 must hold f32 or f64, but it holds complex<f32>
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @irfft_elements(%a: tensor<3xf32>) {
  // error: operand 0 must hold complex numbers, but it holds f32
  %0 = stablehlo.fft %a, type = IRFFT, length = [4] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fft_result(%a: tensor<4xcomplex<f32>>) {
  // error: result 0 is `tensor<4xcomplex<f64>>`, but from the operands follows `tensor<4xcomplex<f32>>`
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @rfft_length(%a: tensor<4xf32>) {
  // error: dimension 0 of the operand has size 4, but for a length of 5 it must be 5
  %0 = stablehlo.fft %a, type = RFFT, length = [5] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @rfft_result(%a: tensor<4xf32>) {
  // error: result 0 is `tensor<4xcomplex<f32>>`, but from the operands follows `tensor<3xcomplex<f32>>`
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @irfft_length(%a: tensor<4xcomplex<f32>>) {
  // error: dimension 0 of the operand has size 4, but for a length of 5 it must be 3
  %0 = stablehlo.fft %a, type = IRFFT, length = [5] : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return
}

// -----

func.func @irfft_result(%a: tensor<3xcomplex<f32>>) {
  // error: result 0 is `tensor<4xf32>`, but from the operands follows `tensor<5xf32>`
  %0 = stablehlo.fft %a, type = IRFFT, length = [5] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return
}
