// Routines of LAPACK as JAX calls them, against LAPACK. Results that are free in sign are checked by what they make.

func.func @getrf() {
  %a0 = stablehlo.constant dense<[[[-8.020000000e-01, -1.324000000e+00, -2.480000000e-01], [4.200000000e-01, 1.136000000e+00, 1.100000000e-01], [-5.530000000e-01, -7.850000000e-01, 7.490000000e-01], [1.635000000e+00, 2.730000000e-01, -1.233000000e+00]], [[-9.580000000e-01, 1.600000000e+00, 2.030000000e-01], [-1.732000000e+00, -8.400000000e-02, -1.163000000e+00], [-6.290000000e-01, -4.880000000e-01, -7.130000000e-01], [5.530000000e-01, -6.300000000e-02, -5.890000000e-01]]]> : tensor<2x4x3xf64>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_dgetrf_ffi(%a0) {mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x4x3xf64>) -> (tensor<2x4x3xf64>, tensor<2x3xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %r0, dense<[[[1.635000000e+00, 2.730000000e-01, -1.233000000e+00], [-4.905198777e-01, -1.190088073e+00, -8.528110092e-01], [-3.382262997e-01, 5.820276967e-01, 8.283265998e-01], [2.568807339e-01, -8.956241000e-01, -4.069217959e-01]], [[-1.732000000e+00, -8.400000000e-02, -1.163000000e+00], [5.531177829e-01, 1.646461894e+00, 8.462759815e-01], [-3.192840647e-01, -5.455325858e-02, -9.141602548e-01], [3.631639723e-01, -2.778650560e-01, 6.070027321e-02]]]> : tensor<2x4x3xf64>
  check.expect_eq_const %r1, dense<[[4, 4, 3], [2, 2, 4]]> : tensor<2x3xi32>
  check.expect_eq_const %r2, dense<[0, 0]> : tensor<2xi32>
  func.return
}

func.func @potrf_lower() {
  %a0 = stablehlo.constant dense<[[6.556449000e+00, -6.353610000e-01, -4.486260000e-01], [-6.353610000e-01, 4.058339000e+00, 3.172460000e-01], [-4.486260000e-01, 3.172460000e-01, 4.663406000e+00]]> : tensor<3x3xf64>
  %r0, %r1 = stablehlo.custom_call @lapack_dpotrf_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[2.560556385e+00, -6.353610000e-01, -4.486260000e-01], [-2.481339617e-01, 1.999191971e+00, 3.172460000e-01], [-1.752064523e-01, 1.369409906e-01, 2.148012073e+00]]> : tensor<3x3xf64>
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  func.return
}

func.func @potrf_upper() {
  %a0 = stablehlo.constant dense<[[6.556449000e+00, -6.353610000e-01, -4.486260000e-01], [-6.353610000e-01, 4.058339000e+00, 3.172460000e-01], [-4.486260000e-01, 3.172460000e-01, 4.663406000e+00]]> : tensor<3x3xf64>
  %r0, %r1 = stablehlo.custom_call @lapack_dpotrf_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[2.560556385e+00, -2.481339617e-01, -1.752064523e-01], [-6.353610000e-01, 1.999191971e+00, 1.369409906e-01], [-4.486260000e-01, 3.172460000e-01, 2.148012073e+00]]> : tensor<3x3xf64>
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  func.return
}

func.func @trsm_right() {
  %a0 = stablehlo.constant dense<[[6.556449000e+00, -6.353610000e-01, -4.486260000e-01], [-6.353610000e-01, 4.058339000e+00, 3.172460000e-01], [-4.486260000e-01, 3.172460000e-01, 4.663406000e+00]]> : tensor<3x3xf64>
  %a1 = stablehlo.constant dense<[[-3.040000000e-01, -1.048000000e+00, -3.960000000e-01], [-1.091000000e+00, -1.355000000e+00, 2.250000000e-01]]> : tensor<2x3xf64>
  %r0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a0, %a1) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r0, dense<[[-4.636656214e-02, -2.654927312e-01, -7.131584475e-02], [-1.664010503e-01, -3.599316710e-01, 5.672571620e-02]]> : tensor<2x3xf64>
  func.return
}

func.func @trsm_left() {
  %a0 = stablehlo.constant dense<[[6.556449000e+00, -6.353610000e-01, -4.486260000e-01], [-6.353610000e-01, 4.058339000e+00, 3.172460000e-01], [-4.486260000e-01, 3.172460000e-01, 4.663406000e+00]]> : tensor<3x3xf64>
  %a1 = stablehlo.constant dense<[[-1.109000000e+00, 1.170000000e+00], [7.170000000e-01, -1.998000000e+00], [2.720000000e-01, -1.102000000e+00]]> : tensor<3x2xf64>
  %r0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a0, %a1) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r0, dense<[[-1.109000000e+00, 1.170000000e+00], [1.238465100e-02, -1.254627630e+00], [-2.294552150e-01, -1.790819829e-01]]> : tensor<3x2xf64>
  func.return
}

func.func @geqrf() {
  %a0 = stablehlo.constant dense<[[3.300000000e-02, 4.400000000e-02, -1.988000000e+00], [-2.330000000e-01, -2.560000000e-01, 9.620000000e-01], [-1.181000000e+00, 7.380000000e-01, -1.099000000e+00], [-3.310000000e-01, -8.400000000e-01, 1.449000000e+00]]> : tensor<4x3xf64>
  %r0, %r1 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a0) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %r0, dense<[[-1.248879498e+00, 4.263325653e-01, -4.232193746e-01], [-1.817643549e-01, 1.065812621e+00, -2.046826764e+00], [-9.213034470e-01, -2.772613628e-01, 1.953554596e+00], [-2.582145986e-01, 6.747064550e-01, 2.121586815e-01]]> : tensor<4x3xf64>
  check.expect_almost_eq_const %r1, dense<[1.026423686e+00, 1.305395550e+00, 1.913854892e+00]> : tensor<3xf64>
  func.return
}

func.func @geqp3() {
  %a0 = stablehlo.constant dense<[[5.680000000e-01, 2.432000000e+00, 6.420000000e-01], [8.450000000e-01, 8.410000000e-01, -6.070000000e-01], [-7.000000000e-02, 1.350000000e+00, -3.970000000e-01], [1.890000000e-01, -2.100000000e-02, 6.090000000e-01]]> : tensor<4x3xf64>
  %a1 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi32>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a0, %a1) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xf64>, tensor<3xi32>) -> (tensor<4x3xf64>, tensor<3xi32>, tensor<3xf64>)
  check.expect_almost_eq_const %r0, dense<[[-2.906001721e+00, -1.727865460e-01, -6.860119820e-01], [1.575495933e-01, 1.131038377e+00, -1.095468053e-01], [2.529036277e-01, 3.231140144e-01, 7.711401027e-01], [-3.934056431e-03, -3.280126992e-01, -3.152325421e-01]]> : tensor<4x3xf64>
  check.expect_eq_const %r1, dense<[2, 3, 1]> : tensor<3xi32>
  check.expect_almost_eq_const %r2, dense<[1.836888699e+00, 1.650171828e+00, 1.819221163e+00]> : tensor<3xf64>
  func.return
}

func.func @gehrd() {
  %a0 = stablehlo.constant dense<[[-3.650000000e-01, -1.520000000e-01, 2.420000000e-01, 1.030000000e-01], [-8.650000000e-01, 8.960000000e-01, -1.298000000e+00, -1.201000000e+00], [-1.282000000e+00, 9.670000000e-01, -3.610000000e-01, -9.710000000e-01], [-1.136000000e+00, 4.210000000e-01, -1.055000000e+00, -1.272000000e+00]]> : tensor<4x4xf64>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_dgehrd_ffi(%a0) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[-3.650000000e-01, -1.541348051e-01, -2.180060217e-01, 1.448890485e-01], [1.918917664e+00, -1.533982029e+00, -9.783999444e-01, 2.063519103e+00], [4.605021250e-01, 8.822250715e-01, 4.260884790e-01, -1.700811105e-01], [4.080580453e-01, -9.315476235e-02, -3.894631132e-01, 3.708935505e-01]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r1, dense<[1.450774943e+00, 1.982793694e+00, 0.000000000e+00]> : tensor<3xf64>
  check.expect_eq_const %r2, dense<0> : tensor<i32>
  func.return
}

func.func @sytrd_lower() {
  %a0 = stablehlo.constant dense<[[1.228000000e+00, -1.642000000e+00, -1.581000000e+00, 2.580000000e-01], [-1.642000000e+00, -1.080000000e-01, -4.980000000e-01, -9.810000000e-01], [-1.581000000e+00, -4.980000000e-01, -4.100000000e-01, -8.310000000e-01], [2.580000000e-01, -9.810000000e-01, -8.310000000e-01, -1.442000000e+00]]> : tensor<4x4xf64>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_dsytrd_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[1.228000000e+00, -1.642000000e+00, -1.581000000e+00, 2.580000000e-01], [2.293967960e+00, -4.728947220e-01, -4.980000000e-01, -9.810000000e-01], [4.016800991e-01, -1.186768432e+00, -1.657739493e+00, -8.310000000e-01], [-6.554931408e-02, 8.210418085e-01, 3.487805168e-01, 1.706342146e-01]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r1, dense<[1.228000000e+00, -4.728947220e-01, -1.657739493e+00, 1.706342146e-01]> : tensor<4xf64>
  check.expect_almost_eq_const %r2, dense<[2.293967960e+00, -1.186768432e+00, 3.487805168e-01]> : tensor<3xf64>
  check.expect_almost_eq_const %r3, dense<[1.715790294e+00, 1.194664877e+00, 0.000000000e+00]> : tensor<3xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @sytrd_upper() {
  %a0 = stablehlo.constant dense<[[1.228000000e+00, -1.642000000e+00, -1.581000000e+00, 2.580000000e-01], [-1.642000000e+00, -1.080000000e-01, -4.980000000e-01, -9.810000000e-01], [-1.581000000e+00, -4.980000000e-01, -4.100000000e-01, -8.310000000e-01], [2.580000000e-01, -9.810000000e-01, -8.310000000e-01, -1.442000000e+00]]> : tensor<4x4xf64>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_dsytrd_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[2.376078390e-01, 1.905784040e-01, 9.877802773e-01, -1.204317771e-01], [-1.642000000e+00, 2.445183976e-01, -2.483384038e+00, 4.579208268e-01], [-1.581000000e+00, -4.980000000e-01, 2.278737634e-01, 1.311291730e+00], [2.580000000e-01, -9.810000000e-01, -8.310000000e-01, -1.442000000e+00]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r1, dense<[2.376078390e-01, 2.445183976e-01, 2.278737634e-01, -1.442000000e+00]> : tensor<4xf64>
  check.expect_almost_eq_const %r2, dense<[1.905784040e-01, -2.483384038e+00, 1.311291730e+00]> : tensor<3xf64>
  check.expect_almost_eq_const %r3, dense<[0.000000000e+00, 1.012294378e+00, 1.633726257e+00]> : tensor<3xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @syevd_values() {
  %a0 = stablehlo.constant dense<[[1.228000000e+00, -1.642000000e+00, -1.581000000e+00, 2.580000000e-01], [-1.642000000e+00, -1.080000000e-01, -4.980000000e-01, -9.810000000e-01], [-1.581000000e+00, -4.980000000e-01, -4.100000000e-01, -8.310000000e-01], [2.580000000e-01, -9.810000000e-01, -8.310000000e-01, -1.442000000e+00]]> : tensor<4x4xf64>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_dsyevd_ffi(%a0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<i32>)
  check.expect_almost_eq_const %r1, dense<[-2.908207464e+00, -9.969383783e-01, 2.435245321e-01, 2.929621310e+00]> : tensor<4xf64>
  check.expect_eq_const %r2, dense<0> : tensor<i32>
  func.return
}

func.func @gesdd_values() {
  %a0 = stablehlo.constant dense<[[-5.200000000e-01, 1.600000000e-01, -3.800000000e-01], [1.000000000e-01, 1.901000000e+00, 4.790000000e-01], [-1.576000000e+00, 1.734000000e+00, 3.480000000e-01], [-9.410000000e-01, 9.070000000e-01, 1.800000000e-02]]> : tensor<4x3xf64>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_dgesdd_ffi(%a0) {mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<4x3xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r1, dense<[3.122347566e+00, 1.318729325e+00, 3.544441322e-01]> : tensor<3xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @gtsv() {
  %a0 = stablehlo.constant dense<[-6.150000000e-01, -6.340000000e-01, -9.930000000e-01, 4.800000000e-02]> : tensor<4xf64>
  %a1 = stablehlo.constant dense<[1.069000000e+00, -3.250000000e-01, 4.210000000e-01, 1.876000000e+00]> : tensor<4xf64>
  %a2 = stablehlo.constant dense<[-1.215000000e+00, 2.580000000e-01, -3.060000000e-01, -1.059000000e+00]> : tensor<4xf64>
  %a3 = stablehlo.constant dense<[[-1.026000000e+00, -1.500000000e-02], [4.340000000e-01, -5.320000000e-01], [5.400000000e-02, 7.220000000e-01], [2.970000000e-01, 8.690000000e-01]]> : tensor<4x2xf64>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_dgtsv_ffi(%a0, %a1, %a2, %a3) {mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>, tensor<i32>)
  check.expect_almost_eq_const %r3, dense<[[-3.609258709e-01, 2.675625783e+00], [5.268890897e-01, 2.366455935e+00], [1.458961054e+00, 7.493972578e+00], [1.209860711e-01, 2.714761814e-01]]> : tensor<4x2xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @orgqr() {
  %a0 = stablehlo.constant dense<[[4.610000000e-01, 4.880000000e-01, 1.827000000e+00, 6.230000000e-01], [1.290000000e-01, 7.100000000e-01, -9.190000000e-01, -3.380000000e-01], [7.930000000e-01, 6.310000000e-01, 1.548000000e+00, 1.000000000e-02], [-1.462000000e+00, 1.947000000e+00, 1.093000000e+00, -1.059000000e+00]]> : tensor<4x4xf64>
  %a1 = stablehlo.constant dense<[1.376000000e+00, 3.200000000e-02]> : tensor<2xf64>
  %r0 = stablehlo.custom_call @lapack_dorgqr_ffi(%a0, %a1) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf64>, tensor<2xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq_const %r0, dense<[[-3.760000000e-01, -2.751287122e-01, -1.152769193e+00, 1.821636685e+00], [-1.775040000e-01, 9.325083961e-01, -1.688992259e-01, 1.726871324e-01], [-1.091168000e+00, -2.383690688e-01, 7.311287764e-02, 1.405244067e+00], [2.011712000e+00, 3.399341772e-01, 1.646034737e+00, -1.784538722e+00]]> : tensor<4x4xf64>
  func.return
}

func.func @getrf_complex() {
  %a0 = stablehlo.constant dense<[[[(-1.814000000e+00,-5.490000000e-01), (-4.200000000e-01,-3.880000000e-01), (-5.090000000e-01,6.480000000e-01)], [(1.591000000e+00,-1.210000000e-01), (-7.920000000e-01,-2.300000000e-01), (-2.540000000e-01,-5.800000000e-02)], [(-2.770000000e-01,1.853000000e+00), (-3.790000000e-01,2.160000000e+00), (-9.140000000e-01,-5.250000000e-01)], [(2.190000000e-01,-9.260000000e-01), (1.077000000e+00,2.693000000e+00), (6.240000000e-01,-9.800000000e-01)]], [[(-9.270000000e-01,-5.730000000e-01), (-1.150000000e+00,3.700000000e-02), (1.190000000e-01,4.830000000e-01)], [(-7.070000000e-01,1.029000000e+00), (-6.300000000e-01,3.910000000e-01), (-1.680000000e+00,-8.720000000e-01)], [(1.950000000e+00,5.060000000e-01), (9.170000000e-01,2.500000000e-01), (-9.740000000e-01,1.877000000e+00)], [(9.080000000e-01,-1.500000000e-02), (1.342000000e+00,-1.337000000e+00), (-2.390000000e+00,-1.045000000e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_zgetrf_ffi(%a0) {mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x4x3xcomplex<f64>>) -> (tensor<2x4x3xcomplex<f64>>, tensor<2x3xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %r0, dense<[[[(-1.814000000e+00,-5.490000000e-01), (-4.200000000e-01,-3.880000000e-01), (-5.090000000e-01,6.480000000e-01)], [(3.093209710e-02,5.011126123e-01), (8.955597872e-01,2.915468951e+00), (9.644654102e-01,-7.449776793e-01)], [(-1.433238948e-01,-9.781230330e-01), (5.250625882e-01,1.817578056e-01), (-2.262585801e+00,-7.141299480e-01)], [(-7.849797759e-01,3.042744746e-01), (-2.468521734e-01,3.494048948e-01), (1.816267072e-01,-9.474088401e-02)]], [[(1.950000000e+00,5.060000000e-01), (9.170000000e-01,2.500000000e-01), (-9.740000000e-01,1.877000000e+00)], [(4.343955554e-01,-1.204123852e-01), (9.135561794e-01,-1.335180732e+00), (-2.192912776e+00,-1.977642121e+00)], [(-5.168336563e-01,-1.597344461e-01), (-4.094286303e-01,-2.561159590e-01), (-1.075553102e+00,-7.382784095e-02)], [(-2.114003670e-01,5.825479927e-01), (-5.531188216e-02,-1.797347339e-01), (5.427795894e-01,3.451779576e-01)]]]> : tensor<2x4x3xcomplex<f64>>
  check.expect_eq_const %r1, dense<[[1, 4, 3], [3, 4, 3]]> : tensor<2x3xi32>
  check.expect_eq_const %r2, dense<[0, 0]> : tensor<2xi32>
  func.return
}

func.func @potrf_lower_complex() {
  %a0 = stablehlo.constant dense<[[(1.347422200e+01,-2.078550665e-16), (-4.120006000e+00,1.176228000e+00), (-4.440169000e+00,6.362500000e-02)], [(-4.120006000e+00,-1.176228000e+00), (8.552642000e+00,5.934319702e-17), (3.339513000e+00,-1.350550000e-01)], [(-4.440169000e+00,-6.362500000e-02), (3.339513000e+00,1.350550000e-01), (6.429060000e+00,-4.574673973e-17)]]> : tensor<3x3xcomplex<f64>>
  %r0, %r1 = stablehlo.custom_call @lapack_zpotrf_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[(3.670724997e+00,0.000000000e+00), (-4.120006000e+00,1.176228000e+00), (-4.440169000e+00,6.362500000e-02)], [(-1.122395713e+00,-3.204347918e-01), (2.681453227e+00,0.000000000e+00), (3.339513000e+00,-1.350550000e-01)], [(-1.209616358e+00,-1.733308817e-02), (7.370222391e-01,1.876607717e-01), (2.094557110e+00,0.000000000e+00)]]> : tensor<3x3xcomplex<f64>>
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  func.return
}

func.func @potrf_upper_complex() {
  %a0 = stablehlo.constant dense<[[(1.347422200e+01,-2.078550665e-16), (-4.120006000e+00,1.176228000e+00), (-4.440169000e+00,6.362500000e-02)], [(-4.120006000e+00,-1.176228000e+00), (8.552642000e+00,5.934319702e-17), (3.339513000e+00,-1.350550000e-01)], [(-4.440169000e+00,-6.362500000e-02), (3.339513000e+00,1.350550000e-01), (6.429060000e+00,-4.574673973e-17)]]> : tensor<3x3xcomplex<f64>>
  %r0, %r1 = stablehlo.custom_call @lapack_zpotrf_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[(3.670724997e+00,0.000000000e+00), (-1.122395713e+00,3.204347918e-01), (-1.209616358e+00,1.733308817e-02)], [(-4.120006000e+00,-1.176228000e+00), (2.681453227e+00,0.000000000e+00), (7.370222391e-01,-1.876607717e-01)], [(-4.440169000e+00,-6.362500000e-02), (3.339513000e+00,1.350550000e-01), (2.094557110e+00,0.000000000e+00)]]> : tensor<3x3xcomplex<f64>>
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  func.return
}

func.func @trsm_right_complex() {
  %a0 = stablehlo.constant dense<[[(1.347422200e+01,-2.078550665e-16), (-4.120006000e+00,1.176228000e+00), (-4.440169000e+00,6.362500000e-02)], [(-4.120006000e+00,-1.176228000e+00), (8.552642000e+00,5.934319702e-17), (3.339513000e+00,-1.350550000e-01)], [(-4.440169000e+00,-6.362500000e-02), (3.339513000e+00,1.350550000e-01), (6.429060000e+00,-4.574673973e-17)]]> : tensor<3x3xcomplex<f64>>
  %a1 = stablehlo.constant dense<[[(-8.600000000e-01,1.320000000e+00), (6.000000000e-03,-1.860000000e-01), (-8.200000000e-02,1.169000000e+00)], [(2.774000000e+00,-2.177000000e+00), (-1.930000000e-01,9.500000000e-02), (1.271000000e+00,8.570000000e-01)]]> : tensor<2x3xcomplex<f64>>
  %r0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a0, %a1) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %r0, dense<[[(-6.382557746e-02,9.796483983e-02), (-1.657181190e-02,3.422207538e-02), (-4.797644113e-02,2.319963067e-01)], [(2.058745952e-01,-1.615677699e-01), (5.438834370e-02,-9.503679037e-02), (3.120273973e-01,7.018678316e-02)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

func.func @trsm_left_complex() {
  %a0 = stablehlo.constant dense<[[(1.347422200e+01,-2.078550665e-16), (-4.120006000e+00,1.176228000e+00), (-4.440169000e+00,6.362500000e-02)], [(-4.120006000e+00,-1.176228000e+00), (8.552642000e+00,5.934319702e-17), (3.339513000e+00,-1.350550000e-01)], [(-4.440169000e+00,-6.362500000e-02), (3.339513000e+00,1.350550000e-01), (6.429060000e+00,-4.574673973e-17)]]> : tensor<3x3xcomplex<f64>>
  %a1 = stablehlo.constant dense<[[(-2.398000000e+00,-5.430000000e-01), (-1.159000000e+00,7.240000000e-01)], [(1.056000000e+00,4.540000000e-01), (-2.570000000e-01,-2.800000000e-01)], [(-1.098000000e+00,-6.650000000e-01), (-3.740000000e-01,-5.400000000e-02)]]> : tensor<3x2xcomplex<f64>>
  %r0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a0, %a1) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  check.expect_almost_eq_const %r0, dense<[[(-2.398000000e+00,-5.430000000e-01), (-1.159000000e+00,7.240000000e-01)], [(-9.462466192e+00,1.037431486e+00), (-4.180497882e+00,4.066132596e+00)], [(1.967984491e+01,-7.665908323e+00), (7.937584115e+00,-1.090907607e+01)]]> : tensor<3x2xcomplex<f64>>
  func.return
}

func.func @geqrf_complex() {
  %a0 = stablehlo.constant dense<[[(1.325000000e+00,-3.510000000e-01), (3.490000000e-01,-3.290000000e-01), (6.390000000e-01,2.840000000e-01)], [(-1.510000000e-01,2.940000000e-01), (-1.292000000e+00,9.620000000e-01), (-7.110000000e-01,9.280000000e-01)], [(6.510000000e-01,1.332000000e+00), (1.030000000e-01,8.060000000e-01), (-9.040000000e-01,-3.360000000e-01)], [(-1.618000000e+00,-5.400000000e-02), (1.110000000e-01,4.940000000e-01), (-3.400000000e-01,-3.100000000e-01)]]> : tensor<4x3xcomplex<f64>>
  %r0, %r1 = stablehlo.custom_call @lapack_zgeqrf_ffi(%a0) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xcomplex<f64>>)
  check.expect_almost_eq_const %r0, dense<[[(-2.609009007e+00,0.000000000e+00), (-7.628164542e-01,1.857517543e-01), (-2.521984394e-01,-8.195092443e-01)], [(-4.469525593e-02,7.074512658e-02), (1.767755453e+00,0.000000000e+00), (7.613944326e-01,-2.831977603e-02)], [(1.342024234e-01,3.505597084e-01), (1.105709811e-01,-1.280805030e-01), (1.296831159e+00,0.000000000e+00)], [(-4.068220490e-01,-5.002391678e-02), (-1.498692526e-01,-1.539952268e-01), (1.255789910e-01,-1.318385793e-01)]]> : tensor<4x3xcomplex<f64>>
  check.expect_almost_eq_const %r1, dense<[(1.507855663e+00,-1.345338399e-01), (1.723359815e+00,-4.866835179e-01), (1.468615517e+00,8.283419574e-01)]> : tensor<3xcomplex<f64>>
  func.return
}

func.func @geqp3_complex() {
  %a0 = stablehlo.constant dense<[[(5.490000000e-01,1.140000000e-01), (1.154000000e+00,-1.670000000e-01), (-8.010000000e-01,-2.790000000e-01)], [(-1.770000000e+00,-1.120000000e+00), (1.194000000e+00,1.263000000e+00), (1.800000000e-02,-4.000000000e-02)], [(7.090000000e-01,7.500000000e-02), (-1.332000000e+00,9.300000000e-02), (1.733000000e+00,-2.358000000e+00)], [(7.390000000e-01,5.270000000e-01), (-1.260000000e-01,-3.290000000e-01), (-3.520000000e-01,-2.890000000e-01)]]> : tensor<4x3xcomplex<f64>>
  %a1 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi32>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_zgeqp3_ffi(%a0, %a1) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xcomplex<f64>>, tensor<3xi32>) -> (tensor<4x3xcomplex<f64>>, tensor<3xi32>, tensor<3xcomplex<f64>>)
  check.expect_almost_eq_const %r0, dense<[[(3.080948555e+00,0.000000000e+00), (5.868355046e-02,5.844826578e-01), (-1.069477773e+00,-7.705633370e-01)], [(-3.876256479e-03,1.058269448e-02), (2.385118291e+00,0.000000000e+00), (-1.511120162e+00,-7.178817189e-01)], [(-4.006990398e-01,6.362255957e-01), (-1.099588381e-01,1.321242985e-01), (-1.323257771e+00,0.000000000e+00)], [(9.553323865e-02,6.758106726e-02), (-1.806588277e-01,-8.061327488e-02), (4.310548355e-03,2.283877409e-02)]]> : tensor<4x3xcomplex<f64>>
  check.expect_eq_const %r1, dense<[3, 1, 2]> : tensor<3xi32>
  check.expect_almost_eq_const %r2, dense<[(1.259984867e+00,9.055652667e-02), (1.743392220e+00,4.725185265e-01), (1.378590303e+00,-9.247598520e-01)]> : tensor<3xcomplex<f64>>
  func.return
}

func.func @gehrd_complex() {
  %a0 = stablehlo.constant dense<[[(7.000000000e-02,4.620000000e-01), (-9.720000000e-01,8.890000000e-01), (8.430000000e-01,-1.980000000e-01), (-6.960000000e-01,9.470000000e-01)], [(-9.040000000e-01,2.087000000e+00), (-8.620000000e-01,-2.080000000e-01), (1.590000000e-01,-1.149000000e+00), (7.460000000e-01,-1.054000000e+00)], [(-5.950000000e-01,-1.390000000e+00), (-1.510000000e+00,-6.400000000e-01), (1.062000000e+00,-7.240000000e-01), (-1.065000000e+00,-1.325000000e+00)], [(1.195000000e+00,5.300000000e-01), (-5.400000000e-02,-2.611000000e+00), (-6.980000000e-01,-1.321000000e+00), (-6.400000000e-01,2.015000000e+00)]]> : tensor<4x4xcomplex<f64>>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_zgehrd_ffi(%a0) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[(7.000000000e-02,4.620000000e-01), (-1.019567297e+00,-1.031557679e+00), (-9.832145700e-01,2.586562156e-01), (3.032601809e-01,-7.981062683e-01)], [(3.027843292e+00,0.000000000e+00), (9.319571889e-01,1.087853836e+00), (-2.050911887e-01,8.419619202e-02), (8.610678306e-01,1.345762620e-01)], [(-2.833632883e-02,3.384829921e-01), (2.591810876e+00,0.000000000e+00), (-8.137717127e-01,1.043158308e+00), (-1.512486584e+00,-2.513650429e-01)], [(-1.812995137e-01,-2.310295751e-01), (-4.758418137e-01,-2.353133129e-01), (3.076335654e+00,0.000000000e+00), (-5.581854762e-01,-1.048012143e+00)]]> : tensor<4x4xcomplex<f64>>
  check.expect_almost_eq_const %r1, dense<[(1.298562347e+00,-6.892694895e-01), (1.172852712e+00,6.741131865e-01), (1.807593177e+00,5.897399937e-01)]> : tensor<3xcomplex<f64>>
  check.expect_eq_const %r2, dense<0> : tensor<i32>
  func.return
}

func.func @sytrd_lower_complex() {
  %a0 = stablehlo.constant dense<[[(2.076000000e+00,0.000000000e+00), (1.059000000e+00,-1.278000000e+00), (-2.770000000e-01,1.579000000e+00), (1.441000000e+00,2.803000000e+00)], [(1.059000000e+00,1.278000000e+00), (1.560000000e-01,0.000000000e+00), (-1.936000000e+00,1.690000000e-01), (7.970000000e-01,-4.780000000e-01)], [(-2.770000000e-01,-1.579000000e+00), (-1.936000000e+00,-1.690000000e-01), (-1.428000000e+00,0.000000000e+00), (-1.371000000e+00,-1.206000000e+00)], [(1.441000000e+00,-2.803000000e+00), (7.970000000e-01,4.780000000e-01), (-1.371000000e+00,1.206000000e+00), (-3.380000000e-01,0.000000000e+00)]]> : tensor<4x4xcomplex<f64>>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_zhetrd_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<4xf64>, tensor<3xf64>, tensor<3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[(2.076000000e+00,0.000000000e+00), (1.059000000e+00,-1.278000000e+00), (-2.770000000e-01,1.579000000e+00), (1.441000000e+00,2.803000000e+00)], [(-3.906152199e+00,0.000000000e+00), (-5.740730416e-01,0.000000000e+00), (-1.936000000e+00,1.690000000e-01), (7.970000000e-01,-4.780000000e-01)], [(-1.290917801e-01,-2.847889951e-01), (-2.101359225e+00,0.000000000e+00), (-5.049153823e-01,0.000000000e+00), (-1.371000000e+00,-1.206000000e+00)], [(1.359106578e-01,-5.995171349e-01), (-1.145898021e-01,-2.315989652e-01), (-2.052891147e+00,0.000000000e+00), (-5.310115761e-01,0.000000000e+00)]]> : tensor<4x4xcomplex<f64>>
  check.expect_almost_eq_const %r1, dense<[2.076000000e+00, -5.740730416e-01, -5.049153823e-01, -5.310115761e-01]> : tensor<4xf64>
  check.expect_almost_eq_const %r2, dense<[-3.906152199e+00, -2.101359225e+00, -2.052891147e+00]> : tensor<3xf64>
  check.expect_almost_eq_const %r3, dense<[(1.271110788e+00,3.271761915e-01), (1.860787876e+00,-1.615901342e-01), (1.394711212e+00,9.188052347e-01)]> : tensor<3xcomplex<f64>>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @sytrd_upper_complex() {
  %a0 = stablehlo.constant dense<[[(2.076000000e+00,0.000000000e+00), (1.059000000e+00,-1.278000000e+00), (-2.770000000e-01,1.579000000e+00), (1.441000000e+00,2.803000000e+00)], [(1.059000000e+00,1.278000000e+00), (1.560000000e-01,0.000000000e+00), (-1.936000000e+00,1.690000000e-01), (7.970000000e-01,-4.780000000e-01)], [(-2.770000000e-01,-1.579000000e+00), (-1.936000000e+00,-1.690000000e-01), (-1.428000000e+00,0.000000000e+00), (-1.371000000e+00,-1.206000000e+00)], [(1.441000000e+00,-2.803000000e+00), (7.970000000e-01,4.780000000e-01), (-1.371000000e+00,1.206000000e+00), (-3.380000000e-01,0.000000000e+00)]]> : tensor<4x4xcomplex<f64>>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_zhetrd_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<4xf64>, tensor<3xf64>, tensor<3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[[(-1.007242780e+00,0.000000000e+00), (1.929330795e+00,0.000000000e+00), (5.827148154e-01,-3.331209588e-02), (-3.878969810e-01,-4.551923911e-01)], [(1.059000000e+00,1.278000000e+00), (1.317021993e+00,0.000000000e+00), (-2.658769098e+00,0.000000000e+00), (-1.264640931e-01,1.229044234e-01)], [(-2.770000000e-01,-1.579000000e+00), (-1.936000000e+00,-1.690000000e-01), (4.942207867e-01,0.000000000e+00), (3.759130219e+00,0.000000000e+00)], [(1.441000000e+00,-2.803000000e+00), (7.970000000e-01,4.780000000e-01), (-1.371000000e+00,1.206000000e+00), (-3.380000000e-01,0.000000000e+00)]]> : tensor<4x4xcomplex<f64>>
  check.expect_almost_eq_const %r1, dense<[-1.007242780e+00, 1.317021993e+00, 4.942207867e-01, -3.380000000e-01]> : tensor<4xf64>
  check.expect_almost_eq_const %r2, dense<[1.929330795e+00, -2.658769098e+00, 3.759130219e+00]> : tensor<3xf64>
  check.expect_almost_eq_const %r3, dense<[(1.754815685e+00,-6.559369496e-01), (1.117711784e+00,6.466203493e-01), (1.364712027e+00,3.208188942e-01)]> : tensor<3xcomplex<f64>>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @syevd_values_complex() {
  %a0 = stablehlo.constant dense<[[(2.076000000e+00,0.000000000e+00), (1.059000000e+00,-1.278000000e+00), (-2.770000000e-01,1.579000000e+00), (1.441000000e+00,2.803000000e+00)], [(1.059000000e+00,1.278000000e+00), (1.560000000e-01,0.000000000e+00), (-1.936000000e+00,1.690000000e-01), (7.970000000e-01,-4.780000000e-01)], [(-2.770000000e-01,-1.579000000e+00), (-1.936000000e+00,-1.690000000e-01), (-1.428000000e+00,0.000000000e+00), (-1.371000000e+00,-1.206000000e+00)], [(1.441000000e+00,-2.803000000e+00), (7.970000000e-01,4.780000000e-01), (-1.371000000e+00,1.206000000e+00), (-3.380000000e-01,0.000000000e+00)]]> : tensor<4x4xcomplex<f64>>
  %r0, %r1, %r2 = stablehlo.custom_call @lapack_zheevd_ffi(%a0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<4xf64>, tensor<i32>)
  check.expect_almost_eq_const %r1, dense<[-4.450410208e+00, -1.883876735e+00, 1.600789396e+00, 5.199497546e+00]> : tensor<4xf64>
  check.expect_eq_const %r2, dense<0> : tensor<i32>
  func.return
}

func.func @gesdd_values_complex() {
  %a0 = stablehlo.constant dense<[[(-9.510000000e-01,-1.970000000e-01), (-5.410000000e-01,-4.300000000e-02), (-3.940000000e-01,-2.492000000e+00)], [(-4.080000000e-01,-2.700000000e+00), (-5.300000000e-02,3.370000000e-01), (-4.360000000e-01,3.300000000e-01)], [(3.870000000e-01,1.393000000e+00), (5.230000000e-01,7.210000000e-01), (3.580000000e-01,2.220000000e-01)], [(-6.630000000e-01,1.600000000e-02), (-6.170000000e-01,-1.427000000e+00), (4.350000000e-01,8.830000000e-01)]]> : tensor<4x3xcomplex<f64>>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_zgesdd_ffi(%a0) {mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3xf64>, tensor<4x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r1, dense<[3.339951977e+00, 2.881397284e+00, 1.704095504e+00]> : tensor<3xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @gtsv_complex() {
  %a0 = stablehlo.constant dense<[(-6.040000000e-01,8.930000000e-01), (5.020000000e-01,-4.900000000e-01), (2.000000000e-01,-3.870000000e-01), (2.720000000e-01,-8.560000000e-01)]> : tensor<4xcomplex<f64>>
  %a1 = stablehlo.constant dense<[(-3.770000000e-01,8.260000000e-01), (1.666000000e+00,7.290000000e-01), (-3.630000000e-01,8.030000000e-01), (1.186000000e+00,-1.014000000e+00)]> : tensor<4xcomplex<f64>>
  %a2 = stablehlo.constant dense<[(3.730000000e-01,-6.890000000e-01), (1.588000000e+00,3.170000000e-01), (-6.960000000e-01,-1.079000000e+00), (-4.700000000e-02,1.610000000e+00)]> : tensor<4xcomplex<f64>>
  %a3 = stablehlo.constant dense<[[(-3.770000000e-01,7.240000000e-01), (-1.543000000e+00,9.180000000e-01)], [(1.791000000e+00,9.330000000e-01), (9.710000000e-01,2.130000000e-01)], [(5.190000000e-01,-4.660000000e-01), (5.330000000e-01,-1.920000000e-01)], [(-3.580000000e-01,1.110000000e+00), (-2.230000000e-01,1.440000000e+00)]]> : tensor<4x2xcomplex<f64>>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_zgtsv_ffi(%a0, %a1, %a2, %a3) {mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4x2xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r3, dense<[[(1.858458068e+00,2.964975278e-01), (1.834135358e+00,1.074220197e+00)], [(1.130390013e+00,2.132223142e-01), (2.372602975e-01,-7.652130345e-02)], [(-5.523660976e-01,4.348992771e-01), (-4.977742294e-01,4.312241509e-01)], [(-4.986307601e-01,1.118922962e-02), (-5.958827432e-01,2.465321998e-01)]]> : tensor<4x2xcomplex<f64>>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @orgqr_complex() {
  %a0 = stablehlo.constant dense<[[(-3.410000000e-01,-1.570000000e+00), (-4.770000000e-01,3.060000000e-01), (1.248000000e+00,6.990000000e-01), (7.240000000e-01,-6.920000000e-01)], [(6.970000000e-01,8.150000000e-01), (-1.312000000e+00,-3.300000000e-01), (-3.740000000e-01,1.230000000e+00), (-5.150000000e-01,5.280000000e-01)], [(2.080000000e-01,2.240000000e-01), (-1.685000000e+00,2.009000000e+00), (1.272000000e+00,8.320000000e-01), (3.000000000e-01,1.309000000e+00)], [(4.350000000e-01,-1.190000000e+00), (-1.184000000e+00,-6.470000000e-01), (-2.600000000e-02,8.370000000e-01), (1.335000000e+00,9.060000000e-01)]]> : tensor<4x4xcomplex<f64>>
  %a1 = stablehlo.constant dense<[(-5.600000000e-02,-1.058000000e+00), (7.800000000e-01,2.140000000e-01)]> : tensor<2xcomplex<f64>>
  %r0 = stablehlo.custom_call @lapack_zungqr_ffi(%a0, %a1) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  check.expect_almost_eq_const %r0, dense<[[(1.056000000e+00,1.058000000e+00), (-3.382997260e-01,-5.009817955e-01), (-5.890159285e-02,4.707693603e+00), (1.004749207e+00,1.137084753e+00)], [(-8.232380000e-01,7.830660000e-01), (3.925052543e-01,-8.388985882e-01), (-2.993450697e+00,5.160867643e+00), (8.355641237e-01,1.360134677e+00)], [(-2.253440000e-01,2.326080000e-01), (1.786079579e+00,-1.386413352e+00), (-5.429513578e+00,-5.053091714e-01), (-1.330322524e+00,3.018504793e+00)], [(1.283380000e+00,3.935900000e-01), (4.173328255e-02,9.426855929e-01), (5.776598049e+00,-7.365406052e-01), (1.370234061e+00,-1.090599199e+00)]]> : tensor<4x4xcomplex<f64>>
  func.return
}

func.func @geev_values() {
  %a0 = stablehlo.constant dense<[[-1.147000000e+00, 3.410000000e-01, -4.860000000e-01, -6.410000000e-01], [5.600000000e-02, 1.817000000e+00, -1.012000000e+00, -6.020000000e-01], [1.068000000e+00, -4.240000000e-01, 1.769000000e+00, 2.230000000e-01], [9.100000000e-02, 3.570000000e-01, 1.741000000e+00, 6.550000000e-01]]> : tensor<4x4xf64>
  %r0, %r1, %r2, %r3, %r4 = stablehlo.custom_call @lapack_dgeev_ffi(%a0) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r0, dense<[-1.200416501e+00, 2.388285080e+00, 9.530657107e-01, 9.530657107e-01]> : tensor<4xf64>
  check.expect_almost_eq_const %r1, dense<[0.000000000e+00, 0.000000000e+00, 5.906868451e-01, -5.906868451e-01]> : tensor<4xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  func.return
}

func.func @gees_values() {
  %a0 = stablehlo.constant dense<[[-1.147000000e+00, 3.410000000e-01, -4.860000000e-01, -6.410000000e-01], [5.600000000e-02, 1.817000000e+00, -1.012000000e+00, -6.020000000e-01], [1.068000000e+00, -4.240000000e-01, 1.769000000e+00, 2.230000000e-01], [9.100000000e-02, 3.570000000e-01, 1.741000000e+00, 6.550000000e-01]]> : tensor<4x4xf64>
  %r0, %r1, %r2, %r3, %r4, %r5 = stablehlo.custom_call @lapack_dgees_ffi(%a0) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %r2, dense<[-1.200416501e+00, 2.388285080e+00, 9.530657107e-01, 9.530657107e-01]> : tensor<4xf64>
  check.expect_almost_eq_const %r3, dense<[0.000000000e+00, 0.000000000e+00, 5.906868451e-01, -5.906868451e-01]> : tensor<4xf64>
  check.expect_eq_const %r4, dense<0> : tensor<i32>
  check.expect_eq_const %r5, dense<0> : tensor<i32>
  func.return
}

func.func @syevd_makes_the_matrix() {
  %a0 = stablehlo.constant dense<[[4.0, 1.0, -2.0], [1.0, 2.0, 0.0], [-2.0, 0.0, 3.0]]> : tensor<3x3xf32>
  %v, %w, %info = stablehlo.custom_call @lapack_ssyevd_ffi(%a0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.multiply %v, %0 : tensor<3x3xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [1] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_almost_eq %2, %a0 : tensor<3x3xf32>
  func.return
}

func.func @gesdd_makes_the_matrix() {
  %a0 = stablehlo.constant dense<[[4.0, 1.0, -2.0], [1.0, 2.0, 0.0]]> : tensor<2x3xf32>
  %a, %s, %u, %vt, %info = stablehlo.custom_call @lapack_sgesdd_ffi(%a0) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<i32>)
  %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.multiply %u, %0 : tensor<2x2xf32>
  %2 = stablehlo.dot_general %1, %vt, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq %2, %a0 : tensor<2x3xf32>
  func.return
}

func.func @gees_makes_the_matrix() {
  %a0 = stablehlo.constant dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %t, %z, %re, %im, %sdim, %info = stablehlo.custom_call @lapack_sgees_ffi(%a0) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>)
  %0 = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.dot_general %0, %z, contracting_dims = [1] x [1] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_almost_eq %1, %a0 : tensor<3x3xf32>
  func.return
}

func.func @a_matrix_that_is_not_positive_definite_is_reported() {
  %a0 = stablehlo.constant dense<[[1.0, 0.0], [0.0, -1.0]]> : tensor<2x2xf32>
  %l, %info = stablehlo.custom_call @lapack_spotrf_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %info, dense<2> : tensor<i32>
  func.return
}
