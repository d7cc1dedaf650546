// Floats of few bits hold a shard's own indices exactly, but not where it starts: indices are added up as integers.
// collectives:
sdy.mesh @mesh = <["x"=6]>
func.func @main(%0: tensor<3000xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<3000xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3000xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3000xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %1 = stablehlo.iota dim = 0 : tensor<3000xbf16>
  %2 = stablehlo.iota dim = 0 : tensor<3000xf16>
  %3 = stablehlo.maximum %2, %0 : tensor<3000xf16>
  %4 = stablehlo.iota dim = 0 : tensor<3000xcomplex<f32>>
  return %1, %3, %4 : tensor<3000xbf16>, tensor<3000xf16>, tensor<3000xcomplex<f32>>
}
