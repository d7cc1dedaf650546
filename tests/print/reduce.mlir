module {
  func.func @reduce(%arg0: tensor<2x3x4xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {note = {a = "b"}} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
    %2:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
      %9 = stablehlo.add %arg2, %arg4 : tensor<f32>
      stablehlo.return %9, %arg3 : tensor<f32>, tensor<f32>
    }
    %3 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %9 = stablehlo.subtract %arg2, %arg3 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }
    %4 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %9 = stablehlo.add %arg3, %arg2 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }
    %5 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[0, 0], [2, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) {note} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
    %6 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %7 = "stablehlo.select_and_scatter"(%arg0, %arg0, %arg1) <{window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.compare GE, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
    %8 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return
  }
}
