// A sort takes what is joined whole: the parts are gathered and joined on every device, rather than joined in shards and gathered then.
// collectives: all_gather=2
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<20xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8xi32>, tensor<12xi32>) -> tensor<20xi32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%c: tensor<i32>, %d: tensor<i32>):
      %less = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<20xi32>) -> tensor<20xi32>
  return %1 : tensor<20xi32>
}
