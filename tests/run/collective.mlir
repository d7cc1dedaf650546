// Collectives over groups that the corpus does not show: axes of a mesh, short groups, roots, wider sums.
sdy.mesh @grid = <["x"=2, "y"=2]>

func.func private @id(%unused: tensor<i32>) -> tensor<1xi32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  return %2 : tensor<1xi32>
}

func.func private @along_x(%unused: tensor<i32>) -> tensor<2xi32> {
  %id = call @id(%unused) : (tensor<i32>) -> tensor<1xi32>
  %0 = "stablehlo.all_gather"(%id) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

func.func @mesh_axes() {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = "interpreter.run_parallel"(%i, %i, %i, %i) {programs = [[@along_x, @along_x, @along_x, @along_x]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[0, 2]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %0#2, dense<[0, 2]> : tensor<2xi32>
  check.expect_eq_const %0#3, dense<[1, 3]> : tensor<2xi32>
  return
}

func.func private @both_axes(%unused: tensor<i32>) -> tensor<4xi32> {
  %id = call @id(%unused) : (tensor<i32>) -> tensor<1xi32>
  %0 = "stablehlo.all_gather"(%id) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// The order of the axes is the order in the group.
func.func @order_of_axes() {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = "interpreter.run_parallel"(%i, %i, %i, %i) {programs = [[@both_axes, @both_axes, @both_axes, @both_axes]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#3, dense<[0, 2, 1, 3]> : tensor<4xi32>
  return
}

func.func private @short_groups(%x: tensor<2xi16>) -> tensor<2xi32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2xi16>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// A group of one; the sum is wider than the operands, so that it does not wrap.
func.func @short_groups_and_wide_sums() {
  %a = stablehlo.constant dense<[32767, 1]> : tensor<2xi16>
  %b = stablehlo.constant dense<[5, 6]> : tensor<2xi16>
  %0:3 = "interpreter.run_parallel"(%a, %b, %a) {programs = [[@short_groups], [@short_groups], [@short_groups]]} : (tensor<2xi16>, tensor<2xi16>, tensor<2xi16>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[65534, 2]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[5, 6]> : tensor<2xi32>
  check.expect_eq_const %0#2, dense<[65534, 2]> : tensor<2xi32>
  return
}

func.func private @in_order(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Reductions go from the first device of the group to the last, always.
func.func @order_of_reductions() {
  %a = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[2.0, 20.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[7.0, 70.0]> : tensor<2xf32>
  %0:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@in_order], [@in_order], [@in_order]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %0#0, dense<[4.0, 40.0]> : tensor<2xf32>
  check.expect_eq_const %0#2, dense<[4.0, 40.0]> : tensor<2xf32>
  return
}

func.func private @rooted(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %roots = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %0:2 = "stablehlo.collective_broadcast"(%x, %y, %roots) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<i32>, tensor<i32>, tensor<2xi32>) -> (tensor<i32>, tensor<i32>)
  %root = stablehlo.constant dense<1> : tensor<1xi32>
  %1 = "stablehlo.collective_reduce"(%x, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<i32>, tensor<1xi32>) -> tensor<i32>
  return %0#0, %0#1, %1 : tensor<i32>, tensor<i32>, tensor<i32>
}

func.func @roots_as_operands() {
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<2> : tensor<i32>
  %3 = stablehlo.constant dense<3> : tensor<i32>
  %4 = stablehlo.constant dense<4> : tensor<i32>
  %0:6 = "interpreter.run_parallel"(%1, %2, %3, %4) {programs = [[@rooted], [@rooted]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<3> : tensor<i32>
  check.expect_eq_const %0#1, dense<2> : tensor<i32>
  check.expect_eq_const %0#2, dense<0> : tensor<i32>
  check.expect_eq_const %0#3, dense<3> : tensor<i32>
  check.expect_eq_const %0#4, dense<2> : tensor<i32>
  check.expect_eq_const %0#5, dense<4> : tensor<i32>
  return
}

func.func private @gather_later(%x: tensor<1xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<1xi32>):
    %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi32>) -> tensor<2xi32>
    stablehlo.return %g : tensor<2xi32>
  }) : (tensor<1xi32>) -> !stablehlo.future<tensor<2xi32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// The body may use the operands themselves.
func.func private @exchange_later(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = "stablehlo.async_start"(%x) ({
    %g = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<2xi32>
    stablehlo.return %g : tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  %1 = stablehlo.add %x, %x : tensor<2xi32>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  return %1, %2 : tensor<2xi32>, tensor<2xi32>
}

func.func @asynchronous_with_values_from_outside() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0:4 = "interpreter.run_parallel"(%a, %b) {programs = [[@exchange_later], [@exchange_later]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#1, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %0#2, dense<[6, 8]> : tensor<2xi32>
  check.expect_eq_const %0#3, dense<[2, 4]> : tensor<2xi32>
  return
}

func.func @asynchronous() {
  %a = stablehlo.constant dense<[1]> : tensor<1xi32>
  %b = stablehlo.constant dense<[2]> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@gather_later], [@gather_later]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[1, 2]> : tensor<2xi32>
  return
}

// A ring in a loop: each device passes on what it got, with its neighbour's message on the way.
func.func private @ring(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %tok = %t) : tensor<i32>, tensor<i32>, !stablehlo.token cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = "stablehlo.send"(%v, %tok) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %r#0, %r#1 : tensor<i32>, tensor<i32>, !stablehlo.token
  }
  return %0#1 : tensor<i32>
}

func.func @messages_around_a_ring() {
  %a = stablehlo.constant dense<10> : tensor<i32>
  %b = stablehlo.constant dense<20> : tensor<i32>
  %c = stablehlo.constant dense<30> : tensor<i32>
  %0:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@ring, @ring, @ring]]} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<20> : tensor<i32>
  check.expect_eq_const %0#1, dense<30> : tensor<i32>
  check.expect_eq_const %0#2, dense<10> : tensor<i32>
  return
}

func.func private @one_program(%x: tensor<1xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

func.func private @another_program(%x: tensor<1xi32>) -> tensor<2xi32> {
  %d = stablehlo.add %x, %x : tensor<1xi32>
  %0 = "stablehlo.all_gather"(%d) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Programs that differ meet in collectives of the same channel and group.
func.func @different_programs() {
  %a = stablehlo.constant dense<[1]> : tensor<1xi32>
  %b = stablehlo.constant dense<[2]> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@one_program], [@another_program]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[1, 4]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[1, 4]> : tensor<2xi32>
  return
}

func.func private @grid_in_grid(%x: tensor<1xi32>) -> tensor<4xi32> {
  %0:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@one_program], [@another_program]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %1 = "stablehlo.all_gather"(%0#1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

func.func @grids_in_grids() {
  %a = stablehlo.constant dense<[1]> : tensor<1xi32>
  %b = stablehlo.constant dense<[5]> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@grid_in_grid], [@grid_in_grid]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[1, 2, 5, 10]> : tensor<4xi32>
  return
}

// One device is a group too.
func.func @alone() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  %1 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq %0, %x : tensor<2xi32>
  check.expect_eq %1, %x : tensor<2xi32>
  check.expect_eq_const %2, dense<0> : tensor<2xi32>
  return
}
