// Edges look up the nodes at both ends, of which there are few: the nodes are gathered once, and what is found is never summed up.
// collectives: all_gather=1
sdy.mesh @mesh = <["data"=8, "model"=4]>
func.func @main(
    %n: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %e: tensor<256x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>},
    %i: tensor<256x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>},
    %j: tensor<256x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>},
    %w: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<256x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>}) {
  %0 = "stablehlo.gather"(%n, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<256x1xi32>) -> tensor<256x8xf32>
  %3 = "stablehlo.gather"(%n, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<256x1xi32>) -> tensor<256x8xf32>
  %1 = stablehlo.concatenate %e, %0, %3, dim = 1 : (tensor<256x8xf32>, tensor<256x8xf32>, tensor<256x8xf32>) -> tensor<256x24xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<256x24xf32>, tensor<24x8xf32>) -> tensor<256x8xf32>
  return %2 : tensor<256x8xf32>
}
