// Selection of slices along one dimension.
func.func @accepted(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  return
}
// -----
func.func @no_batch(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x2x5x4xf32>
  return
}
// -----
func.func @index_of_floats(%x: tensor<2x3x4xf32>, %i: tensor<2x5xf32>) {
  // error: the index must hold integers, but it holds f32
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xf32>) -> tensor<2x5x4xf32>
  return
}
// -----
func.func @dimension(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) {
  // error: `dim` is 3
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 3 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  return
}
// -----
func.func @batch_dims(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) {
  // error: `batch_dims` is 2; it must lie between 0 and 1
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 2 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  return
}
// -----
func.func @batch_sizes(%x: tensor<2x3x4xf32>, %i: tensor<3x5xi32>) {
  // error: the batch dimension 0 has size 2 in the operand, but 3 in the index
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3x5xi32>) -> tensor<2x5x4xf32>
  return
}
// -----
func.func @result(%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>) {
  // error: from the operands follows `tensor<2x5x4xf32>`
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x4x5xf32>
  return
}
