// What is read for the last time may be written over, but not before everything has read it: here a sum reads what takes the place of its operand.
func.func @sum_of_what_is_doubled() {
  %l = stablehlo.iota dim = 0 : tensor<64x1xf32>
  %r = stablehlo.constant dense<1.0> : tensor<1x16xf32>
  %x = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<64x1xf32>, tensor<1x16xf32>) -> tensor<64x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %doubled = stablehlo.add %x, %x : tensor<64x16xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x16xf32>, tensor<f32>) -> tensor<16xf32>
  %last = stablehlo.slice %doubled [63:64, 15:16] : (tensor<64x16xf32>) -> tensor<1x1xf32>
  check.expect_eq_const %last, dense<126.0> : tensor<1x1xf32>
  check.expect_eq_const %sum, dense<2016.0> : tensor<16xf32>
  return
}
