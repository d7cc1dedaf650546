// Weights that are gathered along the dimension that is contracted: the product of each shard is added, while the next two come from both sides.
// pass: looped-einsum
// before: all_gather=1 sent=3072 held=9216
// after: collective_permute=3 sent=3072 held=11272
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
