// Weights and activations split along both axes: weights are gathered over "x", the activation over "y" on the way in and scattered over "y"
// on the way out.
// collectives: all_gather=3 reduce_scatter=1
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(
    %a: tensor<256x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %w1: tensor<32x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %w2: tensor<128x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<256x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<256x128xi32>
  %0 = stablehlo.dot_general %a, %w1, contracting_dims = [1] x [0] : (tensor<256x32xi32>, tensor<32x128xi32>) -> tensor<256x128xi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y"}]> : tensor<256x128xi32>
  %2 = stablehlo.maximum %1, %zero : tensor<256x128xi32>
  %3 = stablehlo.dot_general %2, %w2, contracting_dims = [1] x [0] : (tensor<256x128xi32>, tensor<128x32xi32>) -> tensor<256x32xi32>
  return %3 : tensor<256x32xi32>
}
