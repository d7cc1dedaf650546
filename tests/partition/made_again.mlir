// Values that every device can make are made where they are wanted, not moved: a sum of whole values, a broadcast of one, and what is
// done with them.
// collectives:
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
        tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
        tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %sum = stablehlo.add %a, %b : tensor<8xf32>
  %split = sdy.sharding_constraint %sum <@mesh, [{"x"}]> : tensor<8xf32>
  %rows = stablehlo.broadcast_in_dim %sum, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %double = stablehlo.add %rows, %rows {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<4x8xf32>
  %turned = stablehlo.transpose %double, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %placed = sdy.sharding_constraint %turned <@mesh, [{"x"}, {"y"}]> : tensor<8x4xf32>
  return %split, %sum, %double, %placed : tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<8x4xf32>
}
