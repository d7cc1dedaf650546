// A sum that is scattered along an inner dimension, in a loop: the rows of each shard are put together before. Along the outermost dimension
// nothing is to be done.
// pass: leading
// before: reduce_scatter=2 sent=1152 held=928
// after: reduce_scatter=2 sent=1152 held=1124
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %x: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%n = %zero, %y = %x) : tensor<i32>, tensor<6x16xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %n, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n, %one : tensor<i32>
      %product = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x16xf32>) -> tensor<6x16xf32>
      stablehlo.return %next, %product : tensor<i32>, tensor<6x16xf32>
    }
  %1 = stablehlo.dot_general %w, %x, contracting_dims = [0] x [1] : (tensor<16x16xf32>, tensor<6x16xf32>) -> tensor<16x6xf32>
  return %0#1, %1 : tensor<6x16xf32>, tensor<16x6xf32>
}
