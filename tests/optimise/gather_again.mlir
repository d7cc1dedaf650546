// A gathered weight is needed at both ends of the program, and does not fit beside what is between: it is gathered twice.
// pass: rematerialise
// memory: 33000
// before: all_gather=2 sent=6144 held=34816
// after: all_gather=3 sent=8192 held=30720
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %v: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [1] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %3 : tensor<64x32xf32>
}
