// Running sums, products and extremes along a split dimension: each device runs along its shard and gets one total of each of the
// others. From either end, in uneven shards, and in more shards than there are elements.
// collectives: all_gather=4
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %a: tensor<3x45xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %b: tensor<77x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %c: tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<3x45xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
        tensor<3x45xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
        tensor<77x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
        tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nothing = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sums = "stablehlo.reduce_window"(%a, %zero) <{
    window_dimensions = array<i64: 1, 45>, padding = dense<[[0, 0], [44, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %0 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) : (tensor<3x45xi32>, tensor<i32>) -> tensor<3x45xi32>
  %products = "stablehlo.reduce_window"(%a, %one) <{
    window_dimensions = array<i64: 1, 45>, padding = dense<[[0, 0], [0, 44]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %0 = stablehlo.multiply %x, %y : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) : (tensor<3x45xi32>, tensor<i32>) -> tensor<3x45xi32>
  %largest = "stablehlo.reduce_window"(%b, %lowest) <{
    window_dimensions = array<i64: 77, 1>, padding = dense<[[0, 76], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<77x2xf32>, tensor<f32>) -> tensor<77x2xf32>
  %bits = "stablehlo.reduce_window"(%c, %nothing) <{
    window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %0 = stablehlo.xor %x, %y : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %sums, %products, %largest, %bits : tensor<3x45xi32>, tensor<3x45xi32>, tensor<77x2xf32>, tensor<3xi32>
}
