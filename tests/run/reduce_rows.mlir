// Reductions that engines compute for many results at once: running sums, the place of the largest, windows that select.
func.func @running_sums_along_a_dimension() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{
    window_dimensions = array<i64: 3, 1>, padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [4, 6], [9, 12]]> : tensor<3x2xi32>
  func.return
}

func.func @running_products_from_the_end() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{
    window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [0, 2]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %product = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %product : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[6, 6, 3], [120, 30, 6]]> : tensor<2x3xi32>
  func.return
}

func.func @windows_with_holes_and_strides() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, base_dilations = array<i64: 2>,
    window_dilations = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %difference = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %difference : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[8, 7, 6, 5]> : tensor<4xi32>
  func.return
}

func.func @place_of_the_largest_in_each_row() {
  %x = stablehlo.constant dense<[[1, 7, 7], [9, 0, 2], [3, 3, 3], [-1, -2, 0], [0, 5, 4]]> : tensor<5x3xi32>
  %i = stablehlo.iota dim = 1 : tensor<5x3xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %least, %first) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %n: tensor<i32>, %b: tensor<i32>, %m: tensor<i32>):
    %more = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i32>
    %place = stablehlo.select %more, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i32>, tensor<i32>
  }) : (tensor<5x3xi32>, tensor<5x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
  check.expect_eq_const %0#0, dense<[7, 9, 3, 0, 5]> : tensor<5xi32>
  check.expect_eq_const %0#1, dense<[1, 0, 0, 2, 1]> : tensor<5xi32>
  func.return
}

func.func @windows_that_overlap_select_the_first_of_equals() {
  %x = stablehlo.constant dense<[[4, 1, 4, 0], [1, 4, 2, 8]]> : tensor<2x4xi32>
  %source = stablehlo.constant dense<[[1, 10], [100, 1000]]> : tensor<2x2xi32>
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %c) <{
    window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %keep = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[0, -1, 9, -1], [-1, 99, -1, 999]]> : tensor<2x4xi32>
  func.return
}
