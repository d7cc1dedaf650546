// What cannot be split yet runs whole on every device: slower, and right.
sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<7xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<7xi32>, tensor<7xi32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<7xi32>
  %1 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %2 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<7xi32>) -> tensor<7xi32>
  return %0, %1 : tensor<7xi32>, tensor<7xi32>
}
