// A name that JAX gave, a pattern, a result, a value, an open dimension, a part of an axis and a priority.
// mesh: data=2,model=4
// shard: params['w*']=_,model:(1)2
// shard: x=data,?
// shard: %1=?,model:(1)2@1
// shard: result0=data,model:(1)2
func.func @main(%arg0: tensor<8x16xf32> loc("x"), %arg1: tensor<16x32xf32> loc("params['w1']")) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
// -----
// Sizes of axes are replaced; the rest of the boundary stays whole.
// mesh: model=8
// boundary: replicated
sdy.mesh @m = <["data"=2, "model"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>}, %arg1: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// -----
// Axes made from tiles get names.
// mesh: data=2,model=4
func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %arg1: tensor<8x16xf32> {mhlo.sharding = "{unknown}"}) -> tensor<8x16xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// -----
// A name with `=` stands in backquotes, and a called function keeps its names.
// mesh: x=2
// shard: `a=b`=x
// shard: @f:%0=x
func.func @main(%arg0: tensor<4xf32> loc("a=b")) -> tensor<4xf32> {
  %0 = func.call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// An argument of a region is named as the file prints it: here a carry of a loop, and what a computation with a name takes.
// mesh: x=2,y=2
// shard: %iterArg=x,_
// shard: %arg1=_,y
func.func @main(%arg0: tensor<8x4xf32>, %n: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %n) : tensor<8x4xf32>, tensor<i32>
  cond {
    %2 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.tanh %iterArg : tensor<8x4xf32>
    %3 = stablehlo.add %iterArg_0, %c : tensor<i32>
    stablehlo.return %2, %3 : tensor<8x4xf32>, tensor<i32>
  }
  %1 = sdy.named_computation<"inner">(%arg0) (%arg1: tensor<8x4xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8x4xf32>
    sdy.return %2 : tensor<8x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0#0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
