//! Functions of floats and complex numbers, computed in `f64` and rounded when stored.

use super::complex;
use crate::ops::ElementCx;
use crate::value::Scalar;
use num_complex::Complex64;

/// Defines formulas of one element from a function of floats and one of complex numbers.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $real:expr, $complex:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
            apply(x[0], $real, $complex)
        }
    )*};
}

fn apply(x: Scalar, real: fn(f64) -> f64, complex: fn(Complex64) -> Complex64) -> Scalar {
    match x {
        Scalar::Float(v) => Scalar::Float(real(v)),
        Scalar::Complex(v) => Scalar::Complex(complex(v)),
        // Some function of its own: what it gives for one number tells it from others.
        Scalar::Field(v) => Scalar::Field(v.scrambled(real(0.7).to_bits())),
        other => other,
    }
}

functions! {
    /// The cube root.
    cbrt = f64::cbrt, complex::cbrt;
    /// The cosine.
    cosine = f64::cos, complex::cos;
    /// The exponential.
    exponential = f64::exp, complex::exp;
    /// The exponential minus one.
    exponential_minus_one = f64::exp_m1, complex::exp_m1;
    /// The natural logarithm.
    log = f64::ln, complex::ln;
    /// The natural logarithm of one more.
    log_plus_one = f64::ln_1p, complex::ln_1p;
    /// `1 / (1 + exp(-x))`.
    logistic = |x| 1.0 / (1.0 + (-x).exp()), complex::logistic;
    /// One over the square root.
    rsqrt = |x| 1.0 / x.sqrt(), complex::rsqrt;
    /// The sine.
    sine = f64::sin, complex::sin;
    /// The square root.
    sqrt = f64::sqrt, complex::sqrt;
    /// The tangent.
    tan = f64::tan, complex::tan;
    /// The hyperbolic tangent.
    tanh = f64::tanh, complex::tanh;
    /// The next integer up.
    ceil = f64::ceil, |z| z;
    /// The next integer down.
    floor = f64::floor, |z| z;
    /// The nearest integer, ties away from zero.
    round_afz = f64::round, |z| z;
    /// The nearest integer, ties to even.
    round_even = f64::round_ties_even, |z| z;
}

/// Whether it is neither infinite nor NaN.
pub(crate) fn is_finite(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    Scalar::Bool(x[0].real().is_finite())
}

/// The angle of the point with the second as abscissa and the first as ordinate.
pub(crate) fn atan2(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Float(y), Scalar::Float(x)) => Scalar::Float(y.atan2(x)),
        (Scalar::Field(y), Scalar::Field(x)) => Scalar::Field(y.scrambled(x.bits())),
        (y, x) => Scalar::Complex(complex::atan2(y.complex(), x.complex())),
    }
}

/// The first to the power of the second.
pub(crate) fn power(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(match u64::try_from(b) {
            Ok(b) => integer_power(a as u64, b) as i64,
            // A negative power is one over an integer, which is rarely an integer itself.
            Err(_) if a == 1 || (a == -1 && b % 2 == 0) => 1,
            Err(_) if a == -1 => -1,
            Err(_) => 0,
        }),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(integer_power(a, b)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a.powf(b)),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a.scrambled(b.bits())),
        (a, b) => Scalar::Complex(complex::pow(a.complex(), b.complex())),
    }
}

/// A power modulo 2^64, by squaring. Negative bases work in two's complement.
fn integer_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_powers_wrap() {
        assert_eq!(integer_power(3, 4), 81);
        assert_eq!(integer_power(-2i64 as u64, 3) as i64, -8);
        assert_eq!(integer_power(2, 64), 0);
        assert_eq!(integer_power(7, 0), 1);
    }
}
