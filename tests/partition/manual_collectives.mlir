// A region that is local along all axes, with the collectives that programs write. They name devices, and stay as
// they are.
// collectives:
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
        tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>},
        tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
        tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
        tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
        tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0:6 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>]
      out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x", "y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}]>]
      manual_axes={"x", "y"} (%b: tensor<2x4xi32>) {
    %gathered = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x4xi32>) -> tensor<2x8xi32>
    %rows = "stablehlo.all_gather"(%gathered) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xi32>) -> tensor<4x8xi32>
    %turned = "stablehlo.all_to_all"(%b) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<2x4xi32>) -> tensor<4x2xi32>
    %shifted = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %scattered = "stablehlo.reduce_scatter"(%b) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<2x4xi32>) -> tensor<1x4xi32>
    %largest = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.maximum %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %id = stablehlo.partition_id : tensor<ui32>
    %ids = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>
    sdy.return %rows, %turned, %shifted, %scattered, %largest, %ids : tensor<4x8xi32>, tensor<4x2xi32>, tensor<2x4xi32>, tensor<1x4xi32>, tensor<2x4xi32>, tensor<1xui32>
  } : (tensor<8x4xi32>) -> (tensor<8x8xi32>, tensor<4x8xi32>, tensor<8x4xi32>, tensor<4x4xi32>, tensor<8x4xi32>, tensor<4xui32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<8x8xi32>, tensor<4x8xi32>, tensor<8x4xi32>, tensor<4x4xi32>, tensor<8x4xi32>, tensor<4xui32>
}
