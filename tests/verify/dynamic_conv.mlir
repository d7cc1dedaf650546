// Convolutions whose padding is an operand.
func.func @accepted(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @any_spatial_size(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x7x1xi32>
  return
}
// -----
func.func @ranks(%x: tensor<1x4x1xi32>, %k: tensor<3x1xi32>, %p: tensor<1x2xi32>) {
  // error: lhs has 3 dimensions, but rhs has 2
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1xi32>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @padding_shape(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<2x2xi32>) {
  // error: the padding must be integers of shape 1x2, but it is `tensor<2x2xi32>`
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<2x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @padding_of_floats(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xf32>) {
  // error: the padding must be integers of shape 1x2
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xf32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @batch_size(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: the batch dimension 0 of the result has size 2, but from the operands follows 1
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<2x3x1xi32>
  return
}
// -----
func.func @feature_size(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: the feature dimension 2 of the result has size 2, but from the operands follows 1
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3x2xi32>
  return
}
// -----
func.func @result_rank(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: the result has 2 dimensions, but lhs has 3
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3xi32>
  return
}
// -----
func.func @types(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi64>, %p: tensor<1x2xi32>) {
  // error: the operands hold i32 and i64
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi64>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @stride(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: but it must be positive
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @reversal(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: window_reversal has 2 entries
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: true, false>}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
// -----
func.func @groups(%x: tensor<1x4x1xi32>, %k: tensor<3x1x1xi32>, %p: tensor<1x2xi32>) {
  // error: feature_group_count is 0, but it must be positive
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi32>) -> tensor<1x3x1xi32>
  return
}
