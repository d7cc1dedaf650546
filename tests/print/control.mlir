// Control flow, calls and tokens, as jaxlib prints them.
module {
  func.func @g(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    return %arg0, %arg0 : tensor<i32>, tensor<i32>
  }
  func.func @e() {
    return {x = [1, 2.500000e+00, 3 : i32, [4], 1.500000e+00 : f32, 0x7FF8000000000000 : f64, -1.000000e+30], y = 1 : i64, z = 2.500000e+00 : f64}
  }
  func.func @f(%arg0: tensor<i32>, %arg1: !stablehlo.token) -> tensor<i32> {
    %0 = stablehlo.after_all  : !stablehlo.token
    %1 = stablehlo.after_all %arg1, %0 {x} : !stablehlo.token
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.create_token {x} : !stablehlo.token
    %4 = stablehlo.partition_id : tensor<ui32>
    %5 = stablehlo.replica_id {y = 1 : i64} : tensor<ui32>
    %6:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<i32>, !stablehlo.token
    %7:2 = stablehlo.optimization_barrier {z} %arg0, %arg1 : tensor<i32>, !stablehlo.token
    stablehlo.optimization_barrier()
    stablehlo.optimization_barrier {q}()
    %8:2 = call @g(%arg0) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %9:2 = call @g(%arg0) {x = 1 : i32} : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
    call @e() : () -> ()
    %10 = stablehlo.tuple %arg0, %arg1 {h} : tuple<tensor<i32>, !stablehlo.token>
    %11 = stablehlo.get_tuple_element %10[0] {h} : (tuple<tensor<i32>, !stablehlo.token>) -> tensor<i32>
    %12 = stablehlo.tuple  : tuple<>
    %13:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32> attributes {k = 1 : i32}
    cond {
      %14 = stablehlo.compare LT, %iterArg, %iterArg_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      stablehlo.return %iterArg_0, %iterArg {q} : tensor<i32>, tensor<i32>
    }
    stablehlo.while()
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return 
    }
    return %arg0 : tensor<i32>
  }
}
