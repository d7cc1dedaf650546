// Sorting.
func.func @stable_with_keys() {
  %keys = stablehlo.constant dense<[[2, 1, 2, 1], [0, 3, 0, 3]]> : tensor<2x4xi32>
  %values = stablehlo.constant dense<[[10, 11, 12, 13], [20, 21, 22, 23]]> : tensor<2x4xi32>
  %0:2 = "stablehlo.sort"(%keys, %values) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):
    %less = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %0#0, dense<[[1, 1, 2, 2], [0, 0, 3, 3]]> : tensor<2x4xi32>
  check.expect_eq_const %0#1, dense<[[11, 13, 10, 12], [20, 22, 21, 23]]> : tensor<2x4xi32>
  return
}
func.func @first_dimension_downwards() {
  %x = stablehlo.constant dense<[[1.0, 6.0], [3.0, 5.0], [2.0, 7.0]]> : tensor<3x2xf32>
  %0 = "stablehlo.sort"(%x) <{dimension = -2 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %less = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[[3.0, 7.0], [2.0, 6.0], [1.0, 5.0]]> : tensor<3x2xf32>
  return
}
func.func @nan_last_in_total_order() {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, 0xFF800000, -0.0, 0.0]> : tensor<5xf32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %less = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[0xFF800000, -0.0, 0.0, 1.0, 0x7FC00000]> : tensor<5xf32>
  return
}
func.func @comparator_that_is_no_order() {
  // Whatever it says, the elements stay the same ones.
  %x = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %always = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %always : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<6> : tensor<i32>
  return
}
func.func @bits_as_integers_then_places() {
  // As XLA writes the largest first: floats by their bits, a constant from outside, equal ones by their places downwards.
  %x = stablehlo.constant dense<[1.0, -2.0, 0x7FC00000, 1.0, -0.0, 0.0]> : tensor<6xf32>
  %i = stablehlo.iota dim = 0 : tensor<6xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %most = stablehlo.constant dense<2147483647> : tensor<ui32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %1 = stablehlo.bitcast_convert %p : (tensor<f32>) -> tensor<i32>
    %2 = stablehlo.compare LT, %1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.bitcast_convert %p : (tensor<f32>) -> tensor<ui32>
    %4 = stablehlo.subtract %most, %3 : tensor<ui32>
    %5 = stablehlo.bitcast_convert %4 : (tensor<ui32>) -> tensor<i32>
    %6 = stablehlo.select %2, %5, %1 : tensor<i1>, tensor<i32>
    %7 = stablehlo.bitcast_convert %q : (tensor<f32>) -> tensor<i32>
    %8 = stablehlo.compare LT, %7, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.bitcast_convert %q : (tensor<f32>) -> tensor<ui32>
    %10 = stablehlo.subtract %most, %9 : tensor<ui32>
    %11 = stablehlo.bitcast_convert %10 : (tensor<ui32>) -> tensor<i32>
    %12 = stablehlo.select %8, %11, %7 : tensor<i1>, tensor<i32>
    %13 = stablehlo.compare GT, %6, %12 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %14 = stablehlo.compare GT, %12, %6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %15 = stablehlo.compare EQ, %13, %14 : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %16 = stablehlo.compare GT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %17 = stablehlo.select %15, %16, %13 : tensor<i1>, tensor<i1>
    stablehlo.return %17 : tensor<i1>
  }) : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
  check.expect_eq_const %0#1, dense<[2, 3, 0, 5, 4, 1]> : tensor<6xi32>
  return
}
func.func @numbers_around_one_that_is_none() {
  // A NaN is neither less nor greater, so that nothing goes past it but by the way that pairs are merged.
  %x = stablehlo.constant dense<[3.0, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %less = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %0#1, dense<[1, 0, 2, 3]> : tensor<4xi32>
  return
}
func.func @narrow_bits() {
  %x = stablehlo.constant dense<[-1, 3, -8, 0]> : tensor<4xi4>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i4>, %q: tensor<i4>):
    %r = stablehlo.bitcast_convert %p : (tensor<i4>) -> tensor<ui4>
    %s = stablehlo.bitcast_convert %q : (tensor<i4>) -> tensor<ui4>
    %less = stablehlo.compare LT, %r, %s : (tensor<ui4>, tensor<ui4>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xi4>) -> tensor<4xi4>
  check.expect_eq_const %0, dense<[0, 3, -8, -1]> : tensor<4xi4>
  return
}
