// Dot products over any dimensions, in integers, floats, booleans and complex numbers.
func.func @batch_and_order() {
  // Batch dimension last on the left and first on the right; two summed dimensions in different orders.
  %lhs = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %rhs = stablehlo.constant dense<[[[1, 0], [2, 1]], [[0, 3], [1, 1]]]> : tensor<2x2x2xi32>
  %0 = stablehlo.dot_general %lhs, %rhs, batching_dims = [2] x [0], contracting_dims = [0, 1] x [2, 1] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[14, 30]> : tensor<2xi32>
  return
}
func.func @outer_product() {
  %lhs = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %rhs = stablehlo.constant dense<[100, 10, 1]> : tensor<3xi8>
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [] x [] : (tensor<2xi8>, tensor<3xi8>) -> tensor<2x3xi8>
  check.expect_eq_const %0, dense<[[100, 10, 1], [-56, 20, 2]]> : tensor<2x3xi8>
  return
}
func.func @wider_result() {
  %lhs = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %0 = stablehlo.dot_general %lhs, %lhs, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  check.expect_eq_const %0, dense<20000> : tensor<i32>
  return
}
func.func @booleans() {
  %lhs = stablehlo.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %rhs = stablehlo.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %0 = stablehlo.dot %lhs, %rhs : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %0, dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  return
}
func.func @complex_numbers() {
  %lhs = stablehlo.constant dense<[(1.0, 2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.dot %lhs, %lhs : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
  check.expect_eq_const %0, dense<(-4.0, 4.0)> : tensor<complex<f32>>
  return
}
func.func @sum_over_nothing() {
  %lhs = stablehlo.constant dense<> : tensor<2x0xf32>
  %rhs = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.dot %lhs, %rhs : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<0.0> : tensor<2x2xf32>
  return
}
func.func @einsum_diagonal_and_order() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[5, 6, 7], [8, 9, 10]]> : tensor<2x3xi32>
  %diagonal = stablehlo.unary_einsum %x, config = "aa->a" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %diagonal, dense<[1, 4]> : tensor<2xi32>
  %turned = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %turned, dense<[[21, 47], [24, 54], [27, 61]]> : tensor<3x2xi32>
  %summed = stablehlo.einsum %x, %y, config = "ab,cd->ac" : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %summed, dense<[[54, 81], [126, 189]]> : tensor<2x2xi32>
  return
}
func.func @empty_with_huge_dimensions() {
  %lhs = stablehlo.constant dense<> : tensor<0x4000000000x4000000000xf32>
  %rhs = stablehlo.constant dense<> : tensor<4000000000x4000000000x0xf32>
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1, 2] x [0, 1] : (tensor<0x4000000000x4000000000xf32>, tensor<4000000000x4000000000x0xf32>) -> tensor<0x0xf32>
  check.expect_eq_const %0, dense<> : tensor<0x0xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%lhs init: %c) applies stablehlo.add across dimensions = [1, 2] : (tensor<0x4000000000x4000000000xf32>, tensor<f32>) -> tensor<0xf32>
  check.expect_eq_const %1, dense<> : tensor<0xf32>
  return
}
