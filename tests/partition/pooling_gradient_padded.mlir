// Windows that reach beyond the start, of which some hold the same number twice, and a result that starts from a number of its own.
// collectives: collective_permute=2
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %image: tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %gradient: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %start = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%image, %gradient, %start) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}
    : (tensor<16x3xi32>, tensor<8x3xi32>, tensor<i32>) -> tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
