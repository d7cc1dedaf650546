// Twelve rows on ten devices lie in blocks of two. Gathered along "y" they lie in blocks of ten along "x", where six are
// wanted: the rows between come from the neighbour.
// collectives: all_gather=1 collective_permute=1
sdy.mesh @mesh = <["x"=2, "y"=5]>
func.func @main(
    %rows: tensor<12x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<12x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  return %rows : tensor<12x16xi32>
}
