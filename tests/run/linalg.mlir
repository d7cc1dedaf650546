// Cholesky factors, triangular systems and Fourier transforms.
func.func @cholesky() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]]> : tensor<3x3xf32>
  %lower = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  check.expect_eq_const %lower, dense<[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %upper = stablehlo.cholesky %a : tensor<3x3xf32>
  check.expect_eq_const %upper, dense<[[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf32>
  func.return
}

func.func @cholesky_reads_one_triangle() {
  %a = stablehlo.constant dense<[[[4.0, 9.0], [2.0, 10.0]], [[1.0, 9.0], [0.0, 4.0]]]> : tensor<2x2x2xf64>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2x2xf64>
  check.expect_eq_const %0, dense<[[[2.0, 0.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]]]> : tensor<2x2x2xf64>
  func.return
}

func.func @cholesky_of_complex_numbers() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (0.0, -2.0)], [(0.0, 2.0), (10.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f32>>
  check.expect_eq_const %0, dense<[[(2.0, 0.0), (0.0, 0.0)], [(0.0, 1.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  func.return
}

func.func @cholesky_of_other_matrices() {
  %a = stablehlo.constant dense<[[1.0, 0.0], [0.0, -1.0]]> : tensor<2x2xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  check.expect_eq_const %0, dense<0x7FC00000> : tensor<2x2xf32>
  func.return
}

func.func @triangular_solve() {
  %a = stablehlo.constant dense<[[1.0, 9.0, 9.0], [2.0, 4.0, 9.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[2.0, 0.0, 0.0], [4.0, 8.0, 0.0], [6.0, 10.0, 12.0]]> : tensor<3x3xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %0, dense<[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>
  func.return
}

func.func @fft_of_a_prime_length() {
  %a = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0), (5.0, 0.0)]> : tensor<5xcomplex<f64>>
  %0 = stablehlo.fft %a, type = FFT, length = [5] : (tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(15.0, 0.0), (-2.5, 3.440954801177933), (-2.5, 0.8122992405822658), (-2.5, -0.8122992405822658), (-2.5, -3.440954801177933)]> : tensor<5xcomplex<f64>>
  func.return
}

func.func @real_transforms_invert_each_other() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [5.0, -3.0, 2.0, 7.0, 1.0], [0.0, 1.0, 0.0, -1.0, 2.0]]> : tensor<3x5xf64>
  %0 = stablehlo.fft %a, type = RFFT, length = [3, 5] : (tensor<3x5xf64>) -> tensor<3x3xcomplex<f64>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [3, 5] : (tensor<3x3xcomplex<f64>>) -> tensor<3x5xf64>
  check.expect_almost_eq %1, %a : tensor<3x5xf64>
  func.return
}

func.func @complex_transforms_invert_each_other() {
  %re = stablehlo.iota dim = 2 : tensor<2x3x67xf64>
  %im = stablehlo.iota dim = 1 : tensor<2x3x67xf64>
  %a = stablehlo.complex %re, %im : tensor<2x3x67xcomplex<f64>>
  %0 = stablehlo.fft %a, type = FFT, length = [2, 3, 67] : (tensor<2x3x67xcomplex<f64>>) -> tensor<2x3x67xcomplex<f64>>
  %1 = stablehlo.fft %0, type = IFFT, length = [2, 3, 67] : (tensor<2x3x67xcomplex<f64>>) -> tensor<2x3x67xcomplex<f64>>
  check.expect_almost_eq %1, %a : tensor<2x3x67xcomplex<f64>>
  func.return
}

func.func @transforms_of_nothing() {
  %a = stablehlo.constant dense<> : tensor<2x0xf32>
  %0 = stablehlo.fft %a, type = RFFT, length = [0] : (tensor<2x0xf32>) -> tensor<2x0xcomplex<f32>>
  check.expect_eq_const %0, dense<> : tensor<2x0xcomplex<f32>>
  func.return
}
