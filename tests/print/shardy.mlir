// Shardy's ops and attributes, as jaxlib prints them.
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  sdy.mesh @maximal = <[], device_ids=[3]>
  func.func @f(%arg0: tensor<8x8x8xf32>, %arg1: tensor<8x8x8xf32>, %arg2: tensor<8x8x8xf32>, %arg3: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a", ?}p0, {}, {?}p2]>}) -> tensor<8x8x8xf32> {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {}, {"c":(1)2}], replicated={"c":(2)2}>]>} : tensor<8x8x8xf32>
    %1 = sdy.all_gather [{"b"}, {}, {"c":(1)2}] %0 out_sharding=<@mesh, [{"a"}, {}, {}]> : tensor<8x8x8xf32>
    %2 = sdy.all_slice [{"b"}, {}, {}] %1 out_sharding=<@mesh, [{"a", "b"}, {}, {}]> : tensor<8x8x8xf32>
    %3 = sdy.all_to_all [{"b"}: 0->1] %2 out_sharding=<@mesh, [{"a"}, {"b"}, {}]> : tensor<8x8x8xf32>
    %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"b"}, {"a"}, {}]> : tensor<8x8x8xf32>
    %5 = sdy.all_reduce {"c"} %4 out_sharding=<@mesh, [{"b"}, {"a"}, {}]> : tensor<8x8x8xf32>
    %6 = sdy.reduce_scatter [{}, {}, {"c"}] %5 out_sharding=<@mesh, [{"b"}, {"a"}, {"c"}]> {foo = 1 : i32} : tensor<8x8x8xf32>
    %7 = sdy.sharded_to_unreduced [{}, {}, {"c"}] %6 out_sharding=<@mesh, [{"b"}, {"a"}, {}], unreduced={"c"}> : tensor<8x8x8xf32>
    %8 = sdy.replicated_to_unreduced {"c"} %5 out_sharding=<@mesh, [{"b"}, {"a"}, {}], unreduced={"c"}> : tensor<8x8x8xf32>
    %9 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %10 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8xf32>
    %11 = sdy.reshard %arg0 <@mesh, [{}, {}, {}]> : tensor<8x8x8xf32>
    sdy.sharding_group %arg0 group_id=3 : tensor<8x8x8xf32>
    %12 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x8x8xf32>
    %13 = sdy.data_flow_edge %arg1 : tensor<8x8x8xf32>
    %14 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{}, {}, {}]> : tensor<8x8x8xf32>
    %15 = sdy.func_data_flow_edge %arg3 : tensor<8x8x8xf32>
    %16 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{}, {}, {}]>] out_shardings=[<@mesh, [{}, {}, {}]>] (%arg4: tensor<8x8x8xf32>) {
      sdy.return %arg4 : tensor<8x8x8xf32>
    } {bar = 1 : i32} : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %17 = sdy.named_computation<"foo">(%arg0) (%arg4: tensor<8x8x8xf32>) {
      sdy.return %arg4 : tensor<8x8x8xf32>
    } : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %18 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {}, {}]>] out_shardings=[<@mesh, [{"a"}, {}, {}]>] manual_axes={"a"} (%arg4: tensor<4x8x8xf32>) {
      sdy.return %arg4 : tensor<4x8x8xf32>
    } : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %19:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i]) {i=8, j=8, k=8}, custom>} : (tensor<8x8x8xf32>) -> (tensor<8x8x8xf32>, tensor<8xf32>)
    %20 = sdy.sharding_constraint %arg0 <mesh<[]>, [{?}, {?}, {?}]> {foo} : tensor<8x8x8xf32>
    %21 = sdy.sharding_constraint %arg0 <mesh<[], device_ids=[5]>, []> {foo} : tensor<8x8x8xf32>
    return %0 : tensor<8x8x8xf32>
  }
}
