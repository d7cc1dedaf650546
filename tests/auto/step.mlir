// A layer of two products and its gradients, with plain gradient descent: the weights are as large as the data, so their inner width is split. Over two
// axes it is split twice, unless the first is said to split the batch.
// auto: --mesh x=8
// auto: --mesh x=4 --memory 700M
// auto: --mesh data=2,model=4 --margin 0
// auto: --mesh x=8 --shard x=_,_
// auto: --mesh data=2,model=4 --tactic data:data
// auto: --mesh data=2,model=4 --tactic data:data --tactic megatron:model --tactic zero3:data
func.func @main(%w: tensor<4096x16384xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<16384x4096xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8192x4096xf32>) -> (tensor<4096x16384xf32>, tensor<16384x4096xf32>) {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8192x4096xf32>, tensor<4096x16384xf32>) -> tensor<8192x16384xf32>
  %t = stablehlo.tanh %h : tensor<8192x16384xf32>
  %y = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<8192x16384xf32>, tensor<16384x4096xf32>) -> tensor<8192x4096xf32>
  %g = stablehlo.subtract %y, %x : tensor<8192x4096xf32>
  %gv = stablehlo.dot_general %t, %g, contracting_dims = [0] x [0] : (tensor<8192x16384xf32>, tensor<8192x4096xf32>) -> tensor<16384x4096xf32>
  %gt = stablehlo.dot_general %g, %v, contracting_dims = [1] x [1] : (tensor<8192x4096xf32>, tensor<16384x4096xf32>) -> tensor<8192x16384xf32>
  %gw = stablehlo.dot_general %x, %gt, contracting_dims = [0] x [0] : (tensor<8192x4096xf32>, tensor<8192x16384xf32>) -> tensor<4096x16384xf32>
  %nw = stablehlo.subtract %w, %gw : tensor<4096x16384xf32>
  %nv = stablehlo.subtract %v, %gv : tensor<16384x4096xf32>
  return %nw, %nv : tensor<4096x16384xf32>, tensor<16384x4096xf32>
}
