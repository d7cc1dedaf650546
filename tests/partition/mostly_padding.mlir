// A single row on one of eight devices is added up everywhere, not gathered with seven rows of padding.
// collectives: all_reduce=1
// sent: 112
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%row: tensor<1x1x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>})
    -> (tensor<1x1x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  return %row : tensor<1x1x16xf32>
}
