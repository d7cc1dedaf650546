// Collectives: groups, dimensions and types.
func.func @accepted(%x: tensor<4x2xf32>, %root: tensor<1xi32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // With a channel but without global ids the partitions are part of each group.
  %2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<16x2xf32>
  %3 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  %4 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, -1], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %5:2 = "stablehlo.all_reduce"(%x, %x) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  %6 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %7 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %8 = "stablehlo.collective_broadcast"(%x, %root) <{has_dynamic_root, replica_groups = dense<[[3, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>, tensor<1xi32>) -> tensor<4x2xf32>
  %9 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[3, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %10 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %11 = stablehlo.replica_id : tensor<ui32>
  %12 = stablehlo.partition_id : tensor<ui32>
  return
}
// -----
func.func @gather_dimension(%x: tensor<4x2xf32>) {
  // error: `all_gather_dim` is 2, but there are only the dimensions 0 to 1
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_negative(%x: tensor<4x2xf32>) {
  // error: `all_gather_dim` is -1
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_twice(%x: tensor<4x2xf32>) {
  // error: the id 0 stands twice in `replica_groups`
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_gap(%x: tensor<4x2xf32>) {
  // error: `replica_groups` holds 2 ids, but not the id 1
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_negative_id(%x: tensor<4x2xf32>) {
  // error: -2 in `replica_groups` is not the id of a device
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_ragged(%x: tensor<4x2xf32>) {
  // error: the groups must have one size
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_rank(%x: tensor<4x2xf32>) {
  // error: `replica_groups` must be a matrix of i64, but it is `tensor<2xi64>`
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_groups_type(%x: tensor<4x2xf32>) {
  // error: `replica_groups` must be a matrix of i64
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_groups_kind(%x: tensor<4x2xf32>) {
  // error: the attribute `replica_groups` must be a matrix
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = "all"}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_channel(%x: tensor<4x2xf32>) {
  // error: `use_global_device_ids` needs a positive channel, but it is 0
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_empty(%x: tensor<4x2xf32>) {
  // error: with `use_global_device_ids` the replica groups must not be empty
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @gather_size(%x: tensor<4x2xf32>) {
  // error: with 2 devices in a group dimension 0 must be 8 = 4 × 2, but it is 12
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<12x2xf32>
  return
}
// -----
func.func @gather_multiple(%x: tensor<4x2xf32>) {
  // error: with 2 devices in a group dimension 0 must be 8 = 4 × 2, but it is 12
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<12x2xf32>
  return
}
// -----
func.func @gather_other_dimension(%x: tensor<4x2xf32>) {
  // error: it may differ from its operand `tensor<4x2xf32>` in dimension 0 only
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x3xf32>
  return
}
// -----
func.func @gather_element(%x: tensor<4x2xf32>) {
  // error: it may differ from its operand
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf64>
  return
}
// -----
func.func @gather_rank_changes(%x: tensor<4x2xf32>) {
  // error: it may differ from its operand
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @gather_results(%x: tensor<4x2xf32>) {
  // error: the list of results has 2 entries, but the list of operands has 1
  %0:2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>)
  return
}
// -----
func.func @reduce_twice(%x: tensor<4x2xf32>) {
  // error: the id 1 stands twice
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @reduce_gap(%x: tensor<4x2xf32>) {
  // error: but not the id 0
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @reduce_channel(%x: tensor<4x2xf32>) {
  // error: `use_global_device_ids` needs a positive channel
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @reduce_arguments(%x: tensor<4x2xf32>) {
  // error: the computation must take 2 arguments
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @reduce_narrows(%x: tensor<4x2xf32>) {
  // error: input 0 holds f32, which cannot be combined as f16
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %c = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %c : tensor<f16>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf16>
  return
}
// -----
func.func @reduce_shape(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<4x3xf32>`
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}
// -----
func.func @reduce_element(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<4x2xf32>`, but from the operands follows `tensor<4x2xf64>`
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @scatter_dimension(%x: tensor<4x2xf32>) {
  // error: `scatter_dimension` is 2
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @scatter_size(%x: tensor<4x2xf32>) {
  // error: with 2 devices in a group dimension 0 must be 8 = 4 × 2, but it is 4
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @scatter_uneven(%x: tensor<4x2xf32>) {
  // error: with 3 devices in a group dimension 0 must be 3 = 1 × 3, but it is 4
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<1x2xf32>
  return
}
// -----
func.func @scatter_twice(%x: tensor<4x2xf32>) {
  // error: the id 0 stands twice
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @scatter_gap(%x: tensor<4x2xf32>) {
  // error: but not the id 1
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @scatter_channel(%x: tensor<4x2xf32>) {
  // error: `use_global_device_ids` needs a positive channel
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @scatter_computation(%x: tensor<4x2xf32>) {
  // error: the computation must give 1 values
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @scatter_other_dimension(%x: tensor<4x2xf32>) {
  // error: in dimension 0 only
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x1xf32>
  return
}
// -----
func.func @scatter_element(%x: tensor<4x2xf32>) {
  // error: in dimension 0 only
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf64>
  return
}
// -----
func.func @exchange_split(%x: tensor<4x2xf32>) {
  // error: `split_dimension` is 2
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_concat(%x: tensor<4x2xf32>) {
  // error: `concat_dimension` is -1
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_count(%x: tensor<4x2xf32>) {
  // error: `split_count` must be positive, but it is 0
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_uneven(%x: tensor<4x2xf32>) {
  // error: dimension 0 of operand 0 is 4, which is not a multiple of 3
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, split_count = 3 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_group_size(%x: tensor<4x2xf32>) {
  // error: `split_count` is 4, but the groups have 2 devices each
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_twice(%x: tensor<4x2xf32>) {
  // error: the id 1 stands twice
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_gap(%x: tensor<4x2xf32>) {
  // error: but not the id 0
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @exchange_result(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<4x2xf32>`, but from the operands follows `tensor<2x4xf32>`
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @broadcast_twice(%x: tensor<4x2xf32>) {
  // error: the id 1 stands twice
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @broadcast_negative(%x: tensor<4x2xf32>) {
  // error: -5 in `replica_groups` is not the id of a device
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, -5]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @broadcast_result(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<4x3xf32>`
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}
// -----
func.func @broadcast_results(%x: tensor<4x2xf32>) {
  // error: it has 2 results, but 1 follow
  %0:2 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}
// -----
func.func @broadcast_root_only(%r: tensor<1xi32>) {
  // error: the last operand says who the root is, but there is no other
  %0 = "stablehlo.collective_broadcast"(%r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<1xi32>) -> tensor<1xi32>
  return
}
// -----
func.func @broadcast_root_type(%x: tensor<4x2xf32>, %r: tensor<2xi32>) {
  // error: must be `tensor<1xi32>`, but it is `tensor<2xi32>`
  %0 = "stablehlo.collective_broadcast"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @collect_twice(%x: tensor<4x2xf32>) {
  // error: the id 1 stands twice
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @collect_shape(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<2x4xf32>`
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @collect_computation(%x: tensor<4x2xf32>) {
  // error: input 0 holds f32, which cannot be combined as i32
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xi32>
  return
}
// -----
func.func @collect_channel(%x: tensor<4x2xf32>) {
  // error: `use_global_device_ids` needs a positive channel
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_columns(%x: tensor<4x2xf32>) {
  // error: `source_target_pairs` must have 2 columns, but it has 3
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_rank(%x: tensor<4x2xf32>) {
  // error: `source_target_pairs` must be a matrix of i64
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_sources(%x: tensor<4x2xf32>) {
  // error: 0 is the source of two pairs
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_targets(%x: tensor<4x2xf32>) {
  // error: 1 is the target of two pairs
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_negative(%x: tensor<4x2xf32>) {
  // error: -1 in `source_target_pairs` is not the id of a device
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
func.func @permute_result(%x: tensor<4x2xf32>) {
  // error: result 0 is `tensor<2x4xf32>`
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
func.func @replica_id() {
  // error: result 0 is `tensor<i32>`, but from the operands follows `tensor<ui32>`
  %0 = stablehlo.replica_id : tensor<i32>
  return
}
// -----
func.func @partition_id() {
  // error: result 0 is `tensor<1xui32>`, but from the operands follows `tensor<ui32>`
  %0 = stablehlo.partition_id : tensor<1xui32>
  return
}
// -----
func.func @mesh_axes(%x: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_part(%x: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_size(%x: tensor<4x2xf32>) {
  // error: with 4 devices in a group dimension 0 must be 16
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_axis(%x: tensor<4x2xf32>) {
  // error: the mesh has no axis "z"
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_no_part(%x: tensor<4x2xf32>) {
  // error: the axis "x" of size 2 has no part (2)2
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_twice(%x: tensor<4x2xf32>) {
  // error: the axes name a part of the axis "x" twice
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
// -----
func.func @mesh_unknown(%x: tensor<4x2xf32>) {
  // error: there is no mesh `@nowhere`
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = []>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}
