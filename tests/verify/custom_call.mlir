func.func @unknown_targets_are_accepted(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @somebody_elses_code(%a) {backend_config = {x = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @target_missing(%a: tensor<4xf32>) {
  // error: the attribute `call_target_name` is missing
  %0 = "stablehlo.custom_call"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @side_effect(%a: tensor<4xf32>) {
  // error: the attribute `has_side_effect` must be `true` or `false`
  stablehlo.custom_call @f(%a) {has_side_effect = 1 : i32} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @config(%a: tensor<4xf32>) {
  // error: `backend_config` must be a string or a dictionary
  stablehlo.custom_call @f(%a) {backend_config = 1 : i32} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @version(%a: tensor<4xf32>) {
  // error: the attribute `api_version` must be an i32 integer
  stablehlo.custom_call @f(%a) {api_version = "new"} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @computations(%a: tensor<4xf32>) {
  // error: `called_computations` must be a list of functions such as `@f`
  stablehlo.custom_call @f(%a) {called_computations = ["f"]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @layouts_of_one_side(%a: tensor<4xf32>) {
  // error: layouts are given for the operands or the results only
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layout_count(%a: tensor<4xf32>) {
  // error: there are 1 operands, but `operand_layouts` has 0 entries
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layout_order(%a: tensor<4x4xf32>) {
  // error: the layout of operand 0 is [0, 0], but it must be an order of the dimensions of `tensor<4x4xf32>`
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<4x4xf32>) -> ()
  return
}

// -----

func.func @layout_kind(%a: tensor<4xf32>) {
  // error: the layout of operand 0 must be `dense<…> : tensor<…xindex>`
  stablehlo.custom_call @f(%a) {operand_layouts = ["row"], result_layouts = []} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @layout_of_token(%a: !stablehlo.token) {
  // error: the layout of operand 0 is [0], but it must be an order of the dimensions of `!stablehlo.token`
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @layout_of_tuple(%a: tuple<tensor<4xf32>>) {
  // error: operand 0 is a tuple, for which no layout can be given
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tuple<tensor<4xf32>>) -> ()
  return
}

// -----

func.func @alias_operand(%a: tensor<4xf32>) {
  // error: an alias names operand 1, but there are only 1 operands
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @alias_operand_part(%a: tensor<4xf32>) {
  // error: an alias names part [0] of operand 0, which has no such part
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [0]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @alias_result(%a: tensor<4xf32>) {
  // error: an alias names result [2], but there is no such result
  %0:2 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @alias_type(%a: tensor<4xf32>) {
  // error: an alias joins operand 0 of type `tensor<4xf32>` to a result of type `tensor<5xf32>`
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @alias_kind(%a: tensor<4xf32>) {
  // error: `output_operand_aliases` must be a list of `#stablehlo.output_operand_alias<…>`
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = ["all"]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @known_target_identity(%a: tensor<4xf32>) {
  // error: operand 0 of type `tensor<4xf32>` cannot be given on as `tensor<4xi32>`
  %0 = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @known_target_top_k(%a: tensor<2x4xf32>) {
  // error: `tensor<2x5xf32>` cannot be the first elements of each row of `tensor<2x4xf32>`
  %0:2 = stablehlo.custom_call @TopK(%a) : (tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
  return
}

// -----

func.func @lapack_letter(%a: tensor<3x3xf64>) {
  // error: by its name the routine takes f32, but operand 0 holds f64
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<i32>)
  return
}

// -----

func.func @lapack_results(%a: tensor<3x3xf32>) {
  // error: result 1 is `tensor<4xi32>`, but from the operands follows `tensor<3xi32>`
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @lapack_square(%a: tensor<3x4xf32>) {
  // error: the matrices must be square, but they have 3 rows and 4 columns
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<i32>)
  return
}

// -----

func.func @lapack_operands(%a: tensor<3x3xf32>) {
  // error: `lapack_strsm_ffi` takes 2 operands, but 1 are given
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @known_target_householder(%a: tensor<2x4x3xf32>, %t: tensor<3x3xf32>) {
  // error: the factors `tensor<3x3xf32>` must be a list for each matrix of `tensor<2x4x3xf32>`
  %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %t) : (tensor<2x4x3xf32>, tensor<3x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @known_target_assertion(%a: tensor<2xi1>) {
  // error: what is asserted must be `tensor<i1>`, but it is `tensor<2xi1>`
  stablehlo.custom_call @shape_assertion(%a) {has_side_effect = true} : (tensor<2xi1>) -> ()
  return
}
