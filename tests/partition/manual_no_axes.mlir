// A region with no manual axes is ordinary code between two annotations.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %a: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %w: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={} (%b: tensor<4x6xi32>, %c: tensor<6x4xi32>) {
    %d = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<4x6xi32>, tensor<6x4xi32>) -> tensor<4x4xi32>
    sdy.return %d : tensor<4x4xi32>
  } : (tensor<4x6xi32>, tensor<6x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
