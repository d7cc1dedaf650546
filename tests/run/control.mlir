// Loops in loops, values from outside of a region, branches, tuples, calls.
func.func @nested_loops() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i64>, tensor<i64> cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %inner:2 = stablehlo.while(%j = %zero, %s = %sum) : tensor<i64>, tensor<i64> cond {
      %c = stablehlo.compare LT, %j, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %product = stablehlo.multiply %i, %j : tensor<i64>
      %t = stablehlo.add %s, %product : tensor<i64>
      %k = stablehlo.add %j, %one : tensor<i64>
      stablehlo.return %k, %t : tensor<i64>, tensor<i64>
    }
    %k = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %k, %inner#1 : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %0#0, dense<3> : tensor<i64>
  check.expect_eq_const %0#1, dense<18> : tensor<i64>
  return
}

// The carried values change places: each step must see both old values.
func.func @swap() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<2xi32>, tensor<2xi32> cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %y, %x : tensor<i32>, tensor<2xi32>, tensor<2xi32>
  }
  check.expect_eq %0#1, %b : tensor<2xi32>
  check.expect_eq %0#2, %a : tensor<2xi32>
  return
}

func.func @no_iteration() {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.while(%a = %x) : tensor<i32> cond {
    stablehlo.return %no : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<i32>
    stablehlo.return %b : tensor<i32>
  }
  check.expect_eq_const %0, dense<7> : tensor<i32>
  return
}

func.func @nothing_carried() {
  %no = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.while() cond {
    stablehlo.return %no : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// A value that a region uses must still be there for what follows.
func.func @captured_and_used_later() {
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.add %x, %x : tensor<2xi32>
  %0 = "stablehlo.if"(%yes) ({
    %1 = "stablehlo.if"(%yes) ({
      %2 = stablehlo.multiply %y, %y : tensor<2xi32>
      stablehlo.return %2 : tensor<2xi32>
    }, {
      stablehlo.return %y : tensor<2xi32>
    }) : (tensor<i1>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }, {
    stablehlo.return %x : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  %3 = stablehlo.add %0, %y : tensor<2xi32>
  check.expect_eq_const %3, dense<[6, 20]> : tensor<2xi32>
  return
}

func.func private @branch(%i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    %a = stablehlo.constant dense<10> : tensor<i32>
    stablehlo.return %a : tensor<i32>
  }, {
    %a = stablehlo.constant dense<20> : tensor<i32>
    stablehlo.return %a : tensor<i32>
  }, {
    %a = stablehlo.constant dense<30> : tensor<i32>
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// One function called several times; numbers out of range take the last branch.
func.func @calls_and_cases() {
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %0 = call @branch(%minus) : (tensor<i32>) -> tensor<i32>
  %1 = call @branch(%zero) : (tensor<i32>) -> tensor<i32>
  %2 = call @branch(%one) : (tensor<i32>) -> tensor<i32>
  %3 = call @branch(%nine) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<30> : tensor<i32>
  check.expect_eq_const %1, dense<10> : tensor<i32>
  check.expect_eq_const %2, dense<20> : tensor<i32>
  check.expect_eq_const %3, dense<30> : tensor<i32>
  return
}

func.func private @twice(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %x, %x : tensor<i32>, tensor<i32>
}

func.func @one_value_in_many_places() {
  %x = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.add %x, %x : tensor<i32>
  %1:2 = call @twice(%0) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %2 = stablehlo.multiply %1#0, %1#1 : tensor<i32>
  %3 = stablehlo.tuple %2, %2, %0 : tuple<tensor<i32>, tensor<i32>, tensor<i32>>
  %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<i32>, tensor<i32>, tensor<i32>>) -> tensor<i32>
  %5 = stablehlo.get_tuple_element %3[2] : (tuple<tensor<i32>, tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %4, dense<100> : tensor<i32>
  check.expect_eq_const %5, dense<10> : tensor<i32>
  return
}

func.func @tokens_and_barriers() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %2:2 = stablehlo.optimization_barrier %x, %1 : tensor<2xf32>, !stablehlo.token
  check.expect_eq %2#0, %x : tensor<2xf32>
  return
}

func.func @replica_and_partition_of_one_device() {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %0, dense<0> : tensor<ui32>
  check.expect_eq_const %1, dense<0> : tensor<ui32>
  return
}

// A splat takes no memory, whatever its size.
func.func @huge_splats() {
  %0 = stablehlo.constant dense<1.5> : tensor<1000000x1000000xf32>
  %1 = stablehlo.add %0, %0 : tensor<1000000x1000000xf32>
  check.expect_eq_const %1, dense<3.0> : tensor<1000000x1000000xf32>
  return
}
