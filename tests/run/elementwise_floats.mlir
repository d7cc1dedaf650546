// NaN, infinities, signed zeros and rounding.
func.func @maximum_and_minimum_keep_nan_and_order_zeros() {
  %a = stablehlo.constant dense<[0x7FC00000, 1.0, -0.0, 0.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[1.0, 0x7FC00000, 0.0, -0.0]> : tensor<4xf32>
  %max = stablehlo.maximum %a, %b : tensor<4xf32>
  check.expect_eq_const %max, dense<[0x7FC00000, 0x7FC00000, 0.0, 0.0]> : tensor<4xf32>
  %min = stablehlo.minimum %a, %b : tensor<4xf32>
  check.expect_eq_const %min, dense<[0x7FC00000, 0x7FC00000, -0.0, -0.0]> : tensor<4xf32>
  func.return
}

func.func @nan_compares_with_nothing() {
  %a = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 1.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 1.0, 0x7FC00000]> : tensor<3xf32>
  %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<false> : tensor<3xi1>
  %ne = stablehlo.compare NE, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %ne, dense<true> : tensor<3xi1>
  %ge = stablehlo.compare GE, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %ge, dense<false> : tensor<3xi1>
  func.return
}

func.func @total_order() {
  %a = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -0.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %b = stablehlo.constant dense<[0xFF800000, -1.0, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  %lt = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %lt, dense<[true, true, true, true, false]> : tensor<5xi1>
  %eq = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %eq, dense<[false, false, false, false, true]> : tensor<5xi1>
  func.return
}

func.func @signs() {
  %a = stablehlo.constant dense<[-0.0, 0.0, -2.0, 0x7F800000]> : tensor<4xf32>
  %sign = stablehlo.sign %a : tensor<4xf32>
  check.expect_eq_const %sign, dense<[-0.0, 0.0, -1.0, 1.0]> : tensor<4xf32>
  %neg = stablehlo.negate %a : tensor<4xf32>
  check.expect_eq_const %neg, dense<[0.0, -0.0, 2.0, 0xFF800000]> : tensor<4xf32>
  func.return
}

func.func @remainder_has_the_sign_of_the_dividend() {
  %a = stablehlo.constant dense<[17.5, -17.5, 17.5, 1.0, 1.0]> : tensor<5xf32>
  %b = stablehlo.constant dense<[3.0, 3.0, -3.0, 0x7F800000, 0.0]> : tensor<5xf32>
  %0 = stablehlo.remainder %a, %b : tensor<5xf32>
  check.expect_almost_eq_const %0, dense<[2.5, -2.5, 2.5, 1.0, 0x7FC00000]> : tensor<5xf32>
  func.return
}

func.func @rounding() {
  %a = stablehlo.constant dense<[2.5, -2.5, 3.5, 0.49999997]> : tensor<4xf32>
  %away = stablehlo.round_nearest_afz %a : tensor<4xf32>
  check.expect_eq_const %away, dense<[3.0, -3.0, 4.0, 0.0]> : tensor<4xf32>
  %even = stablehlo.round_nearest_even %a : tensor<4xf32>
  check.expect_eq_const %even, dense<[2.0, -2.0, 4.0, 0.0]> : tensor<4xf32>
  func.return
}

func.func @conversions_saturate_and_truncate() {
  %a = stablehlo.constant dense<[1.9, -1.9, 300.0, -300.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %signed = stablehlo.convert %a : (tensor<6xf32>) -> tensor<6xi8>
  check.expect_eq_const %signed, dense<[1, -1, 127, -128, 0, 127]> : tensor<6xi8>
  %unsigned = stablehlo.convert %a : (tensor<6xf32>) -> tensor<6xui8>
  check.expect_eq_const %unsigned, dense<[1, 0, 255, 0, 0, 255]> : tensor<6xui8>
  %bool = stablehlo.convert %a : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %bool, dense<true> : tensor<6xi1>
  func.return
}

func.func @integers_wrap_when_converted() {
  %a = stablehlo.constant dense<[257, -1, 128]> : tensor<3xi32>
  %signed = stablehlo.convert %a : (tensor<3xi32>) -> tensor<3xi8>
  check.expect_eq_const %signed, dense<[1, -1, -128]> : tensor<3xi8>
  %unsigned = stablehlo.convert %a : (tensor<3xi32>) -> tensor<3xui64>
  check.expect_eq_const %unsigned, dense<[257, 18446744073709551615, 128]> : tensor<3xui64>
  func.return
}

func.func @narrow_sums_round_once() {
  %a = stablehlo.constant dense<[256.0, 1.0]> : tensor<2xbf16>
  %b = stablehlo.constant dense<[1.0, 0.00390625]> : tensor<2xbf16>
  %0 = stablehlo.add %a, %b : tensor<2xbf16>
  check.expect_eq_const %0, dense<[256.0, 1.0]> : tensor<2xbf16>
  func.return
}

func.func @clamp_with_bounds_of_one_element() {
  %low = stablehlo.constant dense<-1.0> : tensor<f32>
  %a = stablehlo.constant dense<[-5.0, 0.5, 5.0, 0x7FC00000]> : tensor<4xf32>
  %high = stablehlo.constant dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>
  %0 = stablehlo.clamp %low, %a, %high : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[-1.0, 0.5, 2.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}

func.func @select_by_one_predicate() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<2xi64>
  check.expect_eq %0, %a : tensor<2xi64>
  func.return
}

func.func @precision() {
  %a = stablehlo.constant dense<[65519.0, 65520.0, 1.0e-8, -1.0e-8, 1.0009765625, 0x7FC00000]> : tensor<6xf32>
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<6xf32>
  check.expect_eq_const %0, dense<[65504.0, 0x7F800000, 0.0, -0.0, 1.0009765625, 0x7FC00000]> : tensor<6xf32>
  %1 = stablehlo.reduce_precision %a, format = e8m23 : tensor<6xf32>
  check.expect_eq %1, %a : tensor<6xf32>
  func.return
}

func.func @a_splat_of_any_size_is_free() {
  %a = stablehlo.constant dense<2.0> : tensor<1000000x1000000x1000xf32>
  %0 = stablehlo.multiply %a, %a : tensor<1000000x1000000x1000xf32>
  %1 = stablehlo.slice %0 [5:6, 7:8, 0:2] : (tensor<1000000x1000000x1000xf32>) -> tensor<1x1x2xf32>
  check.expect_eq_const %1, dense<4.0> : tensor<1x1x2xf32>
  func.return
}

func.func @more_elements_than_are_computed_at_a_time() {
  %a = stablehlo.iota dim = 0 : tensor<131xf32>
  %one = stablehlo.constant dense<1.0> : tensor<131xf32>
  %b = stablehlo.add %a, %one : tensor<131xf32>
  %tail = stablehlo.slice %b [63:131:33] : (tensor<131xf32>) -> tensor<3xf32>
  check.expect_eq_const %tail, dense<[64.0, 97.0, 130.0]> : tensor<3xf32>
  %half = stablehlo.convert %b : (tensor<131xf32>) -> tensor<131xf16>
  %last = stablehlo.slice %half [130:131] : (tensor<131xf16>) -> tensor<1xf16>
  check.expect_eq_const %last, dense<131.0> : tensor<1xf16>
  func.return
}
