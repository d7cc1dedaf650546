// Devices in an order of their own.
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[2, 0, 3, 1]>
func.func @main(
    %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.iota dim = 1 : tensor<4x6xf32>
  %1 = stablehlo.add %a, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
