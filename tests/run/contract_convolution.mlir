// Convolution with each attribute of its window, and with groups.
func.func @strides_and_padding() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]], [[100]]]> : tensor<3x1x1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x3x1xi32>
  check.expect_eq_const %0, dense<[[[210], [432], [54]]]> : tensor<1x3x1xi32>
  return
}
func.func @negative_padding() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, -1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  check.expect_eq_const %0, dense<[[[32], [43]]]> : tensor<1x2x1xi32>
  return
}
func.func @dilations() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  // The input is 1 0 2 0 3.
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x4x1xi32>
  check.expect_eq_const %0, dense<[[[1], [20], [2], [30]]]> : tensor<1x4x1xi32>
  // The kernel is 1 0 10.
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x1x1xi32>
  check.expect_eq_const %1, dense<31> : tensor<1x1x1xi32>
  return
}
func.func @reversal() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  check.expect_eq_const %0, dense<[[[12], [23]]]> : tensor<1x2x1xi32>
  return
}
func.func @feature_groups() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
  %k = stablehlo.constant dense<[[1, 10], [100, 1000]]> : tensor<2x2xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4xi32>, tensor<2x2xi32>) -> tensor<1x2xi32>
  check.expect_eq_const %0, dense<[[201, 4030]]> : tensor<1x2xi32>
  return
}
func.func @batch_groups() {
  %x = stablehlo.constant dense<[[1], [2], [3], [4]]> : tensor<4x1xi32>
  %k = stablehlo.constant dense<[[1, 10]]> : tensor<1x2xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x1xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 30], [2, 40]]> : tensor<2x2xi32>
  return
}
func.func @dimensions_in_any_order() {
  %x = stablehlo.constant dense<[[[1, 2, 3]], [[4, 5, 6]]]> : tensor<2x1x3xi32>
  %k = stablehlo.constant dense<[[[1, 10], [100, 1000]]]> : tensor<1x2x2xi32>
  // Input: feature, batch, spatial. Kernel: output feature, spatial, input feature. Output: spatial, feature, batch.
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [f, b, 0]x[o, 0, i]->[0, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x3xi32>, tensor<1x2x2xi32>) -> tensor<2x1x1xi32>
  check.expect_eq_const %0, dense<[[[5241]], [[6352]]]> : tensor<2x1x1xi32>
  return
}
func.func @no_windows() {
  %x = stablehlo.constant dense<1> : tensor<1x2x1xi32>
  %k = stablehlo.constant dense<1> : tensor<3x1x1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xi32>, tensor<3x1x1xi32>) -> tensor<1x0x1xi32>
  check.expect_eq_const %0, dense<> : tensor<1x0x1xi32>
  return
}
// Padding is zero, and zero times infinity is no number.
func.func @an_infinite_weight_beside_padding() {
  %x = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %k = stablehlo.constant dense<[[[0x7F800000]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  check.expect_eq_const %0, dense<[[[0x7FC00000], [0x7F800000]]]> : tensor<1x2x1xf32>
  return
}
// Dimensions of one position do not say how far positions are from each other: here one image, innermost, and one row of a window.
func.func @one_image_innermost() {
  %x = stablehlo.constant dense<[[[[1.0]]], [[[2.0]]], [[[4.0]]]]> : tensor<3x1x1x1xf32>
  %k = stablehlo.constant dense<[[[[1.0, 10.0]]], [[[100.0, 1000.0]]]]> : tensor<2x1x1x2xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [0, 1, b, f]x[0, 1, i, o]->[0, 1, f, b], window = {pad = [[0, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x1x1x1xf32>, tensor<2x1x1x2xf32>) -> tensor<3x1x2x1xf32>
  check.expect_eq_const %0, dense<[[[[201.0], [2010.0]]], [[[402.0], [4020.0]]], [[[4.0], [40.0]]]]> : tensor<3x1x2x1xf32>
  return
}
