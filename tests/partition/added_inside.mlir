// Rows added at a place that is known, as a scatter of one window.
// collectives: collective_permute=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %rows: tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %new: tensor<14x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%rows, %one, %new) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<16x3xi32>, tensor<1xi32>, tensor<14x3xi32>) -> tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
