// What cannot be split along a dimension is split along another one: the operands are exchanged there, and the results back.
// collectives: all_to_all=6
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %keys: tensor<18x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %values: tensor<18x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %signal: tensor<16x32xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<18x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
        tensor<18x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
        tensor<16x32xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %sorted:2 = "stablehlo.sort"(%keys, %values) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %0 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : (tensor<18x64xi32>, tensor<18x64xf32>) -> (tensor<18x64xi32>, tensor<18x64xf32>)
  %spectrum = stablehlo.fft %signal, type = FFT, length = [32] : (tensor<16x32xcomplex<f32>>) -> tensor<16x32xcomplex<f32>>
  return %sorted#0, %sorted#1, %spectrum : tensor<18x64xi32>, tensor<18x64xf32>, tensor<16x32xcomplex<f32>>
}
