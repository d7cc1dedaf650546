// A product of which each device keeps a part of the sum: the parts are computed one after the other, and added to what comes by.
// pass: looped-einsum
// before: reduce_scatter=1 sent=6144 held=22528
// after: collective_permute=6 sent=6144 held=21508
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
