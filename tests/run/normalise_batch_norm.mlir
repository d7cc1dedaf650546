// Batch normalisation.
func.func @training() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %scale = stablehlo.constant dense<1.0> : tensor<2xf64>
  %offset = stablehlo.constant dense<1.0> : tensor<2xf64>
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %0#0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  check.expect_almost_eq_const %0#1, dense<[2.0, 3.0]> : tensor<2xf64>
  check.expect_almost_eq_const %0#2, dense<1.0> : tensor<2xf64>
  return
}
func.func @inference() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %0 = "stablehlo.batch_norm_inference"(%x, %one, %one, %mean, %one) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64>
  check.expect_almost_eq_const %0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  return
}
func.func @grad() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %grad = stablehlo.constant dense<0.1> : tensor<2x2x2xf64>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %one, %mean, %one, %grad) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %0#0, dense<0.0> : tensor<2x2x2xf64>
  check.expect_almost_eq_const %0#1, dense<0.0> : tensor<2xf64>
  check.expect_almost_eq_const %0#2, dense<0.4> : tensor<2xf64>
  return
}
func.func @feature_in_the_middle() {
  %x = stablehlo.constant dense<[[[1.0, 3.0], [10.0, 30.0]], [[5.0, 7.0], [50.0, 70.0]]]> : tensor<2x2x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0:3 = "stablehlo.batch_norm_training"(%x, %one, %zero) <{epsilon = 4.0 : f32, feature_index = 1 : i64}> : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %0#0, dense<[[[-1.0, -0.333333343], [-1.336306, -0.445435]], [[0.333333343, 1.0], [0.445435, 1.336306]]]> : tensor<2x2x2xf32>
  check.expect_almost_eq_const %0#1, dense<[4.0, 40.0]> : tensor<2xf32>
  check.expect_almost_eq_const %0#2, dense<[5.0, 500.0]> : tensor<2xf32>
  return
}
