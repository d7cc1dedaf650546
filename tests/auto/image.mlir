// Two convolutions over one large image, and their gradients left out: rows are split, with what the windows reach fetched from the neighbours.
// auto: --mesh x=8
// auto: --mesh x=8 --tactic spatial:x
func.func @main(%k: tensor<3x3x64x64xf32>, %l: tensor<3x3x64x64xf32>, %image: tensor<1x2048x2048x64xf32>) -> tensor<1x2048x2048x64xf32> {
  %0 = stablehlo.convolution(%image, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2048x2048x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x2048x2048x64xf32>
  %1 = stablehlo.tanh %0 : tensor<1x2048x2048x64xf32>
  %2 = stablehlo.convolution(%1, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2048x2048x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x2048x2048x64xf32>
  return %2 : tensor<1x2048x2048x64xf32>
}
