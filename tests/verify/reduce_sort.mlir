// Sorting: inputs, dimension and comparator.
func.func @accepted(%x: tensor<2x3xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @accepted_negative_dimension(%x: tensor<2x3xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = -2 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @accepted_without_attributes(%x: tensor<2x3xf32>) {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @c1() {
  // error: expected at least 1 operands, found 0
  "stablehlo.sort"() ({
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : () -> ()
  return
}
// -----
func.func @c2_type(%x: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<2x3xf32>`
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}
// -----
func.func @c2_results(%x: tensor<3xf32>) {
  // error: there are 1 inputs, but 2 results
  %0:2 = "stablehlo.sort"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
// -----
func.func @c3_shapes(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // error: input 1 is `tensor<4xf32>`, but it must have the shape of input 0
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %t: tensor<f32>):
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}
// -----
func.func @c4_dimension(%x: tensor<2x3xf32>) {
  // error: dimension is 2, but for 2 dimensions it must be at least -2 and less than 2
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @c4_negative_dimension(%x: tensor<2x3xf32>) {
  // error: dimension is -3
  %0 = "stablehlo.sort"(%x) <{dimension = -3 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @c5_arguments(%x: tensor<2x3xf32>) {
  // error: the comparator takes 1 arguments, but it must take 2
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>):
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @c5_argument_type(%x: tensor<2x3xf32>) {
  // error: argument 1 of the comparator holds f64, but input 0 holds f32
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f64>):
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @c5_result(%x: tensor<2x3xf32>) {
  // error: the comparator returns ["f32"], but it must return one i1
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @kind_of_dimension(%x: tensor<2x3xf32>) {
  // error: the attribute `dimension` must be an i64 integer
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i32}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
