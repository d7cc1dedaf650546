// Operands are repeated along the dimensions they lack, as in NumPy or as the attribute says.
func.func @numpy_style() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %column = stablehlo.constant dense<[[100], [200]]> : tensor<2x1xi32>
  %0 = chlo.broadcast_add %a, %row : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  %1 = chlo.broadcast_subtract %row, %column : (tensor<3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[-90, -80, -70], [-190, -180, -170]]> : tensor<2x3xi32>
  func.return
}

func.func @by_dimensions() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %0 = chlo.broadcast_multiply %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[10, 20, 30], [80, 100, 120]]> : tensor<2x3xi32>
  %1 = chlo.broadcast_maximum %b, %a {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[10, 10, 10], [20, 20, 20]]> : tensor<2x3xi32>
  func.return
}

func.func @comparison() {
  %a = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[true, false, false]> : tensor<3xi1>
  %1 = chlo.broadcast_compare %a, %b {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction GT>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
  check.expect_eq_const %1, dense<[false, true, true]> : tensor<3xi1>
  func.return
}

func.func @selection() {
  %p = stablehlo.constant dense<[[true], [false]]> : tensor<2x1xi1>
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<0> : tensor<i32>
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<2x1xi1>, tensor<3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[1, 2, 3], [0, 0, 0]]> : tensor<2x3xi32>
  func.return
}

func.func @complex_numbers() {
  %re = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = chlo.broadcast_complex %re, %im : (tensor<2xf32>, tensor<f32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, 3.0), (2.0, 3.0)]> : tensor<2xcomplex<f32>>
  func.return
}

func.func @bits() {
  %a = stablehlo.constant dense<[12, 10]> : tensor<2xi32>
  %b = stablehlo.constant dense<6> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = chlo.broadcast_and %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[4, 2]> : tensor<2xi32>
  %1 = chlo.broadcast_or %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<14> : tensor<2xi32>
  %2 = chlo.broadcast_xor %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %2, dense<[10, 12]> : tensor<2xi32>
  %3 = chlo.broadcast_shift_left %a, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %3, dense<[24, 20]> : tensor<2xi32>
  func.return
}

func.func @nothing() {
  %a = stablehlo.constant dense<> : tensor<0x3xi32>
  %b = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = chlo.broadcast_add %a, %b : (tensor<0x3xi32>, tensor<3xi32>) -> tensor<0x3xi32>
  check.expect_eq_const %0, dense<> : tensor<0x3xi32>
  func.return
}
