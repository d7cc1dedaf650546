// How regions and functions end, and what calls must agree with.
func.func private @declared(tensor<f32>) -> tensor<f32>
func.func @accepted(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = call @declared(%x) : (tensor<f32>) -> tensor<f32>
  return %0, %x : tensor<f32>, tensor<f32>
}
// -----
// error: `@nothing` must end with `return`
func.func @nothing() {
}
// -----
// error: `@no_return` must end with `return`
func.func @no_return(%x: tensor<f32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<f32>
}
// -----
// error: `@wrong_return` must end with `return`
func.func @wrong_return(%x: tensor<f32>) {
  sdy.return %x : tensor<f32>
}
// -----
func.func @as_a_region(%x: tensor<f32>) -> tensor<f32> {
  stablehlo.return %x : tensor<f32>
}
// -----
func.func @early(%x: tensor<f32>) {
  // error: it ends its region, but other operations follow
  return
  interpreter.print %x : tensor<f32>
  return
}
// -----
func.func @return_count(%x: tensor<f32>) -> tensor<f32> {
  // error: it returns 2 values, but `@return_count` gives 1
  return %x, %x : tensor<f32>, tensor<f32>
}
// -----
func.func @return_type(%x: tensor<f32>) -> tensor<i32> {
  // error: it returns `tensor<f32>` as value 0, but `@return_type` gives `tensor<i32>`
  return %x : tensor<f32>
}
// -----
func.func @region_without_return(%p: tensor<i1>) {
  // error: region 1 must end with `stablehlo.return`
  "stablehlo.if"(%p) ({ stablehlo.return }, { }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @region_with_wrong_return(%p: tensor<i1>) {
  // error: region 0 must end with `stablehlo.return`
  "stablehlo.if"(%p) ({ func.return }, { stablehlo.return }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @early_in_region(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({ stablehlo.return }, {
    // error: it ends its region, but other operations follow
    stablehlo.return
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @no_callee() {
  // error: there is no function `@missing`
  call @missing() : () -> ()
  return
}
// -----
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @call_count() {
  // error: 0 operands, but `@f` takes 1
  %0 = call @f() : () -> tensor<f32>
  return
}
// -----
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @call_operand(%x: tensor<i32>) {
  // error: operand 0 is `tensor<i32>`, but `@f` takes `tensor<f32>`
  %0 = call @f(%x) : (tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func private @f(tensor<f32>) -> tensor<f32>
func.func @call_result(%x: tensor<f32>) {
  // error: result 0 is `tensor<i32>`, but `@f` gives `tensor<f32>`
  %0 = call @f(%x) : (tensor<f32>) -> tensor<i32>
  return
}
// -----
func.func @call_without_callee() {
  // error: the attribute `callee` is missing
  "func.call"() : () -> ()
  return
}
