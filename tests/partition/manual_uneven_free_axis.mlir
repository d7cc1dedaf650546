// The axis "y" is free and does not divide what a device has along "x": blocks of the region's values and of the whole ones start
// at different places. The manual axis divides its dimension.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(
    %a: tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%b: tensor<5x3xi32>) {
    %c = stablehlo.reverse %b, dims = [0] : tensor<5x3xi32>
    %d = stablehlo.add %b, %c : tensor<5x3xi32>
    sdy.return %d : tensor<5x3xi32>
  } : (tensor<10x3xi32>) -> tensor<10x3xi32>
  return %0 : tensor<10x3xi32>
}
