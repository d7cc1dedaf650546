// A layer of two blocks, each with columns and then rows of weights on the devices of "model", forward and backward: one sum over "model"
// for each block in each direction, and one over "data" for the gradient of each weight.
// collectives: all_reduce=8
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
    %x: tensor<64x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w1: tensor<32x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %w2: tensor<128x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
    %w3: tensor<32x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %w4: tensor<128x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<64x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<32x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
        tensor<128x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
        tensor<32x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
        tensor<128x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<64x128xi32>
  // Forward.
  %a1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<64x32xi32>, tensor<32x128xi32>) -> tensor<64x128xi32>
  %h1 = stablehlo.maximum %a1, %zero : tensor<64x128xi32>
  %y1 = stablehlo.dot_general %h1, %w2, contracting_dims = [1] x [0] : (tensor<64x128xi32>, tensor<128x32xi32>) -> tensor<64x32xi32>
  %x2 = stablehlo.add %x, %y1 : tensor<64x32xi32>
  %a2 = stablehlo.dot_general %x2, %w3, contracting_dims = [1] x [0] : (tensor<64x32xi32>, tensor<32x128xi32>) -> tensor<64x128xi32>
  %h2 = stablehlo.maximum %a2, %zero : tensor<64x128xi32>
  %y2 = stablehlo.dot_general %h2, %w4, contracting_dims = [1] x [0] : (tensor<64x128xi32>, tensor<128x32xi32>) -> tensor<64x32xi32>
  %sum = stablehlo.add %x2, %y2 : tensor<64x32xi32>
  // A loss that is not linear.
  %dy = stablehlo.multiply %sum, %sum : tensor<64x32xi32>
  // Backward.
  %dw4 = stablehlo.dot_general %h2, %dy, contracting_dims = [0] x [0] : (tensor<64x128xi32>, tensor<64x32xi32>) -> tensor<128x32xi32>
  %dh2 = stablehlo.dot_general %dy, %w4, contracting_dims = [1] x [1] : (tensor<64x32xi32>, tensor<128x32xi32>) -> tensor<64x128xi32>
  %on2 = stablehlo.compare GT, %a2, %zero : (tensor<64x128xi32>, tensor<64x128xi32>) -> tensor<64x128xi1>
  %da2 = stablehlo.select %on2, %dh2, %zero : tensor<64x128xi1>, tensor<64x128xi32>
  %dw3 = stablehlo.dot_general %x2, %da2, contracting_dims = [0] x [0] : (tensor<64x32xi32>, tensor<64x128xi32>) -> tensor<32x128xi32>
  %dx2 = stablehlo.dot_general %da2, %w3, contracting_dims = [1] x [1] : (tensor<64x128xi32>, tensor<32x128xi32>) -> tensor<64x32xi32>
  %dy1 = stablehlo.add %dy, %dx2 : tensor<64x32xi32>
  %dw2 = stablehlo.dot_general %h1, %dy1, contracting_dims = [0] x [0] : (tensor<64x128xi32>, tensor<64x32xi32>) -> tensor<128x32xi32>
  %dh1 = stablehlo.dot_general %dy1, %w2, contracting_dims = [1] x [1] : (tensor<64x32xi32>, tensor<128x32xi32>) -> tensor<64x128xi32>
  %on1 = stablehlo.compare GT, %a1, %zero : (tensor<64x128xi32>, tensor<64x128xi32>) -> tensor<64x128xi1>
  %da1 = stablehlo.select %on1, %dh1, %zero : tensor<64x128xi1>, tensor<64x128xi32>
  %dw1 = stablehlo.dot_general %x, %da1, contracting_dims = [0] x [0] : (tensor<64x32xi32>, tensor<64x128xi32>) -> tensor<32x128xi32>
  %dx1 = stablehlo.dot_general %da1, %w1, contracting_dims = [1] x [1] : (tensor<64x128xi32>, tensor<32x128xi32>) -> tensor<64x32xi32>
  %dx = stablehlo.add %dy1, %dx1 : tensor<64x32xi32>
  return %dx, %dw1, %dw2, %dw3, %dw4 : tensor<64x32xi32>, tensor<32x128xi32>, tensor<128x32xi32>, tensor<32x128xi32>, tensor<128x32xi32>
}
