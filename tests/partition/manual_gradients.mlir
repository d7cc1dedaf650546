// Tensor parallelism along the free axis inside of a region that is local along the batch: the partial products along "model" are
// added before they are combined, and then once.
// collectives: all_reduce=1
sdy.mesh @mesh = <["batch"=2, "model"=2]>
func.func @main(
    %x: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {"model"}]>},
    %v: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
    %w: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}]>}) {
  %0 = sdy.manual_computation(%x, %v, %w) in_shardings=[<@mesh, [{"batch"}, {?}]>, <@mesh, [{?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"batch"}, {}]>] manual_axes={"batch"} (%a: tensor<4x6xi32>, %b: tensor<6x4xi32>, %c: tensor<6x4xi32>) {
    %one = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xi32>, tensor<6x4xi32>) -> tensor<4x4xi32>
    %other = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<4x6xi32>, tensor<6x4xi32>) -> tensor<4x4xi32>
    %sum = stablehlo.add %one, %other : tensor<4x4xi32>
    sdy.return %sum : tensor<4x4xi32>
  } : (tensor<8x6xi32>, tensor<6x4xi32>, tensor<6x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}
