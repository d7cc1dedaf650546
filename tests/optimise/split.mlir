// A product that is summed over devices, in two parts: the first is on its way while the second is computed.
// pass: split
// before: all_reduce=1 sent=24576 held=40960
// after: all_reduce=2 sent=24576 held=40960
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
