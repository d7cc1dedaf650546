// An operand of two products that are alike is gathered once, though each of them alone would rather gather the other one.
// collectives: all_gather=1
// sent: 768
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<12x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %c: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
        tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %ab = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<8x32xf32>, tensor<12x32xf32>) -> tensor<8x12xf32>
  %cb = stablehlo.dot_general %c, %b, contracting_dims = [1] x [1] : (tensor<8x32xf32>, tensor<12x32xf32>) -> tensor<8x12xf32>
  return %ab, %cb : tensor<8x12xf32>, tensor<8x12xf32>
}
