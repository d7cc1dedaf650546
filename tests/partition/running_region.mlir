// What runs along a split dimension is folded by a region of its own, from the last element on: every shard folds its part, and then, by
// the same region, the totals of the shards behind it.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<3x30xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3x30xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %most = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %most) <{
    padding = dense<[[0, 0], [0, 29]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 30>}> ({
    ^bb0(%b: tensor<i32>, %c: tensor<i32>):
      %more = stablehlo.compare GE, %b, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %larger = stablehlo.select %more, %b, %c : tensor<i1>, tensor<i32>
      stablehlo.return %larger : tensor<i32>
  }) : (tensor<3x30xi32>, tensor<i32>) -> tensor<3x30xi32>
  return %0 : tensor<3x30xi32>
}
