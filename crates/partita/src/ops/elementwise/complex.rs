//! Functions of complex numbers that keep their accuracy at large, small and special values.

use num_complex::Complex64;

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// The quotient by Smith's method, which does not overflow on the way; infinities and zeros as in C99.
pub(crate) fn divide(a: Complex64, b: Complex64) -> Complex64 {
    let large = [a.re, a.im, b.re, b.im].iter().any(|x| x.abs() > f64::MAX / 4.0 && x.is_finite());
    let (a, b) = if large { (a * 0.25, b * 0.25) } else { (a, b) };
    let quotient = if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let scale = b.re + b.im * ratio;
        c((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale)
    } else {
        let ratio = b.re / b.im;
        let scale = b.re * ratio + b.im;
        c((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale)
    };
    if !(quotient.re.is_nan() && quotient.im.is_nan()) {
        return quotient;
    }
    let is_infinite = |z: Complex64| z.re.is_infinite() || z.im.is_infinite();
    if b.re == 0.0 && b.im == 0.0 && !(a.re.is_nan() && a.im.is_nan()) {
        let infinity = f64::INFINITY.copysign(b.re);
        return c(infinity * a.re, infinity * a.im);
    }
    // One where it was infinite, else zero, with the sign.
    let direction = |x: f64| if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) };
    if is_infinite(a) && b.re.is_finite() && b.im.is_finite() {
        let (re, im) = (direction(a.re), direction(a.im));
        return c(f64::INFINITY * (re * b.re + im * b.im), f64::INFINITY * (im * b.re - re * b.im));
    }
    if is_infinite(b) && a.re.is_finite() && a.im.is_finite() {
        let (re, im) = (direction(b.re), direction(b.im));
        return c(0.0 * (a.re * re + a.im * im), 0.0 * (a.im * re - a.re * im));
    }
    quotient
}

/// The number with the same direction and magnitude one.
pub(crate) fn sign(z: Complex64) -> Complex64 {
    if z.re.is_nan() || z.im.is_nan() {
        return c(f64::NAN, f64::NAN);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return c(0.0, 0.0);
    }
    let magnitude = z.re.hypot(z.im);
    c(z.re / magnitude, z.im / magnitude)
}

/// `exp(a) * x`, where only the product must not overflow.
fn exp_times(a: f64, x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    if a > 709.0 && a.is_finite() {
        let half = (a / 2.0).exp();
        return x * half * half;
    }
    a.exp() * x
}

/// The exponential.
pub(crate) fn exp(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.exp(), z.im);
    }
    if z.re == f64::NEG_INFINITY {
        let angle = if z.im.is_finite() { z.im } else { 0.0 };
        return c(0f64.copysign(angle.cos()), 0f64.copysign(angle.sin()));
    }
    if z.re == f64::INFINITY && !z.im.is_finite() {
        return c(f64::INFINITY, f64::NAN);
    }
    let (sin, cos) = z.im.sin_cos();
    c(exp_times(z.re, cos), exp_times(z.re, sin))
}

/// The exponential minus one: `(e^a - 1) cos b + (cos b - 1)`, where the second term is `-2 sin²(b/2)`.
pub(crate) fn exp_m1(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.exp_m1(), z.im);
    }
    if z.re > 36.0 || !z.re.is_finite() {
        // One is below the last place.
        let e = exp(z);
        return c(e.re - 1.0, e.im);
    }
    let (sin, cos) = z.im.sin_cos();
    let half = (z.im / 2.0).sin();
    c(z.re.exp_m1() * cos - 2.0 * half * half, z.re.exp() * sin)
}

/// The natural logarithm, with the cut along the negative real axis.
pub(crate) fn ln(z: Complex64) -> Complex64 {
    c(ln_magnitude(z), z.im.atan2(z.re))
}

/// The logarithm of the magnitude, exact where the magnitude is near one.
fn ln_magnitude(z: Complex64) -> f64 {
    if z.re.is_nan() || z.im.is_nan() {
        return f64::NAN;
    }
    let (large, small) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    if large > 0.5 && large < 2.0 {
        return 0.5 * ((large - 1.0) * (large + 1.0) + small * small).ln_1p();
    }
    let magnitude = z.re.hypot(z.im);
    if magnitude.is_infinite() && large.is_finite() {
        return large.ln() + 0.5 * (small / large).powi(2).ln_1p();
    }
    magnitude.ln()
}

/// The natural logarithm of one more.
pub(crate) fn ln_1p(z: Complex64) -> Complex64 {
    let im = z.im.atan2(z.re + 1.0);
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        // |1 + z|² - 1 = 2a + a² + b²
        return c(0.5 * (z.re * (2.0 + z.re) + z.im * z.im).ln_1p(), im);
    }
    c(ln_magnitude(c(z.re + 1.0, z.im)), im)
}

/// `1 / (1 + exp(-z))`.
pub(crate) fn logistic(z: Complex64) -> Complex64 {
    divide(c(1.0, 0.0), exp(-z) + 1.0)
}

/// The square root with a real part that is not negative.
pub(crate) fn sqrt(z: Complex64) -> Complex64 {
    if z.re == 0.0 && z.im == 0.0 {
        return c(0.0, z.im);
    }
    if z.im.is_infinite() {
        return c(f64::INFINITY, z.im);
    }
    if z.re == f64::INFINITY {
        return c(f64::INFINITY, if z.im.is_nan() { z.im } else { 0f64.copysign(z.im) });
    }
    if z.re == f64::NEG_INFINITY {
        return c(if z.im.is_nan() { z.im } else { 0.0 }, f64::INFINITY.copysign(z.im));
    }
    // Scaled by an even power of two, so that neither the sum overflows nor the root loses bits.
    let large = z.re.abs().max(z.im.abs());
    let (scale, back) = if large > 1e300 {
        (2f64.powi(-20), 2f64.powi(10))
    } else if large < 1e-290 {
        (2f64.powi(200), 2f64.powi(-100))
    } else {
        (1.0, 1.0)
    };
    let (re, im) = (z.re * scale, z.im * scale);
    let root = ((re.abs() + re.hypot(im)) * 0.5).sqrt();
    let other = im / (2.0 * root);
    let (re, im) = if re >= 0.0 { (root, other) } else { (other.abs(), root.copysign(im)) };
    c(re * back, im * back)
}

/// One over the square root.
pub(crate) fn rsqrt(z: Complex64) -> Complex64 {
    if z.re == 0.0 && z.im == 0.0 {
        return c(f64::INFINITY, f64::NAN);
    }
    let root = sqrt(z);
    if root.re.is_infinite() || root.im.is_infinite() {
        return c(0.0, 0f64.copysign(-root.im));
    }
    divide(c(1.0, 0.0), root)
}

/// The cube root with the smallest angle.
pub(crate) fn cbrt(z: Complex64) -> Complex64 {
    if z.im == 0.0 && z.re >= 0.0 {
        return c(z.re.cbrt(), z.im);
    }
    let (sin, cos) = (z.im.atan2(z.re) / 3.0).sin_cos();
    let magnitude = z.re.hypot(z.im).cbrt();
    c(magnitude * cos, magnitude * sin)
}

/// `cosh(x) * f`, where only the product must not overflow.
fn cosh_times(x: f64, f: f64) -> f64 {
    if x.abs() > 22.0 { 0.5 * exp_times(x.abs(), f) } else { x.cosh() * f }
}

/// `sinh(x) * f`, where only the product must not overflow.
fn sinh_times(x: f64, f: f64) -> f64 {
    if x.abs() > 22.0 { (0.5 * exp_times(x.abs(), f)) * 1f64.copysign(x) } else { x.sinh() * f }
}

/// The sine.
pub(crate) fn sin(z: Complex64) -> Complex64 {
    let (sin, cos) = z.re.sin_cos();
    c(cosh_times(z.im, sin), sinh_times(z.im, cos))
}

/// The cosine.
pub(crate) fn cos(z: Complex64) -> Complex64 {
    let (sin, cos) = z.re.sin_cos();
    c(cosh_times(z.im, cos), -sinh_times(z.im, sin))
}

/// The hyperbolic tangent, after Kahan.
pub(crate) fn tanh(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return c(z.re.tanh(), z.im);
    }
    if z.re.is_infinite() {
        return c(1f64.copysign(z.re), 0f64.copysign(if z.im.is_finite() { z.im.tan() } else { z.im }));
    }
    if z.re.abs() > 22.0 && z.im.is_finite() {
        // The real part is one to the last place, and the imaginary part shrinks.
        let (sin, cos) = z.im.sin_cos();
        return c(1f64.copysign(z.re), 4.0 * sin * cos * (-2.0 * z.re.abs()).exp());
    }
    let tan = z.im.tan();
    let sinh = z.re.sinh();
    let cosh = (1.0 + sinh * sinh).sqrt();
    let sec2 = 1.0 + tan * tan;
    if sec2.is_infinite() {
        return c(cosh / sinh, 1.0 / tan);
    }
    let below = 1.0 + sec2 * sinh * sinh;
    c(sec2 * cosh * sinh / below, tan / below)
}

/// The tangent: `tan z = -i tanh(iz)`.
pub(crate) fn tan(z: Complex64) -> Complex64 {
    let t = tanh(c(-z.im, z.re));
    c(t.im, -t.re)
}

/// The power `a^b = exp(b ln a)`; zero to the power of zero is one.
pub(crate) fn pow(a: Complex64, b: Complex64) -> Complex64 {
    if b.re == 0.0 && b.im == 0.0 {
        return c(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        return if b.im == 0.0 && b.re > 0.0 { c(0.0, 0.0) } else { exp(b * c(f64::NEG_INFINITY, 0.0)) };
    }
    let (magnitude, angle, log) = (a.re.hypot(a.im), a.im.atan2(a.re), ln_magnitude(a));
    // The magnitude may overflow where its power does not.
    let power = if magnitude.is_finite() { magnitude.powf(b.re) } else { (b.re * log).exp() };
    let scale = power * (-b.im * angle).exp();
    let (sin, cos) = (b.re * angle + b.im * log).sin_cos();
    c(scale * cos, scale * sin)
}

/// The complex arc tangent of a quotient: `-i ln((x + iy) / sqrt(x² + y²))`.
pub(crate) fn atan2(y: Complex64, x: Complex64) -> Complex64 {
    let i_y = c(-y.im, y.re);
    let quotient = divide(x + i_y, sqrt(x * x + y * y));
    let log = ln(quotient);
    c(log.im, -log.re)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Complex64, b: Complex64) {
        let error = (a - b).norm();
        assert!(error <= 1e-14 * b.norm().max(1e-300), "{a} is not {b}");
    }

    #[test]
    fn functions_agree_with_their_definitions() {
        for (re, im) in [(0.3, -0.7), (-1.5, 2.5), (3.0, 0.1), (-0.01, -0.02), (10.0, -4.0)] {
            let z = c(re, im);
            close(sqrt(z) * sqrt(z), z);
            close(exp(ln(z)), z);
            close(exp_m1(z) + 1.0, exp(z));
            close(ln_1p(z), ln(z + 1.0));
            close(tan(z), sin(z) / cos(z));
            close(tanh(z), z.tanh());
            close(cbrt(z).powi(3), z);
            close(rsqrt(z) * sqrt(z), c(1.0, 0.0));
            close(divide(z, c(2.0, -1.0)) * c(2.0, -1.0), z);
            close(pow(z, c(2.0, 0.0)), z * z);
        }
    }

    #[test]
    fn large_values_do_not_overflow_on_the_way() {
        close(divide(c(1e308, 1e308), c(1e308, 1e308)), c(1.0, 0.0));
        close(sqrt(c(1e308, 1e308)), c(1.09868411346781e154, 4.550898605622274e153));
        assert_eq!(tanh(c(1000.0, 1.0)).re, 1.0);
        assert!(sin(c(0.0, 1000.0)).re == 0.0);
        close(ln(c(1e308, 1e308)), c(709.5427822324461, std::f64::consts::FRAC_PI_4));
    }

    #[test]
    fn branches_follow_the_sign_of_zero() {
        assert_eq!(sqrt(c(-4.0, 0.0)), c(0.0, 2.0));
        assert_eq!(sqrt(c(-4.0, -0.0)), c(0.0, -2.0));
        assert_eq!(ln(c(-1.0, -0.0)).im, -std::f64::consts::PI);
    }
}
