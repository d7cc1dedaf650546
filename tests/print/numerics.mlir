module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<4xcomplex<f32>>, %arg3: tensor<2xui64>, %arg4: tensor<f32>, %arg5: tensor<2xi64>) {
    %0 = stablehlo.cholesky %arg0, lower = true {x = 1 : i64} : tensor<4x4xf32>
    %1 = stablehlo.cholesky %arg0 : tensor<4x4xf32>
    %2 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %3 = stablehlo.fft %arg2, type = FFT, length = [4] {y} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %output_state, %output = stablehlo.rng_bit_generator %arg3, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
    %4 = stablehlo.rng %arg4, %arg4, %arg5, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>
    %5:2 = stablehlo.custom_call @"a b"(%arg0, %arg1) {api_version = 2 : i32, backend_config = "abc", called_computations = [@f], has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], x = 1 : i64} : (tensor<4x4xf32>, tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>)
    stablehlo.custom_call @x() : () -> ()
    %6 = stablehlo.composite "my.op" %arg0, %arg1 {composite_attributes = {a = 1 : i64}, decomposition = @g, version = 1 : i32} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    %7 = stablehlo.composite "my.op" %arg0, %arg1 ({
    ^bb0(%arg6: tensor<f32>):
      stablehlo.return %arg6 : tensor<f32>
    }, {
      %c = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) {composite_attributes = {a = 1 : i64}, decomposition = @g, version = 1 : i32} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
    return
  }
  func.func private @f(tensor<4x4xf32>) -> tensor<f32>
  func.func @g(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x4xf32> {
    return %arg0 : tensor<4x4xf32>
  }
}
