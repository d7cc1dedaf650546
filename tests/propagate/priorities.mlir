// Both operands of the product are split along the axis of the other's features: without the order of ops the product
// could take `x` for its features from the weights, and the sum would be split differently on its two sides. Nothing but the
// batch is annotated behind the product; it reaches the product through the elementwise ops before the product takes part.
// mesh: x=2,y=2
// shard: arg0=y,x
// shard: arg1=_,y
// shard: result0=x,_
func.func @main(%w: tensor<16x8xf32>, %a: tensor<4x16xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x8xf32>
  %3 = stablehlo.maximum %2, %cst : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
// -----
// The batch has the first priority, the features the second: each goes as far as it can before the next starts. With one
// priority for both, the weights would pull `y` onto the contracted dimension of the second product first.
// mesh: x=2,y=2
// shard: arg0=x@0,?
// shard: arg1=?,y@1
// shard: arg2=?,x@2
func.func @main(%a: tensor<8x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
// -----
// A broadcast passes shardings backward before it passes them forward: the scale is split as what it is multiplied with, and
// not the other way round.
// mesh: x=2,y=2
// shard: arg1=x,?
func.func @main(%scale: tensor<8xf32>, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<4x8xf32>
  %2 = stablehlo.add %1, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>} : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
// -----
// Where two tensors want one axis for different dimensions, the larger one wins.
// mesh: x=2
// shard: arg0=x,_
// shard: arg1=_,x
func.func @main(%small: tensor<8x4xf32>, %large: tensor<4x64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %small, %large, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
// -----
// What an annotation refuses does not go sideways: the closed result keeps `x` from the other operand.
// mesh: x=2
// shard: arg0=x,?
// shard: %0=_,_
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
