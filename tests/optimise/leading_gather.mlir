// What is gathered along an inner dimension comes as whole shards, and its rows are put together afterwards.
// pass: leading
// before: all_gather=1 sent=1152 held=2304
// after: all_gather=1 sent=1152 held=3456
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>})
    -> (tensor<8x3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.negate %x : tensor<8x3x16xf32>
  return %0 : tensor<8x3x16xf32>
}
