// error: dimension 1 of `%arg0` is split over the axis "z", which the mesh does not have (the axes are "x", "y")
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) { return }
// -----
// error: the axis "x" is used twice in the sharding of `%arg0` (an axis can split one dimension only)
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"x"}]>}) { return }
// -----
// error: the axis "y" is used twice in the sharding of `%arg0`
sdy.mesh @m = <["x"=2, "y"=8]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)4}, {"y":(2)4}]>}) { return }
// -----
// error: 3 device ids for a mesh of 4 devices
sdy.mesh @m = <["x"=4], device_ids=[0, 1, 2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
// -----
// error: `%arg0` has 2 dimensions, but its sharding has 1 (give the sharding one entry per dimension)
sdy.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
// -----
// error: `%arg0` has 1 dimensions, but its sharding has 2
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) { return }
// -----
// error: `w*` in `--shard w*=_,model` matches no tensor (tensors are `arg0`
// mesh: model=4
// shard: w*=_,model
func.func @main(%arg0: tensor<8x8xf32>) { return }
// -----
// error: in `--shard arg0=_,modle`: dimension 1 of `%arg0` is split over the axis "modle", which the mesh does not have (the axes are "model")
// mesh: model=4
// shard: arg0=_,modle
func.func @main(%arg0: tensor<8x8xf32>) { return }
// -----
// error: `%arg0` in `--shard arg0=model` has 2 dimensions, but 1 entries are given
// mesh: model=4
// shard: arg0=model
func.func @main(%arg0: tensor<8x8xf32>) { return }
// -----
// error: `%arg0` in `--shard arg0=_,x` contradicts its annotation in the program
// shard: arg0=_,x
sdy.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) { return }
// -----
// error: the mesh of the file has no axis "z" (its axes are "x")
// mesh: z=4
sdy.mesh @m = <["x"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) { return }
// -----
// error: the tiles of the file are over axes of the sizes 2, 4, not 4, 2 (name axes of the sizes 2, 4, in this order)
// mesh: a=4,b=2
func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) { return }
// -----
// error: the program names no mesh (give one: `--mesh data=2,model=4`)
// shard: arg0=data,_
func.func @main(%arg0: tensor<8x8xf32>) { return }
// -----
// error: `mhlo.sharding` is not a sharding: the grid has 8 tiles, but 3 devices are listed
func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]0,1,2}"}) { return }
// -----
// error: the sharding `{devices=[3,2]<=[6]}` cannot be written over one mesh with the others: its factors do not divide
func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}, %arg1: tensor<8x8xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}) { return }
// -----
// error: `%arg0` enters a manual region, but no sharding says how it is split (annotate it with `@Sharding`)
// mesh: x=2
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// error: the manual region uses `%arg1`, which is made outside of it
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<4xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %arg1 : tensor<4xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
