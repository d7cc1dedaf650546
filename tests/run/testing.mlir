// Checks that hold.
func.func @checks() {
  %nan = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  check.expect_eq %nan, %nan : tensor<2xf32>
  check.expect_eq_const %nan, dense<[0xFFC00000, 1.0]> : tensor<2xf32>
  check.expect_almost_eq_const %nan, dense<[0x7FC00000, 1.00001]> : tensor<2xf32>
  check.expect_almost_eq_const %nan, dense<[0x7FC00000, 1.5]> : tensor<2xf32>, tolerance = 0.5
  %next = stablehlo.constant dense<[0x7FC00000, 0x3F800003]> : tensor<2xf32>
  check.expect_close %nan, %next, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  %z = stablehlo.constant dense<(1.0, -0.0)> : tensor<complex<f64>>
  check.expect_eq_const %z, dense<(1.0, 0.0)> : tensor<complex<f64>>
  check.expect_almost_eq_const %z, dense<(1.00001, 0.0)> : tensor<complex<f64>>
  return
}

// Each pass of a probe keeps what it saw.
func.func @probes() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %seen = interpreter.probe %i, probe_id = "i" : tensor<i32>
    %k = stablehlo.add %seen, %one : tensor<i32>
    stablehlo.return %k : tensor<i32>
  }
  check.expect_serialized_eq %zero, probe_id = "i" : tensor<i32>
  check.expect_serialized_eq %one, probe_id = "i", iter = 1 : tensor<i32>
  interpreter.print %0 : tensor<i32>
  return
}
