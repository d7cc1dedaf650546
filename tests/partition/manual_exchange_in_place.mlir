// An exchange that leaves a dimension as large as it was still moves its elements: nothing splits that dimension.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", ?}]>] out_shardings=[<@mesh, [{"y", ?}]>] manual_axes={"y"} (%b: tensor<4xi32>) {
    %1 = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<4xi32>
    %2 = "stablehlo.all_to_all"(%1) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<4xi32>
    sdy.return %3 : tensor<4xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
