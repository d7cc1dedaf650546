// error: dimension 1 of `%arg0` is split over the axis "z", which the mesh does not have (the axes are "x", "y")
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}) { return }
// -----
// error: dimension 1 of `%arg0` has the axis "x", some or all of which dimension 0 has already (use each axis, and each part of one, once)
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"x"}]>}) { return }
// -----
// error: dimension 1 of `%arg0` has the part "y":(2)4, some or all of which dimension 0 has already (use each axis, and each part of one, once)
sdy.mesh @m = <["x"=2, "y"=8]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)4}, {"y":(2)4}]>}) { return }
// -----
// error: dimension 0 of `%0` is split over a part of the axis "x" that overlaps another: the axis is cut at 2 and at 3 (take parts of which one divides the other)
sdy.mesh @m = <["x"=6]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}]>}) {
  %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x":(1)3}]>]>} : tensor<8xf32>
  return
}
// -----
// error: dimension 0 of `%arg0` cannot be: the axis "x" of size 4 has no part (4)4 (cut the axis where its factors are)
// mesh: x=4
// shard: arg0=x:(4)4
func.func @main(%arg0: tensor<8xf32>) { return }
// -----
// error: the mesh `@m` cannot be: the device ids are not a permutation of 0, 1, … (list each device once, from 0 on)
sdy.mesh @m = <["x"=4], device_ids=[0, 1, 2, 2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
// -----
// error: the mesh `@m` cannot be: the axis "x" is named twice (give each axis a name of its own)
sdy.mesh @m = <["x"=4, "x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
// -----
// error: the mesh `@m` cannot be: 3 device ids for a mesh of 4 devices (list each of the devices 0 to 3 once)
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
// error: `%arg0` in `--shard arg0=_,x` contradicts the annotation it has already (leave the option out, or take the annotation out of the program)
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
// -----
// error: `unspecified_dims` names the dimension 3 of `%0`, which has 1 (name dimensions of the tensor)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[3]", mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// error: the sharding `{devices=[2]0,0}` cannot be written over one mesh with the others: its devices stand in an order that no mesh of the others has (number the devices of all shardings alike, as axes of one mesh)
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,0}"}) { return }
// -----
// error: `%arg1` in `--shard %arg1=x` is an argument of a manual region, whose shardings are its own (name the value that the region takes)
// shard: %arg1=x
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
