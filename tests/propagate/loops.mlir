// A carry that never changes: XLA makes it a value from outside, so the loop has no list of shardings. What a carry starts from
// lies as the carry does.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%a = %arg0, %i = %arg2, %b = %arg1) : tensor<8x4xf32>, tensor<i32>, tensor<8x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %a, %b : tensor<8x4xf32>
    %2 = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %1, %2, %b : tensor<8x4xf32>, tensor<i32>, tensor<8x4xf32>
  }
  return %0#0 : tensor<8x4xf32>
}
// -----
// Where it does not, a constraint stands between: here the argument is said to lie whole.
// notation: mhlo
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<i32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%a = %arg0, %i = %arg1) : tensor<8x4xf32>, tensor<i32>
    attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, []>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.tanh %a : tensor<8x4xf32>
    %2 = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %1, %2 : tensor<8x4xf32>, tensor<i32>
  }
  return %0#0 : tensor<8x4xf32>
}
