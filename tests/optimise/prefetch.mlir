// A stack of layers, each split, and gathered as a loop needs it: the next layer is gathered in the round before.
// pass: prefetch
// before: all_gather=1 sent=576 held=644
// after: all_gather=2 sent=768 held=900
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<8x8xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dynamic_slice %w, %i, %none, %none, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.dot_general %h, %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
