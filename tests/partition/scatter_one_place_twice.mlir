// Two windows at the same known place: not one box of the operand, though every dimension has a window.
sdy.mesh @mesh = <["y"=2]>
func.func @main(%0: tensor<1x2xui8>, %1: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<2xui8> {
  %2 = stablehlo.constant dense<1> : tensor<2xi32>
  %3 = "stablehlo.scatter"(%1, %2, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%4: tensor<ui8>, %5: tensor<ui8>):
    %6 = stablehlo.add %4, %5 : tensor<ui8>
    stablehlo.return %6 : tensor<ui8>
  }) : (tensor<2xui8>, tensor<2xi32>, tensor<1x2xui8>) -> tensor<2xui8>
  return %3 : tensor<2xui8>
}
