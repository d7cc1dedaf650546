// Windows: their sizes, strides, dilations and padding, and the functions applied to them.
func.func @accepted(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @accepted_with_everything(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[1, 2], [-1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x3xf32>
  return
}
// -----
func.func @accepted_promotion(%x: tensor<6x4xf16>, %c: tensor<f16>) {
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf16>, tensor<f16>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c1_results(%x: tensor<6xf32>, %c: tensor<f32>) {
  // error: there are 1 inputs, but 2 results
  %0:2 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}
// -----
func.func @c2_shapes(%x: tensor<6xf32>, %y: tensor<7xf32>, %c: tensor<f32>) {
  // error: input 1 is `tensor<7xf32>`, but it must have the shape of input 0
  %0:2 = "stablehlo.reduce_window"(%x, %y, %c, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }) : (tensor<6xf32>, tensor<7xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}
// -----
func.func @c3_element_types(%x: tensor<6x4xf32>, %c: tensor<f64>) {
  // error: the initial value of input 0 is f64, but the input holds f32
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f64>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c4_window_count(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_dimensions has 1 entries, but there are 2 dimensions
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c5_window_positive(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_dimensions[1] is 0, but it must be positive
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c6_stride_count(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_strides has 3 entries
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c7_stride_positive(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_strides[0] is 0
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c8_base_dilation_count(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: base_dilations has 1 entries
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c9_base_dilation_positive(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: base_dilations[1] is -1
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 1, -1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c10_window_dilation_count(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_dilations has 1 entries
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c11_window_dilation_positive(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: window_dilations[0] is 0
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, window_dilations = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c12_padding(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: padding has the type tensor<4xi64>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, padding = dense<0> : tensor<4xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c12_padding_elements(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: padding must hold i64, but it holds i32
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>, padding = dense<0> : tensor<2x2xi32>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c13_body(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: the computation must take 2 arguments, two for each of 1 inputs, but it takes 1
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c13_promotion(%x: tensor<6x4xf64>, %c: tensor<f64>) {
  // error: input 0 holds f64, which cannot be combined as f32
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf64>, tensor<f64>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c15_windows(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<5x4xf32>`
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @c15_no_windows(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<0x4xf32>`
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 7, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @c16_element_type(%x: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<5x4xf32>`
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<5x4xf64>
  return
}
// -----
func.func @scatter_accepted(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_accepted_without_attributes(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c1(%x: tensor<6x4xf32>, %y: tensor<5x4xf64>, %c: tensor<f32>) {
  // error: the source holds f64, but the operand holds f32
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf64>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c2(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>, %c: tensor<f32>) {
  // error: the source is `tensor<6x4xf32>`, but there are [5, 4] windows in the operand
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c3(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f64>) {
  // error: the initial value is f64, but the operand holds f32
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f64>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_i3(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<1xf32>) {
  // error: the initial value is `tensor<1xf32>`, but it must have no dimensions
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<1xf32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c4(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: window_dimensions has 1 entries
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c5(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: window_dimensions[0] is 0
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c6(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: window_strides has 1 entries
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c7(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: window_strides[0] is -1
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_strides = array<i64: -1, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c8(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: padding has the type tensor<2x1xi64>
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{padding = dense<0> : tensor<2x1xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c9_arguments(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: the selecting function takes ["f32"], but it must take two values of f32
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>):
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c9_result(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: the selecting function returns ["f32"], but it must return one i1
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c10(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: the computation must give 1 values, one for each input, but it gives 2
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
  return
}
// -----
func.func @scatter_c11(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<6x4xf32>`
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @scatter_c12(%x: tensor<6x4xf32>, %y: tensor<5x4xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<6x4xf32>`
  %0 = "stablehlo.select_and_scatter"(%x, %y, %c) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf64>
  return
}
