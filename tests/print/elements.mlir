// Elementwise ops and ops that move elements, as MLIR prints them.
module {
  func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<i32>, %arg2: tensor<4x2xi32>) -> tensor<2xi1> {
    %0 = stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %1 = stablehlo.compare LT, %arg0, %arg0 {foo} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %2 = stablehlo.reduce_precision %arg0, format = e5m10 {foo} : tensor<2xf32>
    %3 = stablehlo.slice %arg0 [0:2:2] {foo} : (tensor<2xf32>) -> tensor<1xf32>
    %c = stablehlo.constant {foo} dense<1> : tensor<2xi32>
    %4 = stablehlo.iota dim = 0 {foo} : tensor<2xi32>
    %5 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] {foo} : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.concatenate %arg0, %arg0, dim = 0 {foo} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %7 = stablehlo.pad %arg0, %cst, low = [0], high = [0], interior = [0] {foo} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.clamp %cst_0, %arg0, %cst_0 {foo} : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.select %0, %arg0, %arg0 {foo} : tensor<2xi1>, tensor<2xf32>
    %10 = stablehlo.complex %arg0, %arg0 {foo} : tensor<2xcomplex<f32>>
    %11 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
    %12 = stablehlo.exponential %arg0 : tensor<2xf32>
    %13 = stablehlo.broadcast_in_dim %arg0, dims = [1] {foo} : (tensor<2xf32>) -> tensor<3x2xf32>
    %14 = stablehlo.reverse %arg0, dims = [0] {foo} : tensor<2xf32>
    %15 = stablehlo.broadcast %arg0, sizes = [3] {foo} : (tensor<2xf32>) -> tensor<3x2xf32>
    %16 = stablehlo.get_dimension_size %arg0, dim = 0 {foo} : (tensor<2xf32>) -> tensor<i32>
    %17 = stablehlo.dynamic_update_slice %arg0, %3, %arg1 {foo} : (tensor<2xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi64>
    %18 = stablehlo.dynamic_iota %c_1, dim = 0 {foo} : (tensor<1xi64>) -> tensor<2xf32>
    %19 = stablehlo.dynamic_broadcast_in_dim %arg0, %c_1, dims = [0] {foo, known_expanding_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %20 = stablehlo.dynamic_pad %arg0, %cst_0, %c_1, %c_1, %c_1 {foo} : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xf32>
    %21 = stablehlo.real_dynamic_slice %arg0, %c_1, %c_1, %c_1 {foo} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0xf32>
    %22 = stablehlo.is_finite %arg0 {foo} : (tensor<2xf32>) -> tensor<2xi1>
    %23 = stablehlo.abs %10 {foo} : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %24 = stablehlo.convert %arg0 {foo} : (tensor<2xf32>) -> tensor<2xi32>
    %25 = stablehlo.convert %arg0 : tensor<2xf32>
    %26 = stablehlo.transpose %arg2, dims = [1, 0] {foo} : (tensor<4x2xi32>) -> tensor<2x4xi32>
    %27 = stablehlo.bitcast_convert %arg0 {foo} : (tensor<2xf32>) -> tensor<2xi32>
    %28 = stablehlo.reshape %arg0 {foo} : (tensor<2xf32>) -> tensor<2x1xf32>
    %29 = stablehlo.add %arg0, %arg0 {foo} : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
    %30 = stablehlo.slice %cst_0 [] : (tensor<f32>) -> tensor<f32>
    %31 = "stablehlo.torch_index_select"(%arg2, %26) <{batch_dims = 0 : i64, dim = 0 : i64}> {foo} : (tensor<4x2xi32>, tensor<2x4xi32>) -> tensor<2x4x2xi32>
    %32 = "stablehlo.gather"(%arg2, %26) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {foo} : (tensor<4x2xi32>, tensor<2x4xi32>) -> tensor<2x4x2xi32>
    return %0 : tensor<2xi1>
  }
}
