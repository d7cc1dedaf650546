// One gradient of each round, wider than it was computed, written to its place in a stack: combined in its round, while it is
// narrow, not once more with the whole stack after the loop.
// collectives: all_reduce=1
sdy.mesh @mesh = <["data"=4]>
func.func @main(
    %x: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<32x4x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<32> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<32x4x4xf64>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %stack = %zeros) : tensor<i32>, tensor<64x4xf32>, tensor<32x4x4xf64>
    cond {
      %more = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %gradient = stablehlo.dot_general %h, %h, contracting_dims = [0] x [0] : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
      %wide = stablehlo.convert %gradient : (tensor<4x4xf32>) -> tensor<4x4xf64>
      %row = stablehlo.broadcast_in_dim %wide, dims = [1, 2] : (tensor<4x4xf64>) -> tensor<1x4x4xf64>
      %written = stablehlo.dynamic_update_slice %stack, %row, %i, %zero, %zero : (tensor<32x4x4xf64>, tensor<1x4x4xf64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x4x4xf64>
      %back = stablehlo.negate %h : tensor<64x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %back, %written : tensor<i32>, tensor<64x4xf32>, tensor<32x4x4xf64>
    }
  %squares = stablehlo.multiply %0#2, %0#2 : tensor<32x4x4xf64>
  return %squares : tensor<32x4x4xf64>
}
