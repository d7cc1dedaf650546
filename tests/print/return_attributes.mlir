// Attributes of a return come before what it returns.
module {
  func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return {k = 1 : i64} %arg0 : tensor<4xf32>
  }
}
