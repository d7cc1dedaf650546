// Plain FSDP: every weight and the batch over one axis. At the lookup the width of the table competes with the batch of the tokens, and the
// larger tensor wins by propagation: the residual stream is split by width, and reduced in every product. By cost the batch wins, and weights
// are gathered.
sdy.mesh @mesh = <["fsdp"=8]>
func.func @main(
    %arg0: tensor<64x128xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>},
    %arg1: tensor<4096x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"fsdp"}]>},
    %arg2: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>},
    %arg3: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"fsdp"}]>})
    -> tensor<64x128x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x128xi32>) -> tensor<64x128x1xi32>
  %1 = "stablehlo.gather"(%arg1, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 256>}> : (tensor<4096x256xf32>, tensor<64x128x1xi32>) -> tensor<64x128x256xf32>
  %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [2] x [0] : (tensor<64x128x256xf32>, tensor<256x256xf32>) -> tensor<64x128x256xf32>
  %3 = stablehlo.tanh %2 : tensor<64x128x256xf32>
  %4 = stablehlo.dot_general %3, %arg3, contracting_dims = [2] x [0] : (tensor<64x128x256xf32>, tensor<256x256xf32>) -> tensor<64x128x256xf32>
  %5 = stablehlo.add %1, %4 : tensor<64x128x256xf32>
  return %5 : tensor<64x128x256xf32>
}
