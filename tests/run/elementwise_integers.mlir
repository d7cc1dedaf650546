// Integers wrap; division by zero and shifts out of range have the values XLA gives them.
func.func @add_wraps_in_four_bits() {
  %a = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
  %b = stablehlo.constant dense<[1, -1, 4]> : tensor<3xi4>
  %0 = stablehlo.add %a, %b : tensor<3xi4>
  check.expect_eq_const %0, dense<[-8, 7, 7]> : tensor<3xi4>
  func.return
}

func.func @multiply_wraps_in_two_bits() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xui2>
  %0 = stablehlo.multiply %a, %a : tensor<3xui2>
  check.expect_eq_const %0, dense<[1, 0, 1]> : tensor<3xui2>
  func.return
}

func.func @booleans() {
  %a = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %b = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %or = stablehlo.add %a, %b : tensor<4xi1>
  check.expect_eq_const %or, dense<[false, true, true, true]> : tensor<4xi1>
  %and = stablehlo.multiply %a, %b : tensor<4xi1>
  check.expect_eq_const %and, dense<[false, false, false, true]> : tensor<4xi1>
  %max = stablehlo.maximum %a, %b : tensor<4xi1>
  check.expect_eq %max, %or : tensor<4xi1>
  %min = stablehlo.minimum %a, %b : tensor<4xi1>
  check.expect_eq %min, %and : tensor<4xi1>
  %xor = stablehlo.xor %a, %b : tensor<4xi1>
  check.expect_eq_const %xor, dense<[false, true, true, false]> : tensor<4xi1>
  %less = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %less, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}

func.func @divide_by_zero_and_overflow() {
  %a = stablehlo.constant dense<[5, -5, 0, -128, -17, 17]> : tensor<6xi8>
  %b = stablehlo.constant dense<[0, 0, 0, -1, 3, -3]> : tensor<6xi8>
  %0 = stablehlo.divide %a, %b : tensor<6xi8>
  check.expect_eq_const %0, dense<[-1, -1, -1, -128, -5, -5]> : tensor<6xi8>
  %1 = stablehlo.remainder %a, %b : tensor<6xi8>
  check.expect_eq_const %1, dense<[5, -5, 0, 0, -2, 2]> : tensor<6xi8>
  func.return
}

func.func @divide_unsigned_by_zero() {
  %a = stablehlo.constant dense<[5, 18446744073709551615]> : tensor<2xui64>
  %b = stablehlo.constant dense<[0, 2]> : tensor<2xui64>
  %0 = stablehlo.divide %a, %b : tensor<2xui64>
  check.expect_eq_const %0, dense<[18446744073709551615, 9223372036854775807]> : tensor<2xui64>
  %1 = stablehlo.remainder %a, %b : tensor<2xui64>
  check.expect_eq_const %1, dense<[5, 1]> : tensor<2xui64>
  func.return
}

func.func @shifts_out_of_range() {
  %a = stablehlo.constant dense<[-3, -3, -3, 3]> : tensor<4xi8>
  %n = stablehlo.constant dense<[1, 8, -1, 7]> : tensor<4xi8>
  %left = stablehlo.shift_left %a, %n : tensor<4xi8>
  check.expect_eq_const %left, dense<[-6, 0, 0, -128]> : tensor<4xi8>
  %arithmetic = stablehlo.shift_right_arithmetic %a, %n : tensor<4xi8>
  check.expect_eq_const %arithmetic, dense<[-2, -1, -1, 0]> : tensor<4xi8>
  %logical = stablehlo.shift_right_logical %a, %n : tensor<4xi8>
  check.expect_eq_const %logical, dense<[126, 0, 0, 0]> : tensor<4xi8>
  func.return
}

func.func @arithmetic_shift_repeats_the_top_bit_of_unsigned_numbers() {
  %a = stablehlo.constant dense<[200, 100]> : tensor<2xui8>
  %n = stablehlo.constant dense<[2, 2]> : tensor<2xui8>
  %0 = stablehlo.shift_right_arithmetic %a, %n : tensor<2xui8>
  check.expect_eq_const %0, dense<[242, 25]> : tensor<2xui8>
  func.return
}

func.func @bits() {
  %a = stablehlo.constant dense<[-1, 0, 5]> : tensor<3xi4>
  %not = stablehlo.not %a : tensor<3xi4>
  check.expect_eq_const %not, dense<[0, -1, -6]> : tensor<3xi4>
  %ones = stablehlo.popcnt %a : tensor<3xi4>
  check.expect_eq_const %ones, dense<[4, 0, 2]> : tensor<3xi4>
  %zeros = stablehlo.count_leading_zeros %a : tensor<3xi4>
  check.expect_eq_const %zeros, dense<[0, 4, 1]> : tensor<3xi4>
  func.return
}

func.func @powers() {
  %a = stablehlo.constant dense<[2, -1, -1, 1, 0, 3, 0]> : tensor<7xi32>
  %b = stablehlo.constant dense<[-1, -3, -4, -9, 0, 40, -1]> : tensor<7xi32>
  %0 = stablehlo.power %a, %b : tensor<7xi32>
  check.expect_eq_const %0, dense<[0, -1, 1, 1, 1, 689956897, 0]> : tensor<7xi32>
  func.return
}

func.func @magnitude_of_the_smallest() {
  %a = stablehlo.constant dense<[-128, 127, -1]> : tensor<3xi8>
  %abs = stablehlo.abs %a : tensor<3xi8>
  check.expect_eq_const %abs, dense<[-128, 127, 1]> : tensor<3xi8>
  %neg = stablehlo.negate %a : tensor<3xi8>
  check.expect_eq_const %neg, dense<[-128, -127, 1]> : tensor<3xi8>
  %sign = stablehlo.sign %a : tensor<3xi8>
  check.expect_eq_const %sign, dense<[-1, 1, -1]> : tensor<3xi8>
  func.return
}
