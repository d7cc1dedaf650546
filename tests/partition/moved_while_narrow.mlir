// Values are moved in the narrower type, before they are widened and after they are narrowed.
// collectives: all_gather=2
// sent: 1024
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %narrow: tensor<16x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %wide: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        tensor<16x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %widened = stablehlo.convert %narrow {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x32xbf16>) -> tensor<16x32xf32>
  %all = sdy.sharding_constraint %wide <@mesh, [{}, {}]> : tensor<16x32xf32>
  %narrowed = stablehlo.convert %all : (tensor<16x32xf32>) -> tensor<16x32xbf16>
  return %widened, %narrowed : tensor<16x32xf32>, tensor<16x32xbf16>
}
