//! Trigonometric and hyperbolic functions of complex numbers and their inverses, by Kahan's formulas, which
//! keep their digits near the branch points and the right side of the cuts where zeros have signs.

use num_complex::Complex64;

/// `i z`, without the rounding and the lost zeros of a multiplication.
fn times_i(z: Complex64) -> Complex64 {
    Complex64::new(-z.im, z.re)
}

/// `-i z`.
fn over_i(z: Complex64) -> Complex64 {
    Complex64::new(z.im, -z.re)
}

/// The square root in the right half plane.
fn sqrt(z: Complex64) -> Complex64 {
    let (re, im) = (z.re.abs(), z.im.abs());
    if re == 0.0 && im == 0.0 {
        return Complex64::new(0.0, z.im);
    }
    if im.is_infinite() {
        return Complex64::new(f64::INFINITY, z.im);
    }
    // Scaled so that the modulus neither overflows nor vanishes.
    let scale = re.max(im);
    let large = (scale / 2.0).sqrt() * (re / scale + (re / scale).hypot(im / scale)).sqrt();
    let small = im / (2.0 * large);
    if z.re >= 0.0 {
        Complex64::new(large, small.copysign(z.im))
    } else {
        Complex64::new(small, large.copysign(z.im))
    }
}

/// `1 - z` and `1 + z` and their roots, with the signs of zero imaginary parts kept.
fn roots(z: Complex64) -> (Complex64, Complex64) {
    (sqrt(Complex64::new(1.0 - z.re, -z.im)), sqrt(Complex64::new(1.0 + z.re, z.im)))
}

/// `(Re √(1-z²), |Im asin z|)`, from which the inverse sine and cosine are made.
pub fn asin_acos_kernel(z: Complex64) -> Complex64 {
    let (minus, plus) = roots(z);
    Complex64::new((minus * plus).re, (minus.conj() * plus).im.asinh().abs())
}

/// The inverse sine.
pub fn asin(z: Complex64) -> Complex64 {
    let (minus, plus) = roots(z);
    Complex64::new(z.re.atan2((minus * plus).re), (minus.conj() * plus).im.asinh())
}

/// The inverse cosine.
pub fn acos(z: Complex64) -> Complex64 {
    let (minus, plus) = roots(z);
    Complex64::new(2.0 * minus.re.atan2(plus.re), (plus.conj() * minus).im.asinh())
}

/// The inverse hyperbolic sine.
pub fn asinh(z: Complex64) -> Complex64 {
    over_i(asin(times_i(z)))
}

/// The inverse hyperbolic cosine.
pub fn acosh(z: Complex64) -> Complex64 {
    let (minus, plus) = (sqrt(z - 1.0), sqrt(z + 1.0));
    Complex64::new((minus.conj() * plus).re.asinh(), 2.0 * minus.im.atan2(plus.re))
}

/// The inverse hyperbolic tangent.
pub fn atanh(z: Complex64) -> Complex64 {
    // In the first quadrant; the function is odd and commutes with conjugation.
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x > 1e150 || y > 1e150 {
        // Re 1/z, and an angle of a right one.
        let (a, b) = (x / x.max(y), y / x.max(y));
        (a / (a * a + b * b) / x.max(y), std::f64::consts::FRAC_PI_2)
    } else {
        let y2 = y * y;
        let minus = 1.0 - x;
        let re = (4.0 * x / (minus * minus + y2)).ln_1p() / 4.0;
        let im = (2.0 * y).atan2(minus * (1.0 + x) - y2) / 2.0;
        (re, im)
    };
    Complex64::new(re.copysign(z.re), im.copysign(z.im))
}

/// The inverse tangent.
pub fn atan(z: Complex64) -> Complex64 {
    over_i(atanh(times_i(z)))
}

/// The hyperbolic sine.
pub fn sinh(z: Complex64) -> Complex64 {
    Complex64::new(z.re.sinh() * z.im.cos(), times_zero(z.re.cosh(), z.im.sin()))
}

/// The hyperbolic cosine.
pub fn cosh(z: Complex64) -> Complex64 {
    Complex64::new(z.re.cosh() * z.im.cos(), times_zero(z.re.sinh(), z.im.sin()))
}

/// A product in which an exact zero wins over an infinity.
fn times_zero(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0f64.copysign(a) * 1.0f64.copysign(b) } else { a * b }
}

/// The tangent.
pub fn tan(z: Complex64) -> Complex64 {
    over_i(tanh(times_i(z)))
}

/// The hyperbolic tangent.
fn tanh(z: Complex64) -> Complex64 {
    if z.re.abs() > 20.0 {
        // 4 exp(-2|x|) is below half a unit in the last place of one.
        let im = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        return Complex64::new(1.0f64.copysign(z.re), if z.im == 0.0 { z.im } else { im });
    }
    let t = z.im.tan();
    let s = z.re.sinh();
    let beta = 1.0 + t * t;
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return Complex64::new(rho / s, 1.0 / t);
    }
    Complex64::new(beta * rho * s, t) / (1.0 + beta * s * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> impl Iterator<Item = Complex64> {
        let parts = [-3.0, -1.0, -0.3, 0.2, 1.0, 2.5];
        parts.into_iter().flat_map(move |re| parts.map(|im| Complex64::new(re, im)))
    }

    #[track_caller]
    fn close(a: Complex64, b: Complex64) {
        assert!((a - b).norm() <= 4e-15 * b.norm().max(1e-3), "{a} instead of {b}");
    }

    #[test]
    fn inverses_invert() {
        for z in grid() {
            let sin = |w: Complex64| over_i(sinh(times_i(w)));
            close(sin(asin(z)), z);
            close(cosh(times_i(acos(z))), z);
            close(sinh(asinh(z)), z);
            close(cosh(acosh(z)), z);
            close(tanh(atanh(z)), z);
            close(tan(atan(z)), z);
            assert!(acosh(z).re >= 0.0);
        }
    }

    #[test]
    fn the_kernel_makes_asin() {
        for z in grid() {
            let w = asin_acos_kernel(z);
            close(Complex64::new(z.re.atan2(w.re), w.im.copysign(z.im)), asin(z));
        }
    }

    #[test]
    fn values_on_the_real_axis_are_real() {
        let zero = Complex64::new(0.5, 0.0);
        assert_eq!(asin(zero).im, 0.0);
        assert_eq!(atan(zero).im, 0.0);
        assert!((asin(zero).re - 0.5f64.asin()).abs() < 1e-15);
        assert!((atan(zero).re - 0.5f64.atan()).abs() < 1e-15);
    }
}
