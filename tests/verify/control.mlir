// Branches, loops, tuples and tokens.
func.func @accepted(%i: tensor<i32>, %p: tensor<i1>, %x: tensor<2xf32>, %t: !stablehlo.token) {
  %0:2 = "stablehlo.if"(%p) ({
    stablehlo.return %x, %t : tensor<2xf32>, !stablehlo.token
  }, {
    stablehlo.return %x, %t : tensor<2xf32>, !stablehlo.token
  }) : (tensor<i1>) -> (tensor<2xf32>, !stablehlo.token)
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i32>) -> ()
  %1:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<2xf32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %a, %x : tensor<i32>, tensor<2xf32>
  }
  %2 = stablehlo.tuple %x, %t : tuple<tensor<2xf32>, !stablehlo.token>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2xf32>, !stablehlo.token>) -> !stablehlo.token
  %4 = stablehlo.after_all %3, %t : !stablehlo.token
  %5 = stablehlo.create_token : !stablehlo.token
  %6:2 = stablehlo.optimization_barrier %x, %t : tensor<2xf32>, !stablehlo.token
  return
}
// -----
func.func @if_operand(%p: tensor<2xi1>) {
  // error: the operand must be `tensor<i1>`, but it is `tensor<2xi1>`
  "stablehlo.if"(%p) ({ stablehlo.return }, { stablehlo.return }) : (tensor<2xi1>) -> ()
  return
}
// -----
func.func @if_regions(%p: tensor<i1>) {
  // error: expected 2 regions, found 1
  "stablehlo.if"(%p) ({ stablehlo.return }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @if_arguments(%p: tensor<i1>) {
  // error: the false branch must take no arguments, but it takes 1
  "stablehlo.if"(%p) ({ stablehlo.return }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @if_branches(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // error: the false branch returns `tensor<3xf32>` as value 0, but the operation gives `tensor<2xf32>`
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %y : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}
// -----
func.func @if_results(%p: tensor<i1>, %x: tensor<2xf32>) {
  // error: the true branch returns 1 values, but the operation gives 0
  "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @case_operand(%i: tensor<i64>) {
  // error: the operand must be `tensor<i32>`, but it is `tensor<i64>`
  "stablehlo.case"(%i) ({ stablehlo.return }) : (tensor<i64>) -> ()
  return
}
// -----
func.func @case_regions(%i: tensor<i32>) {
  // error: expected at least 1 regions, found 0
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}
// -----
func.func @case_arguments(%i: tensor<i32>) {
  // error: branch 0 must take no arguments
  "stablehlo.case"(%i) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}
// -----
func.func @case_branches(%i: tensor<i32>, %x: tensor<2xf32>) {
  // error: branch 1 returns `tensor<i32>` as value 0, but the operation gives `tensor<2xf32>`
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}
// -----
func.func @while_condition_arguments(%i: tensor<i32>, %p: tensor<i1>) {
  // error: the condition takes 0 values, but the loop carries 1
  %0 = "stablehlo.while"(%i) ({
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}
// -----
func.func @while_condition(%i: tensor<i32>) {
  // error: the condition must return `tensor<i1>`, but it returns `tensor<i32>`
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %a : tensor<i32>
  } do {
    stablehlo.return %a : tensor<i32>
  }
  return
}
// -----
func.func @while_condition_count(%i: tensor<i32>, %p: tensor<i1>) {
  // error: the condition must return one `tensor<i1>`, but it returns 2 values
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %p, %p : tensor<i1>, tensor<i1>
  } do {
    stablehlo.return %a : tensor<i32>
  }
  return
}
// -----
func.func @while_body_arguments(%i: tensor<i32>, %p: tensor<i1>) {
  // error: the body takes `tensor<i64>` as value 0, but the loop carries `tensor<i32>`
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i64>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}
// -----
func.func @while_body(%i: tensor<i32>, %p: tensor<i1>) {
  // error: the body returns `tensor<i1>` as value 0, but the loop carries `tensor<i32>`
  %0 = stablehlo.while(%a = %i) : tensor<i32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}
// -----
func.func @while_results(%i: tensor<i32>, %p: tensor<i1>) {
  // error: result 0 is `tensor<i64>`, but from the operands follows `tensor<i32>`
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  return
}
// -----
func.func @after_all(%x: tensor<f32>) {
  // error: operand 0 must be a token
  %0 = "stablehlo.after_all"(%x) : (tensor<f32>) -> !stablehlo.token
  return
}
// -----
func.func @after_all_result() {
  // error: result 0 is `tensor<f32>`
  %0 = "stablehlo.after_all"() : () -> tensor<f32>
  return
}
// -----
func.func @create_token() {
  // error: result 0 is `tensor<f32>`
  %0 = "stablehlo.create_token"() : () -> tensor<f32>
  return
}
// -----
func.func @barrier_results(%x: tensor<f32>) {
  // error: it has 2 results, but 1 follow from its operands
  %0:2 = "stablehlo.optimization_barrier"(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}
// -----
func.func @barrier_operands(%x: tuple<tensor<f32>>) {
  // error: operand 0 must be a tensor or a token
  %0 = stablehlo.optimization_barrier %x : tuple<tensor<f32>>
  return
}
// -----
func.func @tuple(%x: tensor<f32>) {
  // error: result 0 is `tuple<tensor<i32>>`
  %0 = "stablehlo.tuple"(%x) : (tensor<f32>) -> tuple<tensor<i32>>
  return
}
// -----
func.func @element_of_tensor(%x: tensor<f32>) {
  // error: the operand must be a tuple, but it is `tensor<f32>`
  %0 = stablehlo.get_tuple_element %x[0] : (tensor<f32>) -> tensor<f32>
  return
}
// -----
func.func @element_index(%x: tuple<tensor<f32>>) {
  // error: the index is 1, but the tuple has 1 elements
  %0 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}
// -----
func.func @element_type(%x: tuple<tensor<f32>>) {
  // error: result 0 is `tensor<i32>`
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<f32>>) -> tensor<i32>
  return
}
// -----
func.func @element_index_kind(%x: tuple<tensor<f32>>) {
  // error: the attribute `index` must be an i32 integer
  %0 = "stablehlo.get_tuple_element"(%x) <{index = 0 : i64}> : (tuple<tensor<f32>>) -> tensor<f32>
  return
}
