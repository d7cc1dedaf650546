// Each step of a fold is rounded to the type of its function.
func.func @promotion() {
  // 256 + 1 is 256 in bf16.
  %x = stablehlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
  %c = stablehlo.constant dense<0.0> : tensor<bf16>
  %narrow = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %narrow, dense<256.0> : tensor<bf16>
  %wide = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>
  check.expect_eq_const %wide, dense<258.0> : tensor<f32>
  return
}
