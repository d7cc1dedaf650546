// A sum over the rounds of a loop, each round a partial sum: it is combined once, after the loop.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %batches: tensor<3x8x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
    -> (tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<5xi32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %zeros) : tensor<i32>, tensor<5xi32>
    cond {
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %batch = stablehlo.dynamic_slice %batches, %i, %zero, %zero, sizes = [1, 8, 5] : (tensor<3x8x5xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x5xi32>
      %flat = stablehlo.reshape %batch : (tensor<1x8x5xi32>) -> tensor<8x5xi32>
      %part = stablehlo.reduce(%flat init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x5xi32>, tensor<i32>) -> tensor<5xi32>
      %next = stablehlo.add %sum, %part : tensor<5xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<5xi32>
    }
  return %0#1 : tensor<5xi32>
}
