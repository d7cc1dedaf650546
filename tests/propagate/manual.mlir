// A manual region that is written as calls, over all axes, as JAX lowers `shard_map` without Shardy.
func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x16xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<16xf32>) -> tensor<16xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<16xf32>) -> tensor<4xf32>
  %4 = func.call @body(%1, %3) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x4xf32>) -> tensor<8x16xf32>
  %7 = stablehlo.negate %6 : tensor<8x16xf32>
  return %7 : tensor<8x16xf32>
}
func.func private @body(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) -> tensor<4x4xf32> {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x4xf32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.multiply %arg0, %cst : tensor<4x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
// -----
// Only one axis is manual; the other is left to propagation.
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.tanh %1 : tensor<4x16xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
// -----
// The same regions, and back as calls.
// notation: mhlo
func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x16xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @Sharding(%arg1) {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<16xf32>) -> tensor<16xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<16xf32>) -> tensor<4xf32>
  %4 = func.call @body(%1, %3) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x4xf32>) -> tensor<8x16xf32>
  %7 = stablehlo.negate %6 : tensor<8x16xf32>
  return %7 : tensor<8x16xf32>
}
func.func private @body(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) -> tensor<4x4xf32> {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<4x4xf32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.multiply %arg0, %cst : tensor<4x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
// -----
// notation: mhlo
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.tanh %1 : tensor<4x16xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
