// The gradient of pooling where windows overlap: a device reads rows of its neighbour and adds to those rows of it. Shards do not line up with
// windows: of three devices one needs one row, one two and one three. One row goes to all, the others to the two that need more.
// collectives: collective_permute=4
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %image: tensor<17x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %gradient: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<17x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%image, %gradient, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}
    : (tensor<17x3xi32>, tensor<8x3xi32>, tensor<i32>) -> tensor<17x3xi32>
  return %0 : tensor<17x3xi32>
}
