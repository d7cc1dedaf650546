// A region that is local along "y" inside one that is local along "x": the inner one may use collectives along both, and what is
// between them is split by nothing but the axis "z" that is left.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(
    %a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", "z"}]>})
    -> (tensor<4x8xi32>, tensor<8xi32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}]>] manual_axes={"x"} (%b: tensor<2x8xi32>) {
    %twice = stablehlo.add %b, %b : tensor<2x8xi32>
    %1 = sdy.manual_computation(%twice) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"y"} (%c: tensor<2x4xi32>) {
      %sum = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
        ^bb0(%l: tensor<i32>, %r: tensor<i32>):
          %s = stablehlo.add %l, %r : tensor<i32>
          stablehlo.return %s : tensor<i32>
      }) : (tensor<2x4xi32>) -> tensor<2x4xi32>
      %d = stablehlo.add %c, %sum : tensor<2x4xi32>
      sdy.return %d : tensor<2x4xi32>
    } : (tensor<2x8xi32>) -> tensor<2x8xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %part = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x8xi32>, tensor<i32>) -> tensor<8xi32>
    %all = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<8xi32>) -> tensor<8xi32>
    sdy.return %1, %all : tensor<2x8xi32>, tensor<8xi32>
  } : (tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<4x8xi32>, tensor<8xi32>
}
