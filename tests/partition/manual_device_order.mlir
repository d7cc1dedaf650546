// Devices in an order of their own: shards lie by position in the mesh, groups and `partition_id` name devices. Here the devices
// of one "x" are 3, 1 and 2, 0.
// collectives:
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
func.func @main(
    %a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
        tensor<2x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xi32>) {
    %sum = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %shifted = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %c = stablehlo.subtract %sum, %shifted : tensor<2x2xi32>
    %id = stablehlo.partition_id : tensor<ui32>
    %ids = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1x1xui32>
    sdy.return %c, %ids : tensor<2x2xi32>, tensor<1x1xui32>
  } : (tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<2x2xui32>)
  return %0#0, %0#1 : tensor<4x4xi32>, tensor<2x2xui32>
}
