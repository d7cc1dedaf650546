// Axes that go from several dimensions to others, and from one to several, go in one exchange.
// collectives: all_to_all=2
// sent: 3584
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(
    %several: tensor<8x8x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {"b"}, {}]>},
    %one: tensor<16x16x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}, {}]>})
    -> (tensor<8x8x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {}, {"a"}]>},
        tensor<16x16x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {"a"}]>}) {
  return %several, %one : tensor<8x8x8x8xi32>, tensor<16x16x16xi32>
}
