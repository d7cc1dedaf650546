// Convolution: windows, dimension numbers, groups and types.
func.func @accepted(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @accepted_with_everything(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 0], [2, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x14x4x12xf32>
  return
}
// -----
func.func @accepted_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x3x12xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x3x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @accepted_batch_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<2x6x6x12xf32>
  return
}
// -----
func.func @accepted_wider_sum(%a: tensor<4x8x8x6xbf16>, %b: tensor<3x3x6x12xbf16>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xbf16>, tensor<3x3x6x12xbf16>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @accepted_no_windows(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[-4, -4], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x0x6x12xf32>
  return
}
// -----
func.func @c1_ranks(%a: tensor<4x8x8x6xf32>, %b: tensor<3x6x12xf32>) {
  // error: lhs has 4 dimensions, but rhs has 3
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @rank_at_least_two(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // error: it needs a batch and a feature dimension
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4xf32>, tensor<3xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c2_stride_count(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: window_strides has 1 entries, but there are 2 dimensions
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c3_stride_positive(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: window_strides[1] is 0, but it must be positive
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c4_padding(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: padding has the type tensor<1x2xi64>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c5_lhs_dilation_count(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: lhs_dilation has 3 entries
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c6_lhs_dilation_positive(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: lhs_dilation[0] is -1
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [-1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c7_rhs_dilation_count(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: rhs_dilation has 1 entries
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c8_rhs_dilation_positive(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: rhs_dilation[0] is 0
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c9_reversal_count(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: window_reversal has 1 entries, but there are 2 spatial dimensions
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c10_batch_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: the batch size 4 cannot be divided by batch_group_count 3
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c11_feature_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: the number of input features 6 cannot be divided by feature_group_count 4
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c12_input_spatial(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: there are 1 spatial dimensions of the input, but tensors of 4 dimensions have 2
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c14_kernel_features(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: the kernel has 6 input features, but each of 2 groups of 6 input features has 3
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c15_output_features_by_batch_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x13xf32>) {
  // error: the number of output features 13 cannot be divided by batch_group_count 2
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x13xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c16_output_features_by_feature_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x3x13xf32>) {
  // error: the number of output features 13 cannot be divided by feature_group_count 2
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x3x13xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c17_kernel_spatial(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: there are 1 spatial dimensions of the kernel
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c19_output_spatial(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: there are 1 spatial dimensions of the output
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c21_feature_groups_positive(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: feature_group_count is 0, but it must be positive
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c22_batch_groups_positive(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: batch_group_count is -2, but it must be positive
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = -2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c23_one_kind_of_groups(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: one of them must be 1
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c24_precision(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: precision_config has 1 entries
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>]} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c25_batch(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: from the operands follows `tensor<4x6x6x12xf32>`
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<2x6x6x12xf32>
  return
}
// -----
func.func @c25_feature(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: from the operands follows `tensor<4x6x6x12xf32>`
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x6xf32>
  return
}
// -----
func.func @c25_windows(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: from the operands follows `tensor<4x6x3x12xf32>`
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c26_rank(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: from the operands follows `tensor<4x6x6x12xf32>`
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x72xf32>
  return
}
// -----
func.func @c27_operands(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf64>) {
  // error: the operands hold f32 and f64
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf64>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @c27_result(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: the result holds i32, but the operands hold f32
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xi32>
  return
}
// -----
func.func @too_many_windows(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: more windows than 64 bits can count
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[9223372036854775807, 9223372036854775807], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @window_keyword(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: a window has no `strides`
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {strides = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @padding_pairs(%a: tensor<4x8x8x6xf32>, %b: tensor<3x3x6x12xf32>) {
  // error: the padding of each dimension is two numbers
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1], [2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x12xf32>) -> tensor<4x6x6x12xf32>
  return
}
// -----
func.func @feature_groups_missing(%a: tensor<4x8x6xf32>, %b: tensor<3x6x12xf32>) {
  // error: the attribute `feature_group_count` is missing
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64} : (tensor<4x8x6xf32>, tensor<3x6x12xf32>) -> tensor<4x6x12xf32>
  return
}
