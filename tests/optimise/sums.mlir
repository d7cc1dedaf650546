// Two partial products, each asked for as a whole, are only added: one collective instead of two.
// pass: sums
// before: all_reduce=2 sent=128 held=1728
// after: all_reduce=1 sent=64 held=1728
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %c: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<4x4xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{}, {}]> : tensor<4x4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
