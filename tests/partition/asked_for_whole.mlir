// What is padded is asked for whole: the smaller tensor is gathered, not what comes of it.
// collectives: all_gather=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%rows: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %value: tensor<i32>)
    -> (tensor<18x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.pad %rows, %value, low = [1, 0], high = [2, 0], interior = [1, 0] : (tensor<8x3xi32>, tensor<i32>) -> tensor<18x3xi32>
  return %0 : tensor<18x3xi32>
}
