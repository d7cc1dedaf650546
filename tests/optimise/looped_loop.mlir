// Around a ring of many devices it is a loop; the columns of the result come shard by shard.
// pass: looped-einsum
// before: all_gather=1 sent=18432 held=40960
// after: collective_permute=3 sent=18432 held=37904
sdy.mesh @mesh = <["x"=10]>
func.func @main(
    %x: tensor<320x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<64x80xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<320x80xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<320x64xf32>, tensor<64x80xf32>) -> tensor<320x80xf32>
  return %0 : tensor<320x80xf32>
}
