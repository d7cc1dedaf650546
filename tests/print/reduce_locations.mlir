// The operations that `applies` stands for have the location of the reduction: it is printed once.
module {
  func.func @reduce(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32> loc("sum")
    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%arg2: tensor<f32> loc("p"), %arg3: tensor<f32> loc("q"))  {
      %2 = stablehlo.subtract %arg2, %arg3 : tensor<f32> loc("r")
      stablehlo.return %2 : tensor<f32> loc("s")
    } loc("both")
    return
  }
}
