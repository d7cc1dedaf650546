// Random bits as XLA makes them on CPUs: elements of all widths, shapes with even and odd sizes, and the states
// that follow.

func.func @threefry_0() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<101> : tensor<ui8>
  func.return
}

func.func @threefry_1() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[101]> : tensor<1xui8>
  func.return
}

func.func @threefry_2() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[101, 17, 179]> : tensor<3xui8>
  func.return
}

func.func @threefry_3() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui8>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[101, 179, 166], [17, 6, 119]]> : tensor<2x3xui8>
  func.return
}

func.func @threefry_4() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  check.expect_eq_const %next, dense<[42, 16]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[101, 17, 179, 6, 166], [139, 117, 121, 123, 75], [211, 25, 229, 246, 47]]> : tensor<3x5xui8>
  func.return
}

func.func @threefry_5() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui8>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[101, 179], [17, 6]], [[166, 139], [119, 117]], [[121, 75], [123, 21]]]> : tensor<3x2x2xui8>
  func.return
}

func.func @threefry_6() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui8>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui8>
  func.return
}

func.func @threefry_7() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<34405> : tensor<ui16>
  func.return
}

func.func @threefry_8() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[34405]> : tensor<1xui16>
  func.return
}

func.func @threefry_9() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui16>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[34405, 29713, 61619]> : tensor<3xui16>
  func.return
}

func.func @threefry_10() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui16>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[34405, 61619, 11174], [29713, 8198, 55415]]> : tensor<2x3xui16>
  func.return
}

func.func @threefry_11() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
  check.expect_eq_const %next, dense<[42, 16]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[34405, 29713, 61619, 8198, 11174], [62091, 57717, 31865, 63355, 8267], [41683, 4121, 21733, 4086, 49455]]> : tensor<3x5xui16>
  func.return
}

func.func @threefry_12() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui16>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[34405, 61619], [29713, 8198]], [[11174, 62091], [55415, 57717]], [[31865, 8267], [63355, 49429]]]> : tensor<3x2x2xui16>
  func.return
}

func.func @threefry_13() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui16>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui16>
  func.return
}

func.func @threefry_14() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<2642642533> : tensor<ui32>
  func.return
}

func.func @threefry_15() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[2642642533]> : tensor<1xui32>
  func.return
}

func.func @threefry_16() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[2642642533, 3437982737, 356970675]> : tensor<3xui32>
  func.return
}

func.func @threefry_17() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2642642533, 356970675, 4222757798], [3437982737, 1736384518, 1010817143]]> : tensor<2x3xui32>
  func.return
}

func.func @threefry_18() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %next, dense<[42, 16]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[2642642533, 3437982737, 356970675, 1736384518, 4222757798], [563344011, 4074627445, 653491321, 3185375099, 2676170827], [1532797651, 4222029849, 1855476965, 944181238, 1747370287]]> : tensor<3x5xui32>
  func.return
}

func.func @threefry_19() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui32>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[2642642533, 356970675], [3437982737, 1736384518]], [[4222757798, 563344011], [1010817143, 4074627445]], [[653491321, 2676170827], [3185375099, 896844053]]]> : tensor<3x2x2xui32>
  func.return
}

func.func @threefry_20() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui32>
  func.return
}

func.func @threefry_21() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<14766023422270211685> : tensor<ui64>
  func.return
}

func.func @threefry_22() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[14766023422270211685]> : tensor<1xui64>
  func.return
}

func.func @threefry_23() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui64>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[14766023422270211685, 7457714718447694003, 4341426575643913126]> : tensor<3xui64>
  func.return
}

func.func @threefry_24() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[14766023422270211685, 7457714718447694003, 4341426575643913126], [17500391620222382731, 13681081876351253625, 3851915879923261515]]> : tensor<2x3xui64>
  func.return
}

func.func @threefry_25() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  check.expect_eq_const %next, dense<[42, 22]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[14766023422270211685, 7457714718447694003, 4341426575643913126, 17500391620222382731, 13681081876351253625], [3851915879923261515, 18133480125723615955, 4055227540562269413, 5348615435080614191, 11313445174146427743], [9729892177602115670, 8859096751948655347, 936122683359812814, 8544971555985957913, 14005828064407859910]]> : tensor<3x5xui64>
  func.return
}

func.func @threefry_26() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui64>)
  check.expect_eq_const %next, dense<[42, 19]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[14766023422270211685, 7457714718447694003], [4341426575643913126, 17500391620222382731]], [[13681081876351253625, 3851915879923261515], [18133480125723615955, 4055227540562269413]], [[5348615435080614191, 11313445174146427743], [9729892177602115670, 8859096751948655347]]]> : tensor<3x2x2xui64>
  func.return
}

func.func @threefry_27() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui64>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui64>
  func.return
}

func.func @threefry_28() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[91, 178, 204, 40, 61]> : tensor<5xui8>
  func.return
}

func.func @threefry_29() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[91, 204, 61], [178, 40, 6], [246, 183, 37]]> : tensor<3x3xui8>
  func.return
}

func.func @threefry_30() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[9307, 30386, 20172, 2088, 25405]> : tensor<5xui16>
  func.return
}

func.func @threefry_31() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9307, 20172, 25405], [30386, 2088, 13574], [19446, 61623, 15653]]> : tensor<3x3xui16>
  func.return
}

func.func @threefry_32() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[3879543899, 2279175858, 891834060, 1198852136, 3979305789]> : tensor<5xui32>
  func.return
}

func.func @threefry_33() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 4]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[3879543899, 891834060, 3979305789], [2279175858, 1198852136, 169030918], [3969207286, 2988044471, 1146699045]]> : tensor<3x3xui32>
  func.return
}

func.func @threefry_34() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[9788985775822283867, 5149030717751578316, 725982268802163517, 3751732805509663734, 16179074036731080887]> : tensor<5xui64>
  func.return
}

func.func @threefry_35() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9788985775822283867, 5149030717751578316, 725982268802163517], [3751732805509663734, 16179074036731080887, 8937574318441315621], [17029995146506577158, 18200292556579185582, 39058935897341448]]> : tensor<3x3xui64>
  func.return
}

func.func @philox_36() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<232> : tensor<ui8>
  func.return
}

func.func @philox_37() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[232]> : tensor<1xui8>
  func.return
}

func.func @philox_38() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[232, 93, 220]> : tensor<3xui8>
  func.return
}

func.func @philox_39() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui8>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[232, 93, 220], [66, 206, 22]]> : tensor<2x3xui8>
  func.return
}

func.func @philox_40() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[232, 93, 220, 66, 206], [22, 240, 22, 156, 69], [230, 187, 63, 84, 108]]> : tensor<3x5xui8>
  func.return
}

func.func @philox_41() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui8>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[232, 93], [220, 66]], [[206, 22], [240, 22]], [[156, 69], [230, 187]]]> : tensor<3x2x2xui8>
  func.return
}

func.func @philox_42() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui8>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui8>
  func.return
}

func.func @philox_43() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<59624> : tensor<ui16>
  func.return
}

func.func @philox_44() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[59624]> : tensor<1xui16>
  func.return
}

func.func @philox_45() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[59624, 14685, 46300]> : tensor<3xui16>
  func.return
}

func.func @philox_46() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui16>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[59624, 14685, 46300], [6466, 24270, 6422]]> : tensor<2x3xui16>
  func.return
}

func.func @philox_47() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[59624, 14685, 46300, 6466, 24270], [6422, 496, 10006, 60828, 20293], [17382, 52667, 39743, 32084, 12908]]> : tensor<3x5xui16>
  func.return
}

func.func @philox_48() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui16>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[59624, 14685], [46300, 6466]], [[24270, 6422], [496, 10006]], [[60828, 20293], [17382, 52667]]]> : tensor<3x2x2xui16>
  func.return
}

func.func @philox_49() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui16>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui16>
  func.return
}

func.func @philox_50() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<1436477672> : tensor<ui32>
  func.return
}

func.func @philox_51() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[1436477672]> : tensor<1xui32>
  func.return
}

func.func @philox_52() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[1436477672, 1015822685, 1056814300]> : tensor<3xui32>
  func.return
}

func.func @philox_53() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1436477672, 1015822685, 1056814300], [3113490754, 1193696974, 489625878]]> : tensor<2x3xui32>
  func.return
}

func.func @philox_54() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1436477672, 1015822685, 1056814300, 3113490754, 1193696974], [489625878, 2331574768, 3800966934, 1220734364, 2137673541], [595608550, 3061501371, 552442687, 1085439316, 3969659500]]> : tensor<3x5xui32>
  func.return
}

func.func @philox_55() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui32>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[1436477672, 1015822685], [1056814300, 3113490754]], [[1193696974, 489625878], [2331574768, 3800966934]], [[1220734364, 2137673541], [595608550, 3061501371]]]> : tensor<3x2x2xui32>
  func.return
}

func.func @philox_56() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui32>
  func.return
}

func.func @philox_57() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<4362925212046387432> : tensor<ui64>
  func.return
}

func.func @philox_58() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[4362925212046387432]> : tensor<1xui64>
  func.return
}

func.func @philox_59() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui64>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[4362925212046387432, 13372340965885195484, 2102927134478982862]> : tensor<3xui64>
  func.return
}

func.func @philox_60() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4362925212046387432, 13372340965885195484, 2102927134478982862], [16325028677038965232, 9181237949340249500, 13149048265699771366]]> : tensor<2x3xui64>
  func.return
}

func.func @philox_61() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  check.expect_eq_const %next, dense<[42, 15]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4362925212046387432, 13372340965885195484, 2102927134478982862, 16325028677038965232, 9181237949340249500], [13149048265699771366, 4661926364565052223, 15588603415622333036, 9168628823095404197, 17390550268043342919], [3679437246569139788, 12305309648879840951, 4899169892299373913, 5578458426360470735, 14597069474659653990]]> : tensor<3x5xui64>
  func.return
}

func.func @philox_62() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui64>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[4362925212046387432, 13372340965885195484], [2102927134478982862, 16325028677038965232]], [[9181237949340249500, 13149048265699771366], [4661926364565052223, 15588603415622333036]], [[9168628823095404197, 17390550268043342919], [3679437246569139788, 12305309648879840951]]]> : tensor<3x2x2xui64>
  func.return
}

func.func @philox_63() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui64>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui64>
  func.return
}

func.func @philox_64() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[234, 47, 69, 223, 160]> : tensor<5xui8>
  func.return
}

func.func @philox_65() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[234, 47, 69], [223, 160, 116], [87, 226, 194]]> : tensor<3x3xui8>
  func.return
}

func.func @philox_66() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[40170, 45871, 46405, 4319, 61344]> : tensor<5xui16>
  func.return
}

func.func @philox_67() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[40170, 45871, 46405], [4319, 61344, 53108], [20055, 33506, 28098]]> : tensor<3x3xui16>
  func.return
}

func.func @philox_68() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[301112554, 2307896111, 3559568709, 1634144479, 3119050656]> : tensor<5xui32>
  func.return
}

func.func @philox_69() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[301112554, 2307896111, 3559568709], [1634144479, 3119050656, 600887156], [1084051031, 2557838050, 592932290]]> : tensor<3x3xui32>
  func.return
}

func.func @philox_70() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[9912338319611698410, 7018597097803527493, 2580790686725500832, 10985830774298463831, 13580035447733054914]> : tensor<5xui64>
  func.return
}

func.func @philox_71() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9912338319611698410, 7018597097803527493, 2580790686725500832], [10985830774298463831, 13580035447733054914, 17843385663614855132], [2708368038944492863, 16347575444077646423, 3859621635068606194]]> : tensor<3x3xui64>
  func.return
}

func.func @philox_72() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[168, 113, 233, 0, 235]> : tensor<5xui8>
  func.return
}

func.func @philox_73() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui8>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[168, 113, 233], [0, 235, 38], [93, 254, 105]]> : tensor<3x3xui8>
  func.return
}

func.func @philox_74() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[11432, 26481, 48105, 52736, 46059]> : tensor<5xui16>
  func.return
}

func.func @philox_75() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui16>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[11432, 26481, 48105], [52736, 46059, 45862], [34141, 59902, 24937]]> : tensor<3x3xui16>
  func.return
}

func.func @philox_76() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[2444045480, 1820157809, 3691035625, 462474752, 1447212011]> : tensor<5xui32>
  func.return
}

func.func @philox_77() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[2444045480, 1820157809, 3691035625], [462474752, 1447212011, 3338187558], [1722582365, 2049305086, 354771305]]> : tensor<3x3xui32>
  func.return
}

func.func @philox_78() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[7817518265658059944, 1986313938756746217, 14337406390971315179, 8801698325619049821, 10422523805286359401]> : tensor<5xui64>
  func.return
}

func.func @philox_79() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui64>)
  check.expect_eq_const %next, dense<[1, 4, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[7817518265658059944, 1986313938756746217, 14337406390971315179], [8801698325619049821, 10422523805286359401, 6914299271953656247], [17285172961604947222, 8857186554509123347, 17129109945513567706]]> : tensor<3x3xui64>
  func.return
}

func.func @default_80() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<232> : tensor<ui8>
  func.return
}

func.func @default_81() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[232]> : tensor<1xui8>
  func.return
}

func.func @default_82() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[232, 93, 220]> : tensor<3xui8>
  func.return
}

func.func @default_83() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui8>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[232, 93, 220], [66, 206, 22]]> : tensor<2x3xui8>
  func.return
}

func.func @default_84() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[232, 93, 220, 66, 206], [22, 240, 22, 156, 69], [230, 187, 63, 84, 108]]> : tensor<3x5xui8>
  func.return
}

func.func @default_85() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui8>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[232, 93], [220, 66]], [[206, 22], [240, 22]], [[156, 69], [230, 187]]]> : tensor<3x2x2xui8>
  func.return
}

func.func @default_86() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui8>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui8>
  func.return
}

func.func @default_87() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<59624> : tensor<ui16>
  func.return
}

func.func @default_88() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[59624]> : tensor<1xui16>
  func.return
}

func.func @default_89() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui16>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[59624, 14685, 46300]> : tensor<3xui16>
  func.return
}

func.func @default_90() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui16>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[59624, 14685, 46300], [6466, 24270, 6422]]> : tensor<2x3xui16>
  func.return
}

func.func @default_91() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui16>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[59624, 14685, 46300, 6466, 24270], [6422, 496, 10006, 60828, 20293], [17382, 52667, 39743, 32084, 12908]]> : tensor<3x5xui16>
  func.return
}

func.func @default_92() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui16>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[59624, 14685], [46300, 6466]], [[24270, 6422], [496, 10006]], [[60828, 20293], [17382, 52667]]]> : tensor<3x2x2xui16>
  func.return
}

func.func @default_93() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui16>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui16>
  func.return
}

func.func @default_94() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<1436477672> : tensor<ui32>
  func.return
}

func.func @default_95() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[1436477672]> : tensor<1xui32>
  func.return
}

func.func @default_96() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[1436477672, 1015822685, 1056814300]> : tensor<3xui32>
  func.return
}

func.func @default_97() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1436477672, 1015822685, 1056814300], [3113490754, 1193696974, 489625878]]> : tensor<2x3xui32>
  func.return
}

func.func @default_98() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %next, dense<[42, 11]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[1436477672, 1015822685, 1056814300, 3113490754, 1193696974], [489625878, 2331574768, 3800966934, 1220734364, 2137673541], [595608550, 3061501371, 552442687, 1085439316, 3969659500]]> : tensor<3x5xui32>
  func.return
}

func.func @default_99() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui32>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[1436477672, 1015822685], [1056814300, 3113490754]], [[1193696974, 489625878], [2331574768, 3800966934]], [[1220734364, 2137673541], [595608550, 3061501371]]]> : tensor<3x2x2xui32>
  func.return
}

func.func @default_100() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui32>
  func.return
}

func.func @default_101() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<4362925212046387432> : tensor<ui64>
  func.return
}

func.func @default_102() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %next, dense<[42, 8]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[4362925212046387432]> : tensor<1xui64>
  func.return
}

func.func @default_103() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui64>)
  check.expect_eq_const %next, dense<[42, 9]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[4362925212046387432, 13372340965885195484, 2102927134478982862]> : tensor<3xui64>
  func.return
}

func.func @default_104() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  check.expect_eq_const %next, dense<[42, 10]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4362925212046387432, 13372340965885195484, 2102927134478982862], [16325028677038965232, 9181237949340249500, 13149048265699771366]]> : tensor<2x3xui64>
  func.return
}

func.func @default_105() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
  check.expect_eq_const %next, dense<[42, 15]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[4362925212046387432, 13372340965885195484, 2102927134478982862, 16325028677038965232, 9181237949340249500], [13149048265699771366, 4661926364565052223, 15588603415622333036, 9168628823095404197, 17390550268043342919], [3679437246569139788, 12305309648879840951, 4899169892299373913, 5578458426360470735, 14597069474659653990]]> : tensor<3x5xui64>
  func.return
}

func.func @default_106() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2x2xui64>)
  check.expect_eq_const %next, dense<[42, 13]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[[4362925212046387432, 13372340965885195484], [2102927134478982862, 16325028677038965232]], [[9181237949340249500, 13149048265699771366], [4661926364565052223, 15588603415622333036]], [[9168628823095404197, 17390550268043342919], [3679437246569139788, 12305309648879840951]]]> : tensor<3x2x2xui64>
  func.return
}

func.func @default_107() {
  %state = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui64>)
  check.expect_eq_const %next, dense<[42, 7]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<> : tensor<0xui64>
  func.return
}

func.func @default_108() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[234, 47, 69, 223, 160]> : tensor<5xui8>
  func.return
}

func.func @default_109() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui8>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[234, 47, 69], [223, 160, 116], [87, 226, 194]]> : tensor<3x3xui8>
  func.return
}

func.func @default_110() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[40170, 45871, 46405, 4319, 61344]> : tensor<5xui16>
  func.return
}

func.func @default_111() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui16>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[40170, 45871, 46405], [4319, 61344, 53108], [20055, 33506, 28098]]> : tensor<3x3xui16>
  func.return
}

func.func @default_112() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 0]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[301112554, 2307896111, 3559568709, 1634144479, 3119050656]> : tensor<5xui32>
  func.return
}

func.func @default_113() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[301112554, 2307896111, 3559568709], [1634144479, 3119050656, 600887156], [1084051031, 2557838050, 592932290]]> : tensor<3x3xui32>
  func.return
}

func.func @default_114() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 1]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[9912338319611698410, 7018597097803527493, 2580790686725500832, 10985830774298463831, 13580035447733054914]> : tensor<5xui64>
  func.return
}

func.func @default_115() {
  %state = stablehlo.constant dense<[18446744069720004216, 18446744073709551614]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x3xui64>)
  check.expect_eq_const %next, dense<[18446744069720004216, 3]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[[9912338319611698410, 7018597097803527493, 2580790686725500832], [10985830774298463831, 13580035447733054914, 17843385663614855132], [2708368038944492863, 16347575444077646423, 3859621635068606194]]> : tensor<3x3xui64>
  func.return
}

func.func @default_116() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui8>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[168, 113, 233, 0, 235]> : tensor<5xui8>
  func.return
}

func.func @default_117() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui8>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[168, 113, 233], [0, 235, 38], [93, 254, 105]]> : tensor<3x3xui8>
  func.return
}

func.func @default_118() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui16>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[11432, 26481, 48105, 52736, 46059]> : tensor<5xui16>
  func.return
}

func.func @default_119() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui16>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[11432, 26481, 48105], [52736, 46059, 45862], [34141, 59902, 24937]]> : tensor<3x3xui16>
  func.return
}

func.func @default_120() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  check.expect_eq_const %next, dense<[1, 1, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[2444045480, 1820157809, 3691035625, 462474752, 1447212011]> : tensor<5xui32>
  func.return
}

func.func @default_121() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui32>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[2444045480, 1820157809, 3691035625], [462474752, 1447212011, 3338187558], [1722582365, 2049305086, 354771305]]> : tensor<3x3xui32>
  func.return
}

func.func @default_122() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>)
  check.expect_eq_const %next, dense<[1, 2, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[7817518265658059944, 1986313938756746217, 14337406390971315179, 8801698325619049821, 10422523805286359401]> : tensor<5xui64>
  func.return
}

func.func @default_123() {
  %state = stablehlo.constant dense<[1, 18446744073709551615, 5]> : tensor<3xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui64>)
  check.expect_eq_const %next, dense<[1, 4, 6]> : tensor<3xui64>
  check.expect_eq_const %bits, dense<[[7817518265658059944, 1986313938756746217, 14337406390971315179], [8801698325619049821, 10422523805286359401, 6914299271953656247], [17285172961604947222, 8857186554509123347, 17129109945513567706]]> : tensor<3x3xui64>
  func.return
}
