// A shift by one row, written as padding and a slice: one row is sent, and the nine rows between are never put into blocks.
// collectives: collective_permute=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%rows: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %first: tensor<i32>)
    -> (tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.pad %rows, %first, low = [1, 2], high = [0, 0], interior = [0, 0] : (tensor<8x3xi32>, tensor<i32>) -> tensor<9x5xi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<9x5xi32>
  %2 = stablehlo.slice %1 [0:8, 1:4] : (tensor<9x5xi32>) -> tensor<8x3xi32>
  return %2 : tensor<8x3xi32>
}
