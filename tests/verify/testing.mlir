// Checks, prints, probes and grids of devices.
func.func @program(%x: tensor<f32>) -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  return %0 : tensor<i32>
}
func.func @queue() -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @accepted(%x: tensor<f32>, %n: tensor<2xi32>) {
  check.expect_eq %n, %n : tensor<2xi32>
  check.expect_eq_const %n, dense<1> : tensor<2xi32>
  check.expect_almost_eq %x, %x, tolerance = 0.5 : tensor<f32>
  check.expect_almost_eq_const %x, dense<1.0> : tensor<f32>, tolerance = 1.0e-3
  check.expect_close %x, %x, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<f32>, tensor<f32>
  check.expect_serialized_eq %x, probe_id = "a", iter = 1 : tensor<f32>
  interpreter.print %x : tensor<f32>
  %0 = interpreter.probe %x, probe_id = "a" : tensor<f32>
  %1:2 = "interpreter.run_parallel"(%x, %x) {infeed = [@queue], programs = [[@program], [@program]]} : (tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<i32>)
  return
}
// -----
func.func @equal_types(%x: tensor<f32>, %n: tensor<2xi32>) {
  // error: the operands must have one type, but they are `tensor<f32>` and `tensor<2xi32>`
  "check.expect_eq"(%x, %n) : (tensor<f32>, tensor<2xi32>) -> ()
  return
}
// -----
func.func @constant_type(%x: tensor<f32>) {
  // error: the operand is `tensor<f32>`, but the constant is `tensor<f64>`
  check.expect_eq_const %x, dense<1.0> : tensor<f64>
  return
}
// -----
func.func @almost_equal_integers(%n: tensor<i32>) {
  // error: the operand must hold floats or complex numbers, but it holds i32
  check.expect_almost_eq %n, %n : tensor<i32>
  return
}
// -----
func.func @almost_equal_constant_integers(%n: tensor<i32>) {
  // error: the operand must hold floats or complex numbers, but it holds i32
  check.expect_almost_eq_const %n, dense<1> : tensor<i32>
  return
}
// -----
func.func @close_integers(%n: tensor<i32>) {
  // error: the operand must hold floats or complex numbers, but it holds i32
  check.expect_close %n, %n, max_ulp_difference = 3 : tensor<i32>, tensor<i32>
  return
}
// -----
func.func @tolerance_kind(%x: tensor<f32>) {
  // error: the attribute `tolerance` must be a float
  check.expect_almost_eq %x, %x {tolerance = "much"} : tensor<f32>
  return
}
// -----
func.func @probe_result(%x: tensor<f32>) {
  // error: result 0 is `tensor<i32>`
  %0 = "interpreter.probe"(%x) {probe_id = "a"} : (tensor<f32>) -> tensor<i32>
  return
}
// -----
func.func @probe_name(%x: tensor<f32>) {
  // error: the attribute `probe_id` is missing
  %0 = "interpreter.probe"(%x) : (tensor<f32>) -> tensor<f32>
  return
}
// -----
func.func @no_programs() {
  // error: `programs` must not be empty
  "interpreter.run_parallel"() {programs = []} : () -> ()
  return
}
// -----
func.func @unknown_program() {
  // error: there is no function `@missing`
  "interpreter.run_parallel"() {programs = [[@missing]]} : () -> ()
  return
}
// -----
func.func private @f()
func.func @ragged() {
  // error: each replica must have as many partitions, but one has 2 and one 1
  "interpreter.run_parallel"() {programs = [[@f, @f], [@f]]} : () -> ()
  return
}
// -----
func.func private @f(tensor<f32>)
func.func @inputs() {
  // error: the operands are 0 values, but the programs take 1
  "interpreter.run_parallel"() {programs = [[@f]]} : () -> ()
  return
}
// -----
func.func private @f() -> tensor<f32>
func.func @results() {
  // error: the results are `tensor<i32>` as value 0, but the programs give `tensor<f32>`
  %0 = "interpreter.run_parallel"() {programs = [[@f]]} : () -> tensor<i32>
  return
}
// -----
func.func private @f()
func.func @queue_result() {
  // error: `@f` feeds a queue, so it must return one tensor
  "interpreter.run_parallel"() {infeed = [@f], programs = [[@f]]} : () -> ()
  return
}
