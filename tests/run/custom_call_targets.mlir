// Calls of functions that are known by name.
func.func @notes_to_the_partitioner_change_nothing() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<3xi32>) -> tensor<3xi32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true} : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[1, 2, 3]> : tensor<3xi32>
  stablehlo.custom_call @xla.sdy.ShardingGroup(%2) {has_side_effect = true} : (tensor<3xi32>) -> ()
  func.return
}

func.func @top_k() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 2.0]]> : tensor<1x3xf32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}} : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
  check.expect_eq_const %0#0, dense<[[3.0, 2.0]]> : tensor<1x2xf32>
  check.expect_eq_const %0#1, dense<[[0, 2]]> : tensor<1x2xi32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
  check.expect_eq_const %1#0, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  check.expect_eq_const %1#1, dense<[[1, 2]]> : tensor<1x2xi32>
  func.return
}

func.func @top_k_as_a_tuple() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 2.0]]> : tensor<1x3xf32>
  %0 = stablehlo.custom_call @TopK(%a) : (tensor<1x3xf32>) -> tuple<tensor<1x2xf32>, tensor<1x2xi32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<1x2xf32>, tensor<1x2xi32>>) -> tensor<1x2xi32>
  check.expect_eq_const %1, dense<[[0, 2]]> : tensor<1x2xi32>
  func.return
}

func.func @approximate_top_k() {
  %a = stablehlo.constant dense<[[3.0, 7.0], [1.0, 8.0], [2.0, 9.0]]> : tensor<3x2xf32>
  %places = stablehlo.iota dim = 0 : tensor<3x2xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %places, %least, %nowhere) {mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[3.0, 9.0], [2.0, 8.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[0, 2], [2, 1]]> : tensor<2x2xi32>
  func.return
}

func.func @halves() {
  %a = stablehlo.constant dense<[4294967298, 5]> : tensor<2xui64>
  %low = stablehlo.custom_call @X64SplitLow(%a) : (tensor<2xui64>) -> tensor<2xui32>
  %high = stablehlo.custom_call @X64SplitHigh(%a) : (tensor<2xui64>) -> tensor<2xui32>
  check.expect_eq_const %low, dense<[2, 5]> : tensor<2xui32>
  check.expect_eq_const %high, dense<[1, 0]> : tensor<2xui32>
  %0 = stablehlo.custom_call @X64Combine(%low, %high) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  check.expect_eq %0, %a : tensor<2xui64>
  func.return
}

func.func @checks() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0000001> : tensor<f32>
  %c = stablehlo.constant dense<1.0005> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%a, %a) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%a, %c) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  func.return
}

func.func @composites_run_their_decomposition() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.composite "my.double" %a {decomposition = @double} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<6> : tensor<i32>
  func.return
}

func.func private @double(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %a : tensor<i32>
  return %0 : tensor<i32>
}

func.func @householder_vectors_make_the_matrix() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %packed, %factors = stablehlo.custom_call @Qr(%a) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%packed, %factors) : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %square = stablehlo.slice %packed [0:2, 0:2] : (tensor<3x2xf64>) -> tensor<2x2xf64>
  %upper = stablehlo.constant dense<[[1.0, 1.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %r = stablehlo.multiply %square, %upper : tensor<2x2xf64>
  %0 = stablehlo.dot_general %q, %r, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq %0, %a : tensor<3x2xf64>
  func.return
}
