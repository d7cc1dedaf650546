// Dot products: dimension numbers, sizes, element types, precision and algorithm.
func.func @accepted(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @wider_sum(%a: tensor<2x3x4xbf16>, %b: tensor<2x4x5xbf16>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c1_batching_counts(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_batching_dimensions has 1 entries, but rhs_batching_dimensions has 0
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c2_contracting_counts(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_contracting_dimensions has 1 entries, but rhs_contracting_dimensions has 0
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c3_lhs_unique(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: dimension 0 of lhs stands twice
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c4_rhs_unique(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: dimension 0 of rhs stands twice
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [0] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c5_lhs_batching_range(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_batching_dimensions is 3, but there are only the dimensions 0 to 2
  %0 = stablehlo.dot_general %a, %b, batching_dims = [3] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c6_lhs_contracting_range(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_contracting_dimensions is -1
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [-1] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c7_rhs_batching_range(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: rhs_batching_dimensions is 4
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [4], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c8_rhs_contracting_range(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: rhs_contracting_dimensions is 5
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [5] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c9_batching_sizes(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: batching dimension 1 of lhs has size 3, but dimension 0 of rhs has size 2
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c10_contracting_sizes(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: contracting dimension 2 of lhs has size 4, but dimension 2 of rhs has size 5
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c11_precision(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: precision_config has 3 entries
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT, HIGH] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c12_shape(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: result 0 is `tensor<2x5x3xf32>`, but from the operands follows `tensor<2x3x5xf32>`
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>
  return
}
// -----
func.func @c13_element_types(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xi32>) {
  // error: the operands hold f32 and i32
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xi32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c21_algorithm_with_precision(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: the precision of both operands must be DEFAULT
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @algorithm_accepted(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @i8_lhs_type(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_precision_type of the algorithm is i32, but it must be a float type
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = i32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @i10_accumulation_type(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: accumulation_type of the algorithm is i8
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = i8, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c22_lhs_components(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: lhs_component_count of the algorithm is 0, but it must be positive
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c23_rhs_components(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: rhs_component_count of the algorithm is -1
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = -1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @c24_operations(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: num_primitive_operations of the algorithm is 0
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @algorithm_with_a_missing_field(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: a dot algorithm needs all of its seven fields
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @dimension_numbers_missing(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // error: the attribute `dot_dimension_numbers` is missing
  %0 = "stablehlo.dot_general"(%a, %b) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
// -----
func.func @dot_accepted(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  %1 = stablehlo.dot %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}
// -----
func.func @dot_rank(%a: tensor<3xf32>, %b: tensor<3x4x5xf32>) {
  // error: rhs has 3 dimensions
  %0 = stablehlo.dot %a, %b : (tensor<3xf32>, tensor<3x4x5xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @dot_sizes(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // error: the last dimension of lhs has size 3, but the first of rhs has size 4
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @dot_shape(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // error: from the operands follows `tensor<2xf32>`
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}
// -----
func.func @einsum_arrow(%a: tensor<2x3xf32>) {
  // error: has no `->`
  %0 = stablehlo.unary_einsum %a, config = "ab" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @einsum_letters(%a: tensor<2x3xf32>) {
  // error: may only have one letter for each dimension
  %0 = stablehlo.unary_einsum %a, config = "a...->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @einsum_operands(%a: tensor<2x3xf32>) {
  // error: letters for 1 operands, but there are 2
  %0 = stablehlo.einsum %a, %a, config = "ab->a" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @einsum_rank(%a: tensor<2x3xf32>) {
  // error: 1 letters for operand 0, but it has 2 dimensions
  %0 = stablehlo.unary_einsum %a, config = "a->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @einsum_sizes(%a: tensor<2x3xf32>) {
  // error: the letter `b` stands for sizes 3 and 2
  %0 = stablehlo.einsum %a, %a, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @einsum_result_letter(%a: tensor<2x3xf32>) {
  // error: no operand has the letter `c` of the result
  %0 = stablehlo.unary_einsum %a, config = "ab->c" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @einsum_result_twice(%a: tensor<2x3xf32>) {
  // error: the result has the letter `a` twice
  %0 = stablehlo.unary_einsum %a, config = "ab->aa" : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @einsum_shape(%a: tensor<2x3xf32>) {
  // error: from the operands follows `tensor<3x2xf32>`
  %0 = stablehlo.unary_einsum %a, config = "ab->ba" : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
