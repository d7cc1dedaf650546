// Complex functions at their cuts and at large values.
func.func @square_roots_on_the_cut() {
  %a = stablehlo.constant dense<[(-4.0, 0.0), (-4.0, -0.0), (0.0, 2.0)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.sqrt %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(0.0, 2.0), (0.0, -2.0), (1.0, 1.0)]> : tensor<3xcomplex<f64>>
  func.return
}

func.func @square_roots_of_large_numbers() {
  %a = stablehlo.constant dense<(1.0e308, 1.0e308)> : tensor<complex<f64>>
  %0 = stablehlo.sqrt %a : tensor<complex<f64>>
  %1 = stablehlo.multiply %0, %0 : tensor<complex<f64>>
  %2 = stablehlo.divide %1, %a : tensor<complex<f64>>
  check.expect_almost_eq_const %2, dense<(1.0, 0.0)> : tensor<complex<f64>>
  func.return
}

func.func @division_does_not_overflow() {
  %a = stablehlo.constant dense<[(1.0e300, 1.0e300), (1.0, 2.0)]> : tensor<2xcomplex<f64>>
  %b = stablehlo.constant dense<[(1.0e300, 1.0e300), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.divide %a, %b : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(1.0, 0.0), (0x7FF0000000000000, 0x7FF0000000000000)]> : tensor<2xcomplex<f64>>
  func.return
}

func.func @saturated_tangents() {
  %a = stablehlo.constant dense<[(800.0, 1.0), (-800.0, 1.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.tanh %a : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(1.0, 0.0), (-1.0, 0.0)]> : tensor<2xcomplex<f64>>
  func.return
}

func.func @powers_of_zero() {
  %a = stablehlo.constant dense<(0.0, 0.0)> : tensor<2xcomplex<f32>>
  %b = stablehlo.constant dense<[(0.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.power %a, %b : tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>
  func.return
}

func.func @parts() {
  %re = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[3.0, -0.0]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %0 = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %0, %re : tensor<2xf32>
  %1 = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %1, %im : tensor<2xf32>
  %2 = stablehlo.imag %re : tensor<2xf32>
  check.expect_eq_const %2, dense<0.0> : tensor<2xf32>
  %3 = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %3, dense<[3.1622777, 2.0]> : tensor<2xf32>
  func.return
}

func.func @signs() {
  %a = stablehlo.constant dense<[(3.0, 4.0), (0.0, 0.0), (0x7FC00000, 0.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.sign %a : tensor<3xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<[(0.6, 0.8), (0.0, 0.0), (0x7FC00000, 0x7FC00000)]> : tensor<3xcomplex<f32>>
  func.return
}

func.func @comparison_by_real_then_imaginary_part() {
  %a = stablehlo.constant dense<[(1.0, 5.0), (1.0, 5.0), (2.0, 0.0)]> : tensor<3xcomplex<f32>>
  %b = stablehlo.constant dense<[(1.0, 6.0), (1.0, 5.0), (1.0, 9.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[true, false, false]> : tensor<3xi1>
  %1 = stablehlo.maximum %a, %b : tensor<3xcomplex<f32>>
  check.expect_eq_const %1, dense<[(1.0, 6.0), (1.0, 5.0), (2.0, 0.0)]> : tensor<3xcomplex<f32>>
  func.return
}
