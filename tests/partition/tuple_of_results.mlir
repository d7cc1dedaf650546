// A call that gives one tuple gives several results; the elements of a tuple are what was put there. Shardings of elements hold.
// collectives: all_to_all=1
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8x2xf32>, tensor<8x2xi32>, tensor<8xf32>) {
  %0 = stablehlo.custom_call @TopK(%a) : (tensor<8x30xf32>) -> tuple<tensor<8x2xf32>, tensor<8x2xi32>>
  %1 = stablehlo.tuple %0, %b : tuple<tuple<tensor<8x2xf32>, tensor<8x2xi32>>, tensor<8xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tuple<tensor<8x2xf32>, tensor<8x2xi32>>, tensor<8xf32>>) -> tuple<tensor<8x2xf32>, tensor<8x2xi32>>
  %3 = stablehlo.get_tuple_element %2[0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tuple<tensor<8x2xf32>, tensor<8x2xi32>>) -> tensor<8x2xf32>
  %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<8x2xf32>, tensor<8x2xi32>>) -> tensor<8x2xi32>
  %5 = stablehlo.get_tuple_element %1[1] : (tuple<tuple<tensor<8x2xf32>, tensor<8x2xi32>>, tensor<8xf32>>) -> tensor<8xf32>
  return %3, %4, %5 : tensor<8x2xf32>, tensor<8x2xi32>, tensor<8xf32>
}
