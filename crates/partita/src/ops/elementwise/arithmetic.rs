//! Arithmetic formulas. Integers wrap; storing a result brings it into its type.

use super::compare::partial_order;
use super::complex;
use crate::ops::ElementCx;
use crate::value::{Field, Scalar};
use num_complex::Complex64;

/// The sum; booleans: or.
pub(crate) fn add(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(a | b),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_add(b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.wrapping_add(b)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a + b),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a + b),
        (a, b) => Scalar::Complex(a.complex() + b.complex()),
    }
}

/// The difference; booleans: exclusive or.
pub(crate) fn subtract(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(a ^ b),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_sub(b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.wrapping_sub(b)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a - b),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a - b),
        (a, b) => Scalar::Complex(a.complex() - b.complex()),
    }
}

/// The product; booleans: and.
pub(crate) fn multiply(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(a & b),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_mul(b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.wrapping_mul(b)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a * b),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a * b),
        (a, b) => Scalar::Complex(a.complex() * b.complex()),
    }
}

/// The quotient. An integer divided by zero has all bits one, as XLA has it.
pub(crate) fn divide(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Int(_), Scalar::Int(0)) => Scalar::Int(-1),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_div(b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.checked_div(b).unwrap_or(u64::MAX)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a / b),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a * b.inverse()),
        (a, b) => Scalar::Complex(complex::divide(a.complex(), b.complex())),
    }
}

/// What the quotient rounded towards zero leaves. An integer by zero leaves itself, as XLA has it. The
/// specification leaves complex numbers open; both parts of their quotient are rounded towards zero.
pub(crate) fn remainder(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match (x[0], x[1]) {
        (Scalar::Int(a), Scalar::Int(0)) => Scalar::Int(a),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_rem(b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Scalar::Uint(a.checked_rem(b).unwrap_or(a)),
        (Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(a % b),
        (Scalar::Field(a), Scalar::Field(b)) => Scalar::Field(a.scrambled(b.bits())),
        (a, b) => {
            let (a, b) = (a.complex(), b.complex());
            let quotient = complex::divide(a, b);
            Scalar::Complex(a - Complex64::new(quotient.re.trunc(), quotient.im.trunc()) * b)
        }
    }
}

/// The larger: NaN where either is NaN, and `0.0` is larger than `-0.0`.
pub(crate) fn maximum(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    larger(x[0], x[1])
}

/// The smaller: NaN where either is NaN, and `-0.0` is smaller than `0.0`.
pub(crate) fn minimum(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    smaller(x[0], x[1])
}

/// The middle one of the lower bound, the element and the upper bound, as the specification composes it.
pub(crate) fn clamp(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    smaller(larger(x[1], x[0]), x[2])
}

fn larger(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Float(x), Scalar::Float(y)) if x == y => {
            if x.is_sign_positive() {
                a
            } else {
                b
            }
        }
        _ => choose(a, b, |ordering| ordering.is_ge()),
    }
}

fn smaller(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Float(x), Scalar::Float(y)) if x == y => {
            if x.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => choose(a, b, |ordering| ordering.is_le()),
    }
}

/// The first where the ordering says so, else the second; whichever is NaN where one is.
fn choose(a: Scalar, b: Scalar, first: fn(std::cmp::Ordering) -> bool) -> Scalar {
    match partial_order(a, b) {
        Some(ordering) if first(ordering) => a,
        Some(_) => b,
        None if is_nan(a) => a,
        None => b,
    }
}

fn is_nan(x: Scalar) -> bool {
    match x {
        Scalar::Float(v) => v.is_nan(),
        Scalar::Complex(v) => v.re.is_nan() || v.im.is_nan(),
        _ => false,
    }
}

/// The opposite sign.
pub(crate) fn negate(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match x[0] {
        Scalar::Int(v) => Scalar::Int(v.wrapping_neg()),
        Scalar::Uint(v) => Scalar::Uint(v.wrapping_neg()),
        Scalar::Float(v) => Scalar::Float(-v),
        Scalar::Field(v) => Scalar::Field(-v),
        Scalar::Complex(v) => Scalar::Complex(-v),
        bool => bool,
    }
}

/// The magnitude.
pub(crate) fn abs(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match x[0] {
        Scalar::Int(v) => Scalar::Int(v.wrapping_abs()),
        Scalar::Float(v) => Scalar::Float(v.abs()),
        Scalar::Field(v) if v.signed() < 0 => Scalar::Field(-v),
        Scalar::Complex(v) => Scalar::Float(v.re.hypot(v.im)),
        other => other,
    }
}

/// `-1`, `0` or `1`; complex numbers: the same direction with magnitude one.
pub(crate) fn sign(_: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match x[0] {
        Scalar::Int(v) => Scalar::Int(v.signum()),
        Scalar::Float(v) if v.is_nan() || v == 0.0 => Scalar::Float(v),
        Scalar::Float(v) => Scalar::Float(v.signum()),
        Scalar::Field(v) => Scalar::Field(Field::from_i64(v.signed().signum())),
        Scalar::Complex(v) => Scalar::Complex(complex::sign(v)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maximum_keeps_nan_and_prefers_positive_zero() {
        let float = |x: Scalar| x.real();
        assert!(float(larger(Scalar::Float(f64::NAN), Scalar::Float(1.0))).is_nan());
        assert!(float(larger(Scalar::Float(1.0), Scalar::Float(f64::NAN))).is_nan());
        assert!(float(larger(Scalar::Float(-0.0), Scalar::Float(0.0))).is_sign_positive());
        assert!(float(larger(Scalar::Float(0.0), Scalar::Float(-0.0))).is_sign_positive());
        assert!(float(smaller(Scalar::Float(-0.0), Scalar::Float(0.0))).is_sign_negative());
        assert!(float(smaller(Scalar::Float(0.0), Scalar::Float(-0.0))).is_sign_negative());
        assert_eq!(larger(Scalar::Uint(u64::MAX), Scalar::Uint(1)), Scalar::Uint(u64::MAX));
    }
}
