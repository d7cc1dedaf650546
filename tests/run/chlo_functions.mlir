// Functions of one or two numbers, against values computed elsewhere in double precision.

func.func @erf() {
  %x = stablehlo.constant dense<[0xFFF0000000000000, -5.5, -1.25, -0.3, -1.0000000000000001e-09, 0.0, 1.0000000000000001e-09, 0.3, 0.5, 0.75, 1.25, 2.5, 5.5, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<15xf64>
  %y = stablehlo.constant dense<[-1.0, -0.9999999999999927, -0.9229001282564583, -0.3286267594591274, -1.1283791670955127e-09, 0.0, 1.1283791670955127e-09, 0.3286267594591274, 0.5204998778130465, 0.7111556336535151, 0.9229001282564583, 0.999593047982555, 0.9999999999999927, 1.0, 0x7FF8000000000000]> : tensor<15xf64>
  %0 = chlo.erf %x : tensor<15xf64> -> tensor<15xf64>
  check.expect_close %0, %y, max_ulp_difference = 4 : tensor<15xf64>, tensor<15xf64>
  func.return
}

func.func @erfc() {
  %x = stablehlo.constant dense<[0xFFF0000000000000, -5.5, -1.25, -0.3, -1.0000000000000001e-09, 0.0, 1.0000000000000001e-09, 0.3, 0.5, 0.75, 1.25, 2.5, 5.5, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<15xf64>
  %y = stablehlo.constant dense<[2.0, 1.9999999999999927, 1.9229001282564582, 1.3286267594591274, 1.0000000011283792, 1.0, 0.9999999988716208, 0.6713732405408726, 0.4795001221869535, 0.28884436634648486, 0.07709987174354177, 0.0004069520174449589, 7.3578479179743983e-15, 0.0, 0x7FF8000000000000]> : tensor<15xf64>
  %0 = chlo.erfc %x : tensor<15xf64> -> tensor<15xf64>
  check.expect_close %0, %y, max_ulp_difference = 4 : tensor<15xf64>, tensor<15xf64>
  func.return
}

func.func @erf_inv() {
  %x = stablehlo.constant dense<[-1.0, -0.999, -0.5, -9.9999999999999995e-07, 0.0, 0.25, 0.5, 0.9, 0.999999, 1.0]> : tensor<10xf64>
  %y = stablehlo.constant dense<[0xFFF0000000000000, -2.3267537655135246, -0.4769362762044699, -8.8622692545298997e-07, 0.0, 0.2253120550121781, 0.4769362762044699, 1.1630871536766743, 3.458910737275499, 0x7FF0000000000000]> : tensor<10xf64>
  %0 = chlo.erf_inv %x : tensor<10xf64> -> tensor<10xf64>
  check.expect_close %0, %y, max_ulp_difference = 16 : tensor<10xf64>, tensor<10xf64>
  func.return
}

func.func @lgamma() {
  %x = stablehlo.constant dense<[-2.5, -0.5, 1.0000000000000001e-05, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.25, 3.0, 7.5, 12.0, 30.0, 171.5, 1000000.0]> : tensor<17xf64>
  %y = stablehlo.constant dense<[-0.056243716497674054, 1.2655121234846454, 11.512919692895826, 1.2880225246980774, 0.5723649429247001, 0.20328095143129538, 0.0, -0.09827183642181316, -0.12078223763524522, 0.0, 0.1248717148923966, 0.6931471805599453, 7.534364236758733, 17.502307845873887, 71.25703896716801, 709.1431630309282, 12815504.569147611]> : tensor<17xf64>
  %0 = chlo.lgamma %x : tensor<17xf64> -> tensor<17xf64>
  check.expect_close %0, %y, max_ulp_difference = 16 : tensor<17xf64>, tensor<17xf64>
  func.return
}

func.func @digamma() {
  %x = stablehlo.constant dense<[-2.5, -0.5, 1.0000000000000001e-05, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.25, 3.0, 7.5, 12.0, 30.0, 171.5, 1000000.0]> : tensor<17xf64>
  %y = stablehlo.constant dense<[1.103156640645243, 0.03648997397857652, -100000.57719921567, -4.2274535333762655, -1.9635100260214235, -1.0858608797864722, -0.5772156649015329, -0.22745353337626542, 0.03648997397857652, 0.42278433509846713, 0.5725464666237345, 0.9227843350984671, 1.9467574842460869, 2.442661679975812, 3.384438132685525, 5.141664981433999, 13.815510057964191]> : tensor<17xf64>
  %0 = chlo.digamma %x : tensor<17xf64> -> tensor<17xf64>
  check.expect_close %0, %y, max_ulp_difference = 64 : tensor<17xf64>, tensor<17xf64>
  func.return
}

func.func @bessel_i1e() {
  %x = stablehlo.constant dense<[-40.0, -2.0, -0.5, 0.0, 0.1, 1.0, 5.0, 20.0, 29.0, 31.0, 500.0]> : tensor<11xf64>
  %y = stablehlo.constant dense<[-0.062482229074442064, -0.21526928924893765, -0.1564208031848717, 0.0, 0.045298446808809324, 0.20791041534970844, 0.16397226694454237, 0.08750622218328867, 0.07311311793938836, 0.07077639283438568, 0.017827851852898056]> : tensor<11xf64>
  %0 = chlo.bessel_i1e %x : tensor<11xf64> -> tensor<11xf64>
  check.expect_close %0, %y, max_ulp_difference = 8 : tensor<11xf64>, tensor<11xf64>
  func.return
}

func.func @zeta() {
  %a = stablehlo.constant dense<[1.5, 2.0, 3.25, 10.0, 50.0, 2.0]> : tensor<6xf64>
  %b = stablehlo.constant dense<[0.5, 1.0, 7.75, 0.1, 2.0, -0.5]> : tensor<6xf64>
  %y = stablehlo.constant dense<[4.776537947554833, 1.6449340668482264, 0.005123454014198558, 10000000000.38615, 8.8817842109308162e-16, 8.934802200544679]> : tensor<6xf64>
  %0 = chlo.zeta %a, %b : tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>
  check.expect_close %0, %y, max_ulp_difference = 8 : tensor<6xf64>, tensor<6xf64>
  func.return
}

func.func @polygamma() {
  %a = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf64>
  %b = stablehlo.constant dense<[0.5, 1.0, 7.75, 0.3, 2.0]> : tensor<5xf64>
  %y = stablehlo.constant dense<[-1.9635100260214235, 1.6449340668482264, -0.01893546667267096, 743.1417646550498, 2.081167438133897]> : tensor<5xf64>
  %0 = chlo.polygamma %a, %b : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
  check.expect_close %0, %y, max_ulp_difference = 32 : tensor<5xf64>, tensor<5xf64>
  func.return
}

func.func @predicates() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %0, dense<[false, true, true, false]> : tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, true, false, false]> : tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %2, dense<[false, false, true, false]> : tensor<4xi1>
  func.return
}

func.func @next_after() {
  %x = stablehlo.constant dense<[1.0, 0.0, -1.0, 1.0]> : tensor<4xbf16>
  %y = stablehlo.constant dense<[2.0, -1.0, 0.0, 1.0]> : tensor<4xbf16>
  %0 = chlo.next_after %x, %y : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>
  check.expect_eq_const %0, dense<[1.0078125, 0x8001, -0.99609375, 1.0]> : tensor<4xbf16>
  func.return
}

func.func @complex_square_and_conj() {
  %z = stablehlo.constant dense<[(1.0, 2.0), (-3.0, 0.5)]> : tensor<2xcomplex<f32>>
  %0 = chlo.square %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(-3.0, 4.0), (8.75, -3.0)]> : tensor<2xcomplex<f32>>
  %1 = chlo.conj %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %1, dense<[(1.0, -2.0), (-3.0, -0.5)]> : tensor<2xcomplex<f32>>
  func.return
}

func.func @constants() {
  %x = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %0 = "chlo.constant_like"(%x) <{value = 7 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<7> : tensor<2x3xi32>
  %1 = chlo.constant dense<[1.5, 2.5]> : tensor<2xf64>
  check.expect_eq_const %1, dense<[1.5, 2.5]> : tensor<2xf64>
  func.return
}

func.func @top_k() {
  %x = stablehlo.constant dense<[[1.0, 3.0, 2.0, 3.0], [0x7FC00000, -1.0, 0.0, -0.0]]> : tensor<2x4xf32>
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %0#0, dense<[[3.0, 3.0, 2.0], [0x7FC00000, 0.0, -0.0]]> : tensor<2x3xf32>
  check.expect_eq_const %0#1, dense<[[1, 3, 2], [0, 2, 3]]> : tensor<2x3xi32>
  func.return
}
