// Folding windows and scattering into them.
func.func @cumulative_sum() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[1, 3, 6, 10]> : tensor<4xi32>
  return
}
func.func @negative_padding() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[-1, -1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[2, 3]> : tensor<2xi32>
  return
}
func.func @two_inputs() {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %y, %inf, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    %low = stablehlo.minimum %p, %r : tensor<f32>
    %sum = stablehlo.add %q, %s : tensor<i32>
    stablehlo.return %low, %sum : tensor<f32>, tensor<i32>
  }) : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<1.0> : tensor<2xf32>
  check.expect_eq_const %0#1, dense<[30, 50]> : tensor<2xi32>
  return
}
func.func @overlapping_windows_scatter_to_one_element() {
  %x = stablehlo.constant dense<[1, 9, 2, 3]> : tensor<4xi32>
  %source = stablehlo.constant dense<[1, 10, 100]> : tensor<3xi32>
  %c = stablehlo.constant dense<1000> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[1000, 1011, 1000, 1100]> : tensor<4xi32>
  return
}
func.func @huge_dilation() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{base_dilations = array<i64: 1000000000000000>, window_dimensions = array<i64: 2000000000000001>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
  check.expect_eq_const %0, dense<6> : tensor<1xi32>
  return
}
