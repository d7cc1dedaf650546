// Reductions and maps.
func.func @order_of_arguments() {
  // The left argument is what has been folded so far.
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%p: tensor<i32>, %q: tensor<i32>)  {
    %s = stablehlo.subtract %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  check.expect_eq_const %0, dense<4> : tensor<i32>
  return
}
func.func @argmax() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 2.0], [7.0, 0.0, 7.0]]> : tensor<2x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %s: tensor<i32>)  {
    %first = stablehlo.compare GE, %p, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %value = stablehlo.select %first, %p, %r : tensor<i1>, tensor<f32>
    %index = stablehlo.select %first, %q, %s : tensor<i1>, tensor<i32>
    stablehlo.return %value, %index : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %0#0, dense<[5.0, 7.0]> : tensor<2xf32>
  check.expect_eq_const %0#1, dense<[1, 0]> : tensor<2xi32>
  return
}
func.func @nothing_to_fold() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x0xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<7> : tensor<2xi32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<2x0xi32>, tensor<i32>) -> tensor<0xi32>
  check.expect_eq_const %1, dense<> : tensor<0xi32>
  return
}
func.func @splat() {
  %x = stablehlo.constant dense<1> : tensor<1000000000x3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<1000000000x3xi32>, tensor<i32>) -> tensor<1000000000xi32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<1000000000xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<3> : tensor<2xi32>
  %2 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<1000000000x3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %2, dense<-1294967296> : tensor<i32>
  return
}
func.func @body_with_control_flow() {
  // Too much for a flat program: the interpreter runs it, with a value from outside.
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
   reducer(%p: tensor<i32>, %q: tensor<i32>)  {
    %large = stablehlo.compare GT, %q, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = "stablehlo.if"(%large) ({
      %t = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }, {
      stablehlo.return %p : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  check.expect_eq_const %0, dense<7> : tensor<i32>
  return
}
func.func @map() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<0.5> : tensor<2x2xf32>
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<f32>):
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %r = stablehlo.convert %p : (tensor<i32>) -> tensor<f32>
    %s = stablehlo.multiply %r, %q : tensor<f32>
    %t = stablehlo.add %s, %one : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<2x2xi32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[1.5, 2.0], [2.5, 3.0]]> : tensor<2x2xf32>
  return
}
