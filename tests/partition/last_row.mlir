// The last row of a split tensor, used by all devices: it is theirs at once, however its one index could be split.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %rows: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %other: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
    -> (tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.slice %rows [3:4, 0:6] : (tensor<4x6xi32>) -> tensor<1x6xi32>
  %1 = stablehlo.reshape %0 : (tensor<1x6xi32>) -> tensor<6xi32>
  %2 = stablehlo.multiply %1, %other : tensor<6xi32>
  return %2 : tensor<6xi32>
}
