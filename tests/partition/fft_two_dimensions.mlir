// A transform along two dimensions of which one is split, there and back: each is done one dimension after the other, and between them
// what splits the one splits the other.
// collectives: all_to_all=2
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.fft %a, type = RFFT, length = [16, 16] : (tensor<16x16xf32>) -> tensor<16x9xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [16, 16] : (tensor<16x9xcomplex<f32>>) -> tensor<16x16xf32>
  // Back at the multiples of an eighth that went in.
  %eight = stablehlo.constant dense<8.0> : tensor<16x16xf32>
  %2 = stablehlo.multiply %1, %eight : tensor<16x16xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<16x16xf32>
  %4 = stablehlo.convert %3 : (tensor<16x16xf32>) -> tensor<16x16xi32>
  return %4 : tensor<16x16xi32>
}
