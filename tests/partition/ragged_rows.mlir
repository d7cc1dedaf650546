// The sizes of groups count rows of the whole matrix: where rows are split, a device takes them whole.
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %rows: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %matrices: tensor<2x2x3xi32>)
    -> (tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%rows, %matrices, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xi32>, tensor<2x2x3xi32>, tensor<2xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}
