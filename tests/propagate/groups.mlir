// Members of a `shard_as` group have one sharding: that of the first that is annotated.
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {mhlo.sharding = "{unknown shard_as 1}"} : tensor<8xf32>
  %1 = stablehlo.tanh %arg1 {mhlo.sharding = "{unknown shard_as 1}"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// Members of a `shard_like` group take each other's shardings where they have none.
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {mhlo.sharding = "{unknown shard_like 1}"} : tensor<8xf32>
  %1 = stablehlo.tanh %arg1 {mhlo.sharding = "{unknown shard_like 1}"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// They may differ: each keeps what the program asks of it.
// notation: mhlo
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate shard_like 1}"} : tensor<8xf32>
  %1 = stablehlo.tanh %arg1 {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate shard_like 1}"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
