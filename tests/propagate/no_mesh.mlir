// A program that says nothing of devices is for one.
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// Or for as many as the module counts.
module attributes {mhlo.num_partitions = 6 : i32} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// -----
// Tiles that split nothing leave the mesh to the user.
// mesh: data=2,model=4
// shard: arg1=model
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// Two explicit orders of the devices, each of which counts one digit of the number backwards.
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]1,3,0,2 last_tile_dim_replicate}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]2,3,0,1 last_tile_dim_replicate}"}) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
