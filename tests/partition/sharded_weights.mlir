// Weights that lie in shards on the devices that split the batch, as ZeRO and FSDP have it: each is gathered once, and its gradient goes back by a
// reduce-scatter. The gathered second weight serves forward and backward.
// collectives: all_gather=2 reduce_scatter=2
sdy.mesh @mesh = <["data"=4]>
func.func @main(
    %x: tensor<512x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w1: tensor<16x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w2: tensor<32x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<32x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<512x32xi32>
  %a = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<512x16xi32>, tensor<16x32xi32>) -> tensor<512x32xi32>
  %h = stablehlo.maximum %a, %zero : tensor<512x32xi32>
  %y = stablehlo.dot_general %h, %w2, contracting_dims = [1] x [0] : (tensor<512x32xi32>, tensor<32x16xi32>) -> tensor<512x16xi32>
  %dy = stablehlo.multiply %y, %y : tensor<512x16xi32>
  %dw2 = stablehlo.dot_general %h, %dy, contracting_dims = [0] x [0] : (tensor<512x32xi32>, tensor<512x16xi32>) -> tensor<32x16xi32>
  %dh = stablehlo.dot_general %dy, %w2, contracting_dims = [1] x [1] : (tensor<512x16xi32>, tensor<32x16xi32>) -> tensor<512x32xi32>
  %on = stablehlo.compare GT, %a, %zero : (tensor<512x32xi32>, tensor<512x32xi32>) -> tensor<512x32xi1>
  %da = stablehlo.select %on, %dh, %zero : tensor<512x32xi1>, tensor<512x32xi32>
  %dw1 = stablehlo.dot_general %x, %da, contracting_dims = [0] x [0] : (tensor<512x16xi32>, tensor<512x32xi32>) -> tensor<16x32xi32>
  %new1 = stablehlo.subtract %w1, %dw1 : tensor<16x32xi32>
  %new2 = stablehlo.subtract %w2, %dw2 : tensor<32x16xi32>
  return %new1, %new2 : tensor<16x32xi32>, tensor<32x16xi32>
}
