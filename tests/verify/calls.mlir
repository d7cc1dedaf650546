// error: the function `@again` calls itself
func.func @again(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @ping(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @pong(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @pong(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @ping(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @ping(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Each function calls the next one sixteen times: 16^6 operations from a few lines.
func.func private @f0(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @f1(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f0(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f0(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f0(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f0(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f0(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f0(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f0(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f0(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f0(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f0(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f0(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f0(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f0(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f0(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f0(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
func.func private @f2(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f1(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f1(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f1(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f1(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f1(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f1(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f1(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f1(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f1(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f1(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f1(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f1(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f1(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f1(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f1(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f1(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
func.func private @f3(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f2(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f2(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f2(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f2(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f2(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f2(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f2(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f2(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f2(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f2(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f2(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f2(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f2(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f2(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f2(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f2(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
func.func private @f4(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f3(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f3(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f3(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f3(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f3(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f3(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f3(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f3(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f3(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f3(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f3(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f3(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f3(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f3(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f3(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f3(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
func.func private @f5(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f4(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f4(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f4(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f4(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f4(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f4(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f4(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f4(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f4(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f4(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f4(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f4(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f4(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f4(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f4(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f4(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
// error: with all calls inlined `@f6` has
func.func private @f6(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f5(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f5(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f5(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @f5(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @f5(%3) : (tensor<f32>) -> tensor<f32>
  %5 = call @f5(%4) : (tensor<f32>) -> tensor<f32>
  %6 = call @f5(%5) : (tensor<f32>) -> tensor<f32>
  %7 = call @f5(%6) : (tensor<f32>) -> tensor<f32>
  %8 = call @f5(%7) : (tensor<f32>) -> tensor<f32>
  %9 = call @f5(%8) : (tensor<f32>) -> tensor<f32>
  %10 = call @f5(%9) : (tensor<f32>) -> tensor<f32>
  %11 = call @f5(%10) : (tensor<f32>) -> tensor<f32>
  %12 = call @f5(%11) : (tensor<f32>) -> tensor<f32>
  %13 = call @f5(%12) : (tensor<f32>) -> tensor<f32>
  %14 = call @f5(%13) : (tensor<f32>) -> tensor<f32>
  %15 = call @f5(%14) : (tensor<f32>) -> tensor<f32>
  return %15 : tensor<f32>
}
