// Regions of Shardy's ops: one sharding per value, arguments and results that match, nothing from outside.
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @accepted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%x: tensor<4xf32>) {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    sdy.return %0 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"double">(%0) (%y: tensor<8xf32>) {
    %0 = stablehlo.add %y, %y : tensor<8xf32>
    sdy.return %0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
sdy.mesh @mesh = <["a"=2]>
func.func @one_sharding_per_operand(%x: tensor<8xf32>) {
  // error: `in_shardings` has 2 shardings for 1 operands
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
sdy.mesh @mesh = <["a"=2]>
func.func @one_sharding_per_result(%x: tensor<8xf32>) {
  // error: `out_shardings` has 0 shardings for 1 results
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[] manual_axes={} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
sdy.mesh @mesh = <["a"=2]>
func.func @one_argument_per_operand(%x: tensor<8xf32>) {
  // error: the region has 2 entries, but the list of operands has 1
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%y: tensor<8xf32>, %z: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
sdy.mesh @mesh = <["a"=2]>
func.func @as_many_returned_as_results(%x: tensor<8xf32>) {
  // error: `sdy.return` has 2 entries, but the list of results has 1
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%y: tensor<8xf32>) {
    sdy.return %y, %y : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
sdy.mesh @mesh = <["a"=2]>
func.func @isolated(%x: tensor<8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%y: tensor<8xf32>) {
    // error: `%x` is not defined here
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @isolated_in_the_generic_form(%x: tensor<8xf32>) {
  %0 = "sdy.named_computation"(%x) <{name = "f"}> ({
  ^bb0(%y: tensor<8xf32>):
    // error: `%x` is not defined here
    "sdy.return"(%x) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @argument_types_match(%x: tensor<8xf32>) {
  // error: argument 0 of the region is `tensor<4xf32>`, but operand 0 is `tensor<8xf32>`
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @result_types_match(%x: tensor<8xf32>) {
  // error: the region returns `tensor<8xf32>` for result 0, which is `tensor<4xf32>`
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}
