// Two tensors are written at once, in windows along two split dimensions.
// collectives:
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %a: tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b: tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %indices: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
    %c: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %d: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0:2 = "stablehlo.scatter"(%a, %b, %indices, %c, %d) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>,
    indices_are_sorted = false, unique_indices = false}> ({
    ^bb0(%old_a: tensor<i32>, %old_b: tensor<i32>, %new_a: tensor<i32>, %new_b: tensor<i32>):
      %sum = stablehlo.add %old_b, %new_a : tensor<i32>
      stablehlo.return %new_b, %sum : tensor<i32>, tensor<i32>
  }) : (tensor<5x6xi32>, tensor<5x6xi32>, tensor<2xi32>, tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<5x6xi32>, tensor<5x6xi32>)
  return %0#0, %0#1 : tensor<5x6xi32>, tensor<5x6xi32>
}
