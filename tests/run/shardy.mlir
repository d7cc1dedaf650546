// Shardy's ops on one device: what they say about devices changes no value.
sdy.mesh @one = <["x"=1]>

func.func @constraints() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = sdy.sharding_constraint %0 <@one, [{"x"}]> : tensor<2xf32>
  %2 = sdy.reshard %1 <@one, [{}]> : tensor<2xf32>
  check.expect_eq %2, %0 : tensor<2xf32>
  return
}

func.func @named() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1:2 = sdy.named_computation<"block">(%0) (%a: tensor<2xf32>) {
    %2 = stablehlo.add %a, %a : tensor<2xf32>
    sdy.return %2, %a : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %1#0, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_eq %1#1, %0 : tensor<2xf32>
  return
}

func.func @manual() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@one, [{"x"}]>] out_shardings=[<@one, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
    %2 = stablehlo.add %a, %a : tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>
  return
}
