// A weight is gathered before the loop that uses it, in the narrow type that each iteration converts its slice to.
// pass: narrow
// before: all_gather=1 sent=192 held=452
// after: all_gather=1 sent=96 held=276
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<8x4xbf16>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %whole = sdy.sharding_constraint %w <@mesh, [{}, {}, {}]> : tensor<4x4x4xf32>
    %1 = stablehlo.dynamic_slice %whole, %i, %none, %none, sizes = [1, 4, 4] : (tensor<4x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.convert %2 : (tensor<4x4xf32>) -> tensor<4x4xbf16>
    %4 = stablehlo.dot_general %h, %3, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x4xbf16>) -> tensor<8x4xbf16>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<8x4xbf16>
  }
  return %0#1 : tensor<8x4xbf16>
}
