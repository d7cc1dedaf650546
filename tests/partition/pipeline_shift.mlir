// A pipeline as one loop: every stage works on its micro-batch, then all micro-batches move on by one stage and a new one comes in: one permute
// for each shift.
// collectives: collective_permute=1
sdy.mesh @mesh = <["stage"=4]>
func.func @main(
    %weights: tensor<4x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"stage"}, {}, {}]>},
    %start: tensor<4x16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"stage"}, {}, {}]>},
    %batches: tensor<7x16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
    -> (tensor<4x16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"stage"}, {}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %shifts = stablehlo.constant dense<7> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %buffer = %start) : tensor<i32>, tensor<4x16x8xi32>
    cond {
      %more = stablehlo.compare LT, %i, %shifts : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %work = stablehlo.dot_general %buffer, %weights, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x8xi32>, tensor<4x8x8xi32>) -> tensor<4x16x8xi32>
      %new = stablehlo.dynamic_slice %batches, %i, %zero, %zero, sizes = [1, 16, 8] : (tensor<7x16x8xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8xi32>
      %rest = stablehlo.slice %work [0:3, 0:16, 0:8] : (tensor<4x16x8xi32>) -> tensor<3x16x8xi32>
      %next = stablehlo.concatenate %new, %rest, dim = 0 : (tensor<1x16x8xi32>, tensor<3x16x8xi32>) -> tensor<4x16x8xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<4x16x8xi32>
    }
  return %0#1 : tensor<4x16x8xi32>
}
