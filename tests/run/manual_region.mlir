// A manual region on one device stands for all devices of its mesh.
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>

// The sum over "x" of each two rows; the free axis "y" changes nothing.
func.func @sum_of_shards() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [10, 20], [30, 40]]> : tensor<4x2xi32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%b: tensor<2x2xi32>) {
    %sum = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    sdy.return %sum : tensor<2x2xi32>
  } : (tensor<4x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[11, 22], [33, 44]]> : tensor<2x2xi32>
  return
}

// Shards lie by position, `partition_id` is the device there.
func.func @device_order() {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@turned, [{"x", "y"}]>] manual_axes={"x", "y"} () {
    %id = stablehlo.partition_id : tensor<ui32>
    %ids = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    sdy.return %ids : tensor<1xui32>
  } : () -> tensor<4xui32>
  check.expect_eq_const %0, dense<[3, 1, 2, 0]> : tensor<4xui32>
  return
}

// The inner region gets shards of shards, and puts only its own together.
func.func @nested() {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xi32>) {
    %1 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%c: tensor<2xi32>) {
      %d = stablehlo.reverse %c, dims = [0] : tensor<2xi32>
      sdy.return %d : tensor<2xi32>
    } : (tensor<4xi32>) -> tensor<4xi32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<4xi32>
    sdy.return %2 : tensor<4xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  check.expect_eq_const %0, dense<[2, 3, 0, 1, 6, 7, 4, 5]> : tensor<8xi32>
  return
}
