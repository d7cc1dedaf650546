// Four devices have one and a half of six heads each, and come to have two: the next shard gives half a head, one head, or all of its one and a
// half. One permute sends half of the most to all three, another the other half to the two that take more.
// collectives: all_reduce=1 collective_permute=2
// sent: 14976
sdy.mesh @mesh = <["tp"=4]>
func.func @main(%arg0: tensor<3x3072xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tp"}]>}) -> tensor<3x512xf32> {
  %heads = stablehlo.reshape %arg0 : (tensor<3x3072xf32>) -> tensor<3x6x512xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %sum = stablehlo.reduce(%heads init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x6x512xf32>, tensor<f32>) -> tensor<3x512xf32>
  return %sum : tensor<3x512xf32>
}
