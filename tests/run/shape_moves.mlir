// Elements moved about, at the edges of what the ops allow.
func.func @pad_negative_and_interior() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [1, -1], high = [-1, 0], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[9, 9, 9, 9], [9, 2, 9, 3]]> : tensor<2x4xi32>
  func.return
}

func.func @pad_nothing() {
  %x = stablehlo.constant dense<> : tensor<0xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [1], high = [1], interior = [7] : (tensor<0xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<9> : tensor<2xi32>
  func.return
}

func.func @dynamic_slice_stays_inside() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %before = stablehlo.constant dense<-7> : tensor<i64>
  %behind = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %0 = stablehlo.dynamic_slice %x, %before, sizes = [2] : (tensor<5xi32>, tensor<i64>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[0, 1]> : tensor<2xi32>
  %1 = stablehlo.dynamic_slice %x, %behind, sizes = [2] : (tensor<5xi32>, tensor<ui64>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[3, 4]> : tensor<2xi32>
  func.return
}

func.func @dynamic_update_slice_stays_inside() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %j = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[0, 7, 8], [3, 4, 5]]> : tensor<2x3xi32>
  func.return
}

func.func @slice_with_steps() {
  %x = stablehlo.iota dim = 0 : tensor<10xi32>
  %0 = stablehlo.slice %x [1:10:4] : (tensor<10xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[1, 5, 9]> : tensor<3xi32>
  %1 = stablehlo.slice %x [9:10:9223372036854775807] : (tensor<10xi32>) -> tensor<1xi32>
  check.expect_eq_const %1, dense<9> : tensor<1xi32>
  func.return
}

func.func @broadcast_with_a_transpose() {
  %x = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<1x3xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %0, dense<[[[1, 1], [1, 1]], [[2, 2], [2, 2]], [[3, 3], [3, 3]]]> : tensor<3x2x2xi32>
  func.return
}

func.func @broadcast_before() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.broadcast %x, sizes = [2, 1] : (tensor<2xi32>) -> tensor<2x1x2xi32>
  check.expect_eq_const %0, dense<[[[1, 2]], [[1, 2]]]> : tensor<2x1x2xi32>
  func.return
}

func.func @transpose_of_three() {
  %x = stablehlo.constant dense<[[[0, 1], [2, 3], [4, 5]]]> : tensor<1x3x2xi32>
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<1x3x2xi32>) -> tensor<2x1x3xi32>
  check.expect_eq_const %0, dense<[[[0, 2, 4]], [[1, 3, 5]]]> : tensor<2x1x3xi32>
  func.return
}

func.func @reverse_both() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[5, 4, 3], [2, 1, 0]]> : tensor<2x3xi32>
  func.return
}

func.func @concatenate_with_nothing_between() {
  %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<> : tensor<2x0xi32>
  %c = stablehlo.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi32>
  %0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<2x1xi32>, tensor<2x0xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[1, 3, 4], [2, 5, 6]]> : tensor<2x3xi32>
  func.return
}

func.func @bits_below_a_byte() {
  %x = stablehlo.constant dense<[[1, -1], [-8, 7]]> : tensor<2x2xi4>
  %0 = stablehlo.bitcast_convert %x : (tensor<2x2xi4>) -> tensor<2xui8>
  check.expect_eq_const %0, dense<[241, 120]> : tensor<2xui8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xui8>) -> tensor<2x2xi4>
  check.expect_eq %1, %x : tensor<2x2xi4>
  %2 = stablehlo.bitcast_convert %x : (tensor<2x2xi4>) -> tensor<2x2xui4>
  check.expect_eq_const %2, dense<[[1, 15], [8, 7]]> : tensor<2x2xui4>
  func.return
}

func.func @bits_of_a_splat_of_signalling_nan() {
  %x = stablehlo.constant dense<0x7F800001> : tensor<3xf32>
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %0, dense<2139095041> : tensor<3xui32>
  %1 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x2xui16>
  check.expect_eq_const %1, dense<[[1, 32640], [1, 32640], [1, 32640]]> : tensor<3x2xui16>
  func.return
}

func.func @iota_of_narrow_types() {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xf8E4M3FN>
  check.expect_eq_const %0, dense<[[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]> : tensor<2x3xf8E4M3FN>
  %1 = stablehlo.iota dim = 0 : tensor<6xui2>
  check.expect_eq_const %1, dense<[0, 1, 2, 3, 0, 1]> : tensor<6xui2>
  func.return
}

func.func @sizes() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi32>) -> tensor<i32>
  check.expect_eq_const %0, dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %1 = stablehlo.set_dimension_size %x, %two, dim = 1 : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[0, 1], [3, 4]]> : tensor<2x2xi32>
  func.return
}
