// Two partial products are added before they are combined: one reduction, not two.
// collectives: all_reduce=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %a: tensor<6x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<8x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %c: tensor<8x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xi32>, tensor<8x5xi32>) -> tensor<6x5xi32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<6x8xi32>, tensor<8x5xi32>) -> tensor<6x5xi32>
  %2 = stablehlo.add %0, %1 : tensor<6x5xi32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<6x5xi32>) -> tensor<5x6xi32>
  return %3 : tensor<5x6xi32>
}
