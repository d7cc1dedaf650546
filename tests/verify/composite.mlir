func.func @accepted(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my_namespace.my_op" %a {composite_attributes = {x = "y"}, decomposition = @impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @name(%a: tensor<f32>) {
  // error: `my_op` is not a name with a namespace
  %0 = stablehlo.composite "my_op" %a {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @decomposition_missing(%a: tensor<f32>) {
  // error: the attribute `decomposition` is missing
  %0 = stablehlo.composite "a.b" %a : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @decomposition_unknown(%a: tensor<f32>) {
  // error: the decomposition `@impl` is not a function of this module
  %0 = stablehlo.composite "a.b" %a {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @operand_count(%a: tensor<f32>) {
  // error: there are 2 operands, but the decomposition `@impl` has 1
  %0 = stablehlo.composite "a.b" %a, %a {decomposition = @impl} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @operand_type(%a: tensor<f64>) {
  // error: operands: number 0 is `tensor<f64>`, but `tensor<f32>` in the decomposition `@impl`
  %0 = stablehlo.composite "a.b" %a {decomposition = @impl} : (tensor<f64>) -> tensor<f32>
  return
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @result_type(%a: tensor<f32>) {
  // error: results: number 0 is `tensor<f64>`, but `tensor<f32>` in the decomposition `@impl`
  %0 = stablehlo.composite "a.b" %a {decomposition = @impl} : (tensor<f32>) -> tensor<f64>
  return
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @version(%a: tensor<f32>) {
  // error: the attribute `version` must be an i32 integer
  %0 = stablehlo.composite "a.b" %a {decomposition = @impl, version = 1 : i64} : (tensor<f32>) -> tensor<f32>
  return
}
func.func private @impl(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
