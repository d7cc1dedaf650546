// A sharding of a value is a constraint behind it: it holds though the neighbours are split in another way.
// mesh: x=2
// shard: arg0=x,_
// shard: %0=_,x
// shard: result0=x,_
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// So is one that leaves a dimension open: the value itself may be split otherwise, what its uses read may not.
// mesh: x=2,y=2
// shard: arg0=x,_
// shard: %0=?,x
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// In the body of a loop, for a value and for a carry, which the condition reads as well.
// mesh: x=2,y=2
// shard: arg0=x,_
// shard: %iterArg=_,y
// shard: %1=y,_
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<8x4xf32>
  cond {
    %3 = stablehlo.reduce(%iterArg init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.compare LT, %3, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %1 = stablehlo.tanh %iterArg : tensor<8x4xf32>
    %2 = stablehlo.negate %1 : tensor<8x4xf32>
    stablehlo.return %2 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
// -----
// The result of a loop, one of several: uses in nested regions read the constrained value too. The condition of the second loop does not read its carry.
// mesh: x=2
// shard: %0#1=x
// shard: %iterArg_3=x
func.func @main(%arg0: tensor<i1>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i1>, tensor<8xf32>
  cond {
    stablehlo.return %iterArg : tensor<i1>
  } do {
    %3 = stablehlo.tanh %iterArg_0 : tensor<8xf32>
    stablehlo.return %iterArg, %3 : tensor<i1>, tensor<8xf32>
  }
  %1 = "stablehlo.if"(%0#0) ({
    stablehlo.return %0#1 : tensor<8xf32>
  }, {
    %3 = stablehlo.negate %0#1 : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %2:2 = stablehlo.while(%iterArg_2 = %arg0, %iterArg_3 = %arg1) : tensor<i1>, tensor<8xf32>
  cond {
    stablehlo.return %iterArg_2 : tensor<i1>
  } do {
    %3 = stablehlo.tanh %iterArg_3 : tensor<8xf32>
    stablehlo.return %iterArg_2, %3 : tensor<i1>, tensor<8xf32>
  }
  return %1, %2#1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// A constant, whose uses would have a sharding each.
// mesh: x=2
// shard: arg0=x,_
// shard: %cst=_,x
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x8xf32>
  %0 = stablehlo.add %arg0, %cst : tensor<8x8xf32>
  %1 = stablehlo.tanh %cst : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Each copy of a function that is called twice, and each value that a pattern matches.
// mesh: x=2
// shard: @f:%0=x
// shard: %1*=x
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %10 = stablehlo.negate %0 : tensor<4xf32>
  %11 = stablehlo.tanh %10 : tensor<4xf32>
  %2 = func.call @f(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
  return %11, %2 : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// A constraint that the program has already is made narrower; the last of two options that agree counts.
// mesh: y=2
// shard: %0=x,y
// shard: %1=?,y
// shard: %1=x,y
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// In a manual region, along an axis that is not manual.
// mesh: x=2
// shard: %1=_,y
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<4x8xf32>
    %2 = stablehlo.negate %1 : tensor<4x8xf32>
    sdy.return %2 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
// error: `%1` in `--shard %1=x,_` is inside a manual region over the axis "x", where tensors are shards along it already (leave "x" out, or name a value that the region takes or returns)
// shard: %1=x,_
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
// error: `%3` in `--shard %3=` is inside the region of `stablehlo.reduce`, which runs on single elements or replicated values: a sharding has no effect there (name an operand or a result of the `stablehlo.reduce`)
// mesh: x=2
// shard: %3=
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%1: tensor<f32>, %2: tensor<f32>) {
    %3 = stablehlo.add %1, %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// -----
// error: `%1` in `--shard %1=x` is inside the region of `stablehlo.reduce`
// mesh: x=2
// shard: %1=x
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%1: tensor<f32>, %2: tensor<f32>) {
    %3 = stablehlo.add %1, %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// -----
// error: `%7` in `--shard %7=x` matches no tensor
// mesh: x=2
// shard: %7=x
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// error: `@f:%0` in `--shard @f:%0=x,_` has 1 dimensions, but 2 entries are given
// mesh: x=2
// shard: @f:%0=x,_
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// error: `%0` in `--shard %0=_` contradicts the annotation it has already
// mesh: x=2
// shard: %0=x
// shard: %0=_
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// error: in `--shard %0=z`: dimension 0 of `%0` is split over the axis "z", which the mesh does not have
// mesh: x=2
// shard: %0=z
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// What a manual region of calls returns, under the name that the called function gives it.
// shard: @g:%3=_
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  %4 = stablehlo.negate %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
