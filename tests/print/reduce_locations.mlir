// The operations that `applies` stands for have the location of the reduction: it is printed once.
module {
  func.func @reduce(%arg0: tensor<2x3xf32> loc(#loc), %arg1: tensor<f32> loc(#loc)) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32> loc(#loc1)
    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%arg2: tensor<f32> loc(#loc2), %arg3: tensor<f32> loc(#loc3))  {
      %2 = stablehlo.subtract %arg2, %arg3 : tensor<f32> loc(#loc4)
      stablehlo.return %2 : tensor<f32> loc(#loc5)
    } loc(#loc6)
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("sum")
#loc2 = loc("p")
#loc3 = loc("q")
#loc4 = loc("r")
#loc5 = loc("s")
#loc6 = loc("both")
