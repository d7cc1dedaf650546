// The largest elements along a split dimension and what belongs to them, ranked in each shard and once more; the call gives one tuple.
// collectives: all_gather=2
sdy.mesh @mesh = <["x"=4]>
func.func @larger(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func @main(%a: tensor<2x47xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %places = stablehlo.iota dim = 1 : tensor<2x47xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.custom_call @ApproxTopK(%a, %places, %least, %nowhere) {called_computations = [@larger], mhlo.backend_config = {
    aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}}
    : (tensor<2x47xf32>, tensor<2x47xi32>, tensor<f32>, tensor<i32>) -> tuple<tensor<2x4xf32>, tensor<2x4xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x4xf32>, tensor<2x4xi32>>) -> tensor<2x4xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x4xf32>, tensor<2x4xi32>>) -> tensor<2x4xi32>
  return %1, %2 : tensor<2x4xf32>, tensor<2x4xi32>
}
