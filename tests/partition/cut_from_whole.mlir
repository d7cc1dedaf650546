// Windows over a tensor that every device has: each device cuts out what its windows reach, and nothing is sent.
// collectives:
sdy.mesh @mesh = <["x"=4]>
func.func @main(%image: tensor<13x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<6x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%image, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}
    : (tensor<13x6xi32>, tensor<i32>) -> tensor<6x6xi32>
  return %0 : tensor<6x6xi32>
}
