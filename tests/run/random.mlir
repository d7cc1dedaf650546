// Random numbers of a distribution: free to be any, within their bounds.
func.func @uniform_numbers_are_within_bounds() {
  %a = stablehlo.constant dense<-2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[50, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<50x3xf32>
  %1 = chlo.broadcast_compare %0, %a {comparison_direction = #chlo<comparison_direction GE>} : (tensor<50x3xf32>, tensor<f32>) -> tensor<50x3xi1>
  check.expect_eq_const %1, dense<true> : tensor<50x3xi1>
  %2 = chlo.broadcast_compare %0, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<50x3xf32>, tensor<f32>) -> tensor<50x3xi1>
  check.expect_eq_const %2, dense<true> : tensor<50x3xi1>
  func.return
}

func.func @integers_of_a_range_of_one() {
  %a = stablehlo.constant dense<7> : tensor<i8>
  %b = stablehlo.constant dense<8> : tensor<i8>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<4xi8>
  check.expect_eq_const %0, dense<7> : tensor<4xi8>
  func.return
}

func.func @normal_numbers_without_deviation() {
  %a = stablehlo.constant dense<1.5> : tensor<f64>
  %b = stablehlo.constant dense<0.0> : tensor<f64>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4xf64>
  check.expect_eq_const %0, dense<1.5> : tensor<4xf64>
  func.return
}
