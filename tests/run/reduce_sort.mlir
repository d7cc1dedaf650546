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
