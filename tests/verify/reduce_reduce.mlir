// Reductions: inputs, initial values, dimensions and bodies.
func.func @accepted(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @accepted_promotion(%x: tensor<2x3xbf16>, %c: tensor<bf16>) {
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<3xf32>
  return
}
// -----
func.func @c1_shapes(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %c: tensor<f32>) {
  // error: input 1 is `tensor<3x2xf32>`, but it must have the shape of input 0
  %0:2 = "stablehlo.reduce"(%x, %y, %c, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @c2_element_types(%x: tensor<2x3xf32>, %c: tensor<f64>) {
  // error: the initial value of input 0 is f64, but the input holds f32
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}
// -----
func.func @i2_initial_value(%x: tensor<2x3xf32>, %c: tensor<1xf32>) {
  // error: the initial value of input 0 is `tensor<1xf32>`, but it must have no dimensions
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}
// -----
func.func @c3_initial_values(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: there are 3 operands, but each input needs an initial value
  %0 = "stablehlo.reduce"(%x, %x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c3_results(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: there are 1 inputs, but 2 results
  %0:2 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @c4_dimensions(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: dimensions names dimension 2, but there are only the dimensions 0 to 1
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c5_dimensions_unique(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: dimensions names dimension 0 twice
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0, 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_arguments(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: the computation must take 2 arguments, two for each of 1 inputs, but it takes 1
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_results(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: the computation must give 1 values, one for each input, but it gives 2
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_scalars(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: argument 1 of the computation must have no dimensions, but it is `tensor<3xf32>`
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<3xf32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_result_type(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: value 0 of the computation must be `tensor<f32>` as its arguments are, but it is `tensor<f64>`
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.convert %p : (tensor<f32>) -> tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_promotion(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: input 0 holds f32, which cannot be combined as bf16
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    stablehlo.return %p : tensor<bf16>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c6_promotion_of_kind(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: input 0 holds f32, which cannot be combined as i64
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<i64>, %q: tensor<i64>):
    stablehlo.return %p : tensor<i64>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @c7_shape(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<3xf32>`
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @c8_element_type(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: from the operands follows `tensor<3xf32>`
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf64>
  return
}
// -----
func.func @applied_operation(%x: tensor<2x3xf32>, %c: tensor<f32>) {
  // error: `stablehlo.subtract` is not a commutative operation on two values
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.subtract across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @map_accepted(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}
// -----
func.func @map_c1_inputs(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // error: input 1 is `tensor<3x2xf32>`, but it must have the shape of input 0
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @map_c1_result(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<2x3xf32>`
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
// -----
func.func @map_c2() {
  // error: expected at least 1 operands, found 0
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : () -> tensor<f32>
  return
}
// -----
func.func @map_c3(%x: tensor<2x3xf32>) {
  // error: dimensions is [1, 0], but it must list all dimensions of the inputs in order
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @map_c4_arguments(%x: tensor<2x3xf32>) {
  // error: the function takes 2 arguments, but there are 1 inputs
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @map_c4_argument_type(%x: tensor<2x3xf32>) {
  // error: argument 0 of the function holds i32, but input 0 holds f32
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<i32>):
    stablehlo.return %p : tensor<i32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}
// -----
func.func @map_c4_result_type(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<2x3xf32>`
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}
// -----
func.func @map_c4_results(%x: tensor<2x3xf32>) {
  // error: the function returns 2 values, but it must return one
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p, %p : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
