// The example of the GSPMD paper: only the sum is annotated. Through the elementwise ops first, the annotation reaches
// the product before its operands do, so both sides of the bias add are split alike; the bias is filled last, backward.
// mesh: x=2,y=2
// shard: arg0=y,x
// shard: arg1=x,y
// shard: %2=x,y
func.func @main(%w: tensor<16x8xf32>, %a: tensor<4x16xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x8xf32>
  %3 = stablehlo.maximum %2, %cst : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
