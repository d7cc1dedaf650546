// The largest elements along a split dimension: each device ranks its shard, and what ranks highest in each is ranked once more. Of
// equal elements the first one wins, also in uneven and empty shards. Where all of a shard would be sent it is gathered first.
// collectives: all_gather=7
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %a: tensor<3x41xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
    %b: tensor<250xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>},
    %c: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %d: tensor<50xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<3x3xi32>, tensor<3x3xi32>, tensor<4xf32>, tensor<4xi32>, tensor<7xf32>, tensor<7xi32>,
        tensor<5xui32>, tensor<5xi32>) {
  %best, %places = chlo.top_k(%a, k = 3) : tensor<3x41xi32> -> (tensor<3x3xi32>, tensor<3x3xi32>)
  %most, %where = chlo.top_k(%b, k = 4) : tensor<250xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %many, %there = chlo.top_k(%c, k = 7) : tensor<9xf32> -> (tensor<7xf32>, tensor<7xi32>)
  %bits = stablehlo.convert %d : (tensor<50xi1>) -> tensor<50xui32>
  %equal, %first = chlo.top_k(%bits, k = 5) : tensor<50xui32> -> (tensor<5xui32>, tensor<5xi32>)
  return %best, %places, %most, %where, %many, %there, %equal, %first
    : tensor<3x3xi32>, tensor<3x3xi32>, tensor<4xf32>, tensor<4xi32>, tensor<7xf32>, tensor<7xi32>,
      tensor<5xui32>, tensor<5xi32>
}
