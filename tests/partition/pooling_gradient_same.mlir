// Pooling with padding and its gradient, as frameworks write it: padded explicitly, and cut down again. The row that windows reach of the
// neighbour is fetched once, and one row is handed back; the 17 rows between are never put into blocks.
// collectives: collective_permute=2
sdy.mesh @mesh = <["x"=4]>
func.func @main(%image: tensor<16x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %pooled = "stablehlo.reduce_window"(%image, %least) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>}
    : (tensor<16x6xi32>, tensor<i32>) -> tensor<8x3xi32>
  %padded = stablehlo.pad %image, %least, low = [0, 0], high = [1, 1], interior = [0, 0] : (tensor<16x6xi32>, tensor<i32>) -> tensor<17x7xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %scattered = "stablehlo.select_and_scatter"(%padded, %pooled, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>}
    : (tensor<17x7xi32>, tensor<8x3xi32>, tensor<i32>) -> tensor<17x7xi32>
  %cut = stablehlo.slice %scattered [0:16, 0:6] : (tensor<17x7xi32>) -> tensor<16x6xi32>
  return %cut : tensor<16x6xi32>
}
