// On one device Shardy's ops give back their operands, and regions run as they stand.
sdy.mesh @mesh = <["a"=2]>

func.func @values() {
  %0 = sdy.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<4xi64>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<4xi64>
  %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<4xi64>
  %4 = sdy.all_slice [{"a"}] %3 out_sharding=<@mesh, [{"a"}]> : tensor<4xi64>
  %5 = sdy.all_gather [{"a"}] %4 out_sharding=<@mesh, [{}]> : tensor<4xi64>
  sdy.sharding_group %5 group_id=0 : tensor<4xi64>
  check.expect_eq_const %5, dense<[1, 2, 3, 4]> : tensor<4xi64>
  return
}

func.func @named_computation() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %1:2 = sdy.named_computation<"double_and_negate">(%0) (%x: tensor<2xi64>) {
    %2 = stablehlo.add %x, %x : tensor<2xi64>
    %3 = stablehlo.negate %x : tensor<2xi64>
    sdy.return %2, %3 : tensor<2xi64>, tensor<2xi64>
  } : (tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %1#0, dense<[2, 4]> : tensor<2xi64>
  check.expect_eq_const %1#1, dense<[-1, -2]> : tensor<2xi64>
  return
}
