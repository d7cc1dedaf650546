// What is gathered is used by two products, one of which waits for the other: its shards go around twice, and it is never there as a whole.
// pass: looped-einsum
// before: all_gather=1 sent=49152 held=671744
// after: collective_permute=6 sent=98304 held=901128
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<256x256xf32>
  %2 = stablehlo.tanh %1 : tensor<256x256xf32>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [0] x [0] : (tensor<256x64xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  return %3 : tensor<64x256xf32>
}
