// A region that is local along one axis of two: its sum over "x" stays split along "y", and nothing else moves.
// collectives:
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(
    %a: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x16xi32>, tensor<16xi32>) {
  %0 = stablehlo.add %a, %a : tensor<8x16xi32>
  %1:2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{?}]>] manual_axes={"x"} (%b: tensor<4x16xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %part = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x16xi32>, tensor<i32>) -> tensor<16xi32>
    %sum = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<16xi32>) -> tensor<16xi32>
    %wide = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<16xi32>) -> tensor<4x16xi32>
    %c = stablehlo.add %b, %wide : tensor<4x16xi32>
    sdy.return %c, %sum : tensor<4x16xi32>, tensor<16xi32>
  } : (tensor<8x16xi32>) -> (tensor<8x16xi32>, tensor<16xi32>)
  return %1#0, %1#1 : tensor<8x16xi32>, tensor<16xi32>
}
