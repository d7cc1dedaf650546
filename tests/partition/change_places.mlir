// Shards that only change places go by one permute each: the axes of a dimension in another order, the dimensions'
// axes passed on, and another axis of the same size.
// collectives: collective_permute=3
sdy.mesh @mesh = <["a"=2, "b"=3, "c"=2]>
func.func @main(
    %order: tensor<12x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>},
    %passed: tensor<6x8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}, {"b"}]>},
    %other: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})
    -> (tensor<12x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>},
        tensor<6x8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a"}, {"b"}]>},
        tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}) {
  return %order, %passed, %other : tensor<12x4xi32>, tensor<6x8x6xi32>, tensor<6x4xi32>
}
