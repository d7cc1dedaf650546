// Batch normalisation: features, element types and shapes.
func.func @inference_accepted(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @training_accepted(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_accepted(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @inference_c1(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: feature_index is 3, but the operand has the dimensions 0 to 2
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_epsilon(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: epsilon must be a float of type f32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_i1(%a0: tensor<2x3x4xi32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: the operand must hold floats, but it holds i32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_scale_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf64>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: scale holds f64, but the operand holds f32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_scale_size(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: scale is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_offset_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf64>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: offset holds f64, but the operand holds f32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_offset_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<4xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: offset is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_mean_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf64>, %a4: tensor<3xf32>) {
  // error: mean holds f64, but the operand holds f32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_mean_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<4xf32>, %a4: tensor<3xf32>) {
  // error: mean is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_variance_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf64>) {
  // error: variance holds f64, but the operand holds f32
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_variance_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<4xf32>) {
  // error: variance is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}
// -----
func.func @inference_result_0(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) {
  // error: result 0 is `tensor<2xf32>`, but from the operands follows `tensor<2x3x4xf32>`
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @training_c1(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: feature_index is 3, but the operand has the dimensions 0 to 2
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_epsilon(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: epsilon must be a float of type f32
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_i1(%a0: tensor<2x3x4xi32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: the operand must hold floats, but it holds i32
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xi32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_scale_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf64>, %a2: tensor<3xf32>) {
  // error: scale holds f64, but the operand holds f32
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_scale_size(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>) {
  // error: scale is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_offset_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf64>) {
  // error: offset holds f64, but the operand holds f32
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf64>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_offset_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<4xf32>) {
  // error: offset is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_result_0(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: result 0 is `tensor<2xf32>`, but from the operands follows `tensor<2x3x4xf32>`
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_result_1(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: result 1 is `tensor<2xf32>`, but from the operands follows `tensor<3xf32>`
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}
// -----
func.func @training_result_2(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) {
  // error: result 2 is `tensor<2xf32>`, but from the operands follows `tensor<3xf32>`
  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}
// -----
func.func @grad_c1(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: feature_index is 3, but the operand has the dimensions 0 to 2
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_epsilon(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: epsilon must be a float of type f32
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_i1(%a0: tensor<2x3x4xi32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: the operand must hold floats, but it holds i32
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_scale_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf64>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: scale holds f64, but the operand holds f32
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_scale_size(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: scale is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_mean_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf64>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: mean holds f64, but the operand holds f32
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_mean_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<4xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: mean is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_variance_element_type(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf64>, %a4: tensor<2x3x4xf32>) {
  // error: variance holds f64, but the operand holds f32
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_variance_size(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<4xf32>, %a4: tensor<2x3x4xf32>) {
  // error: variance is `tensor<4xf32>`, but the operand has 3 features in dimension 1
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_result_0(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: result 0 is `tensor<2xf32>`, but from the operands follows `tensor<2x3x4xf32>`
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_result_1(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: result 1 is `tensor<2xf32>`, but from the operands follows `tensor<3xf32>`
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}
// -----
func.func @grad_result_2(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x4xf32>) {
  // error: result 2 is `tensor<2xf32>`, but from the operands follows `tensor<3xf32>`
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}
// -----
func.func @grad_c3(%a0: tensor<2x3x4xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<2x3x5xf32>) {
  // error: grad_output is `tensor<2x3x5xf32>`, but it must be as the operand
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
