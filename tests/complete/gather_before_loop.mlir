// Every round of the loop uses all weights: they are gathered once, before it, and what is cut out of them stays replicated.
sdy.mesh @mesh = <["d"=4]>
func.func @main(
    %x: tensor<64x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
    %w: tensor<2x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}, {}]>})
    -> (tensor<64x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<64x16xbf16>
  cond {
    %many = stablehlo.constant dense<64> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %layer = stablehlo.remainder %i, %two : tensor<i32>
    %1 = stablehlo.dynamic_slice %w, %layer, %none, %none, sizes = [1, 16, 16] : (tensor<2x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
    %3 = stablehlo.convert %2 : (tensor<16x16xf32>) -> tensor<16x16xbf16>
    %4 = stablehlo.dot_general %h, %3, contracting_dims = [1] x [0] : (tensor<64x16xbf16>, tensor<16x16xbf16>) -> tensor<64x16xbf16>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<64x16xbf16>
  }
  return %0#1 : tensor<64x16xbf16>
}
