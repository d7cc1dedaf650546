// What a transform makes of infinities depends on the order of its operations: it is the same on every engine.
// collectives:
sdy.mesh @mesh = <["x"=2]>
func.func @main(%0: tensor<2x20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<2x38xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %1 = stablehlo.constant dense<0x7F800000> : tensor<2x20xf32>
  %2 = stablehlo.complex %0, %1 : tensor<2x20xcomplex<f32>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [38] : (tensor<2x20xcomplex<f32>>) -> tensor<2x38xf32>
  return %3 : tensor<2x38xf32>
}
