// Two meshes over the same devices, and one in place.
sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["p"=4, "q"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {?}]>},
                %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{?}, {"q"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=8]>, [{?}, {?}], replicated={"z":(4)2}>}) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
