// Tiles in, tiles out: transposed devices, copies in a group, one device, an open dimension, a group and a barrier.
// notation: mhlo
func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
                %arg1: tensor<16x32xf32> {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
                %arg2: tensor<4xf32> {mhlo.sharding = "{maximal device=3}"})
    -> (tensor<8x32xf32>, tensor<4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = stablehlo.tanh %1 : tensor<8x32xf32>
  %3 = stablehlo.custom_call @ShardBarrierFrom(%2) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %3, %arg2 : tensor<8x32xf32>, tensor<4xf32>
}
// -----
// An explicit order of devices is the order of the mesh.
func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,2]0,1,3,2}"}) -> tensor<8x16xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// -----
// Axes with names of their own, and a partial sum.
func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {?}], unreduced={'y'}}"}) -> tensor<8x16xf32> {
  return %arg0 : tensor<8x16xf32>
}
