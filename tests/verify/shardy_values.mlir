// Shardy's ops on values: same type in and out, attributes of the right kind and shape.
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @accepted(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}p1, {?}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a":(1)2}, {}], replicated={"b"}> : tensor<8x8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<8x8xf32>
  %3 = sdy.all_to_all [{"a"}: 0->1] %2 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
  sdy.sharding_group %3 group_id=0 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
func.func @same_type(%x: tensor<8xf32>) {
  // error: result 0 is `tensor<4xf32>`, but from the operands follows `tensor<8xf32>`
  %0 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<8xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @sharding_missing(%x: tensor<8xf32>) {
  // error: the attribute `sharding` is missing
  %0 = "sdy.sharding_constraint"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @sharding_of_the_wrong_kind(%x: tensor<8xf32>) {
  // error: the attribute `sharding` must be `#sdy.sharding<…>`
  %0 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding_per_value<[]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @barrier_both(%x: tensor<8xf32>) {
  // error: BOTH would make the barrier useless
  %0 = sdy.propagation_barrier %x allowed_direction=BOTH : tensor<8xf32>
  return
}
// -----
func.func @barrier_unknown_word(%x: tensor<8xf32>) {
  // error: expected one of NONE, FORWARD, BACKWARD, found `SIDEWAYS`
  %0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : tensor<8xf32>
  return
}
// -----
func.func @barrier_unknown_number(%x: tensor<8xf32>) {
  // error: the direction 4 is not one of
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 4 : i32}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @axes_for_each_dimension(%x: tensor<8x8xf32>) {
  // error: `gathering_axes` has 1 lists of axes, but the tensor has 2 dimensions
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}
// -----
func.func @moves_empty(%x: tensor<8x8xf32>) {
  // error: the list of moves is empty
  %0 = sdy.all_to_all [] %x out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}
// -----
func.func @moves_in_range(%x: tensor<8x8xf32>) {
  // error: the target is 2, but there are only the dimensions 0 to 1
  %0 = sdy.all_to_all [{"a"}: 0->2] %x out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}
// -----
func.func @moves_unique(%x: tensor<8x8xf32>) {
  // error: dimension 0 stands twice
  %0 = sdy.all_to_all [{"a"}: 0->0] %x out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}
// -----
func.func @moves_ascend(%x: tensor<8x8x8x8xf32>) {
  // error: the sources must ascend, but dimension 0 comes after 2
  %0 = sdy.all_to_all [{"a"}: 2->3, {"b"}: 0->1] %x out_sharding=<@mesh, [{}, {}, {}, {}]> : tensor<8x8x8x8xf32>
  return
}
// -----
func.func @axes_not_empty(%x: tensor<8x8xf32>) {
  // error: `axes` is empty
  %0 = sdy.replicated_to_unreduced {} %x out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}
// -----
func.func @priority(%x: tensor<8xf32>) {
  // error: expected a priority such as `p1`, found `p01`
  %0 = sdy.sharding_constraint %x <@mesh, [{?}p01]> : tensor<8xf32>
  return
}
// -----
func.func @replicated_twice(%x: tensor<8xf32>) {
  // error: expected `replicated` or `unreduced`, each once
  %0 = sdy.sharding_constraint %x <@mesh, [{?}], replicated={"a"}, replicated={"b"}> : tensor<8xf32>
  return
}
