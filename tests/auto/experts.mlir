// Tokens are sent to experts, each with weights of its own, and back. The experts have the axis where they are, the groups of tokens elsewhere: nobody
// names that.
// auto: --mesh x=8 --margin 0
// auto: --mesh x=8 --tactic expert:x
func.func @main(%w: tensor<8x2048x8192xbf16> {tf.aliasing_output = 0 : i32}, %a: tensor<2048x2048xbf16> {tf.aliasing_output = 1 : i32}, %x: tensor<64x512x2048xbf16>, %send: tensor<64x512x8x128xbf16>) -> (tensor<8x2048x8192xbf16>, tensor<2048x2048xbf16>) {
  %y = stablehlo.dot_general %x, %a, contracting_dims = [2] x [0] : (tensor<64x512x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<64x512x2048xbf16>
  %d = stablehlo.dot_general %send, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<64x512x8x128xbf16>, tensor<64x512x2048xbf16>) -> tensor<64x8x128x2048xbf16>
  %e = stablehlo.dot_general %d, %w, batching_dims = [1] x [0], contracting_dims = [3] x [1] : (tensor<64x8x128x2048xbf16>, tensor<8x2048x8192xbf16>) -> tensor<8x64x128x8192xbf16>
  %t = stablehlo.tanh %e : tensor<8x64x128x8192xbf16>
  %gd = stablehlo.dot_general %t, %w, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<8x64x128x8192xbf16>, tensor<8x2048x8192xbf16>) -> tensor<8x64x128x2048xbf16>
  %gw = stablehlo.dot_general %d, %t, batching_dims = [1] x [0], contracting_dims = [0, 2] x [1, 2] : (tensor<64x8x128x2048xbf16>, tensor<8x64x128x8192xbf16>) -> tensor<8x2048x8192xbf16>
  %gy = stablehlo.dot_general %send, %gd, batching_dims = [0] x [1], contracting_dims = [2, 3] x [0, 2] : (tensor<64x512x8x128xbf16>, tensor<8x64x128x2048xbf16>) -> tensor<64x512x2048xbf16>
  %ga = stablehlo.dot_general %x, %gy, contracting_dims = [0, 1] x [0, 1] : (tensor<64x512x2048xbf16>, tensor<64x512x2048xbf16>) -> tensor<2048x2048xbf16>
  %nw = stablehlo.subtract %w, %gw : tensor<8x2048x8192xbf16>
  %na = stablehlo.subtract %a, %ga : tensor<2048x2048xbf16>
  return %nw, %na : tensor<8x2048x8192xbf16>, tensor<2048x2048xbf16>
}
