// A manual region in a loop, with a loop inside that runs as often as the device's own number says: devices along "x" part ways,
// those along "y" do not.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %a: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %w: tensor<6x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %v = %w) : tensor<i32>, tensor<4x6xi32>, tensor<6x6xi32>
    cond {
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %y = sdy.manual_computation(%x, %v) in_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%b: tensor<2x6xi32>, %u: tensor<6x6xi32>) {
        %from = stablehlo.constant dense<0> : tensor<i32>
        %step = stablehlo.constant dense<1> : tensor<i32>
        %two = stablehlo.constant dense<2> : tensor<ui32>
        %id = stablehlo.partition_id : tensor<ui32>
        %row = stablehlo.divide %id, %two : tensor<ui32>
        %rounds = stablehlo.convert %row : (tensor<ui32>) -> tensor<i32>
        %inner:2 = stablehlo.while(%k = %from, %c = %b) : tensor<i32>, tensor<2x6xi32>
          cond {
            %more = stablehlo.compare LE, %k, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          } do {
            %d = stablehlo.dot_general %c, %u, contracting_dims = [1] x [0] : (tensor<2x6xi32>, tensor<6x6xi32>) -> tensor<2x6xi32>
            %n = stablehlo.add %k, %step : tensor<i32>
            stablehlo.return %n, %d : tensor<i32>, tensor<2x6xi32>
          }
        %shifted = "stablehlo.collective_permute"(%inner#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<2x6xi32>) -> tensor<2x6xi32>
        sdy.return %shifted : tensor<2x6xi32>
      } : (tensor<4x6xi32>, tensor<6x6xi32>) -> tensor<4x6xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y, %v : tensor<i32>, tensor<4x6xi32>, tensor<6x6xi32>
    }
  return %0#1 : tensor<4x6xi32>
}
