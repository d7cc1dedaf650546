// The carries of a loop have one sharding: that of the argument reaches the result through body and condition, and what is
// only known behind the loop reaches the argument in front of it.
// mesh: x=2,y=2
// shard: arg0=x,?
// shard: result1=y
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0:3 = stablehlo.while(%i = %n, %c = %a, %d = %b) : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
    cond {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.subtract %i, %one : tensor<i32>
      %s = stablehlo.tanh %c : tensor<8x8xf32>
      %t = stablehlo.negate %d : tensor<8xf32>
      stablehlo.return %next, %s, %t : tensor<i32>, tensor<8x8xf32>, tensor<8xf32>
    }
  return %0#1, %0#2 : tensor<8x8xf32>, tensor<8xf32>
}
// -----
// Both branches give what is asked of the result; what only one of them reads follows it.
// mesh: x=2
// shard: result0=x
func.func @main(%i: tensor<i32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    %1 = stablehlo.exponential %b : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// One zero for two tensors that have nothing to do with each other ties them not together.
// mesh: x=2,y=2
// shard: arg0=x,_
// shard: arg1=_,y
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<8x8xf32>
  %0 = stablehlo.maximum %a, %zero : tensor<8x8xf32>
  %1 = stablehlo.maximum %b, %zero : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// A barrier lets shardings pass forward only.
// mesh: x=2,y=2
// shard: arg0=x,?
// shard: result0=?,y
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// Members of a group, and an argument with the result that takes its memory, have one sharding.
// mesh: x=2,y=2
// shard: arg0=x
// shard: result1=y
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<8xf32>, tensor<4xf32>) {
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8xf32>
  %0 = stablehlo.negate %b : tensor<8xf32>
  %1 = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}
// -----
// A reshape cuts an axis where its dimension is cut; uneven sizes go along elementwise ops.
// mesh: x=4,y=3
// shard: arg0=x
// shard: arg1=y
func.func @main(%a: tensor<8xf32>, %b: tensor<7xf32>) -> (tensor<2x4xf32>, tensor<7xf32>) {
  %0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.tanh %b : tensor<7xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<7xf32>
}
