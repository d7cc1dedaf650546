//! The comparisons behind `check.*` and `custom_call @check.*`.

use super::EvalError;
use super::output::render_element;
use crate::ir::Elem;
use crate::value::{Scalar, Tensor};

/// How many elements that differ a message shows.
const SHOWN: usize = 3;

/// That all elements are equal; zeros of both signs are, and so are two NaN.
pub fn expect_equal(actual: &Tensor, expected: &Tensor) -> Result<(), EvalError> {
    compare(actual, expected, "are not equal", |a, b| parts(a, b, |x, y| x == y || x.is_nan() && y.is_nan()))
}

/// That all elements differ by at most a tolerance; infinities and NaN must be the same.
pub fn expect_almost_equal(actual: &Tensor, expected: &Tensor, tolerance: f64) -> Result<(), EvalError> {
    let near = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance;
    compare(actual, expected, &format!("differ by more than {tolerance}"), |a, b| parts(a, b, near))
}

/// That as many floats as the bounds say lie between each two elements.
pub fn expect_close(actual: &Tensor, expected: &Tensor, min: u64, max: u64) -> Result<(), EvalError> {
    let elem = actual.elem();
    let what = if min == 0 {
        format!("are more than {max} floats apart")
    } else {
        format!("are not {min} to {max} floats apart")
    };
    compare(actual, expected, &what, |a, b| {
        let distance = match (a, b) {
            (Scalar::Complex(a), Scalar::Complex(b)) => {
                let part = elem.real();
                float_distance(part, a.re, b.re).max(float_distance(part, a.im, b.im))
            }
            (a, b) => float_distance(elem, a.real(), b.real()),
        };
        (min..=max).contains(&distance)
    })
}

/// Whether a relation holds of the real and imaginary parts; integers must be equal.
fn parts(a: Scalar, b: Scalar, holds: impl Fn(f64, f64) -> bool) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => holds(a, b),
        (Scalar::Complex(a), Scalar::Complex(b)) => holds(a.re, b.re) && holds(a.im, b.im),
        (a, b) => a == b,
    }
}

/// How many floats of a type lie between two, one end included; the largest number where that makes no sense.
fn float_distance(elem: Elem, a: f64, b: f64) -> u64 {
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    if !a.is_finite() || !b.is_finite() {
        return if a == b { 0 } else { u64::MAX };
    }
    // The bits of non-negative floats count them, from zero on.
    let rank = |v: f64| {
        let tensor = Tensor::scalar(elem, Scalar::Float(v.abs()));
        let mut bytes = [0; 8];
        let source = tensor.element_bytes(0);
        let len = source.len().min(8);
        bytes[..len].copy_from_slice(&source[..len]);
        u64::from_le_bytes(bytes)
    };
    if a.is_sign_negative() == b.is_sign_negative() {
        rank(a).abs_diff(rank(b))
    } else {
        rank(a).saturating_add(rank(b))
    }
}

fn compare(
    actual: &Tensor,
    expected: &Tensor,
    what: &str,
    holds: impl Fn(Scalar, Scalar) -> bool,
) -> Result<(), EvalError> {
    if actual.ty() != expected.ty() {
        let message = format!("the value is `{}`, but `{}` is expected", actual.ty(), expected.ty());
        return Err(EvalError::failed_check(message));
    }
    // Two splats of any size are compared by their one element.
    let count = if actual.is_splat() && expected.is_splat() { actual.len().min(1) } else { actual.len() };
    let mut wrong = 0;
    let mut shown = Vec::new();
    for i in 0..count {
        let (a, b) = (actual.get(i), expected.get(i));
        if !holds(a, b) {
            wrong += 1;
            if shown.len() < SHOWN {
                let elem = actual.elem();
                let place = index_of(actual.shape(), i);
                let (a, b) = (render_element(elem, a), render_element(elem, b));
                shown.push(format!("at {place} {a} instead of {b}"));
            }
        }
    }
    if wrong == 0 {
        return Ok(());
    }
    let rest = if wrong > SHOWN { ", …" } else { "" };
    let total = actual.len();
    let shown = shown.join(", ");
    Err(EvalError::failed_check(format!("{wrong} of {total} elements {what}: {shown}{rest}")))
}

/// `[1, 0]`: the index of a row-major position.
fn index_of(shape: &[i64], mut position: usize) -> String {
    let mut index = vec![0; shape.len()];
    for (slot, &size) in index.iter_mut().zip(shape).rev() {
        *slot = position % size.max(1) as usize;
        position /= size.max(1) as usize;
    }
    format!("{index:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::TensorType;

    fn floats(elem: Elem, values: &[f64]) -> Tensor {
        Tensor::from_fn(TensorType::new(elem, [values.len() as i64]), |i| Scalar::Float(values[i]))
    }

    #[test]
    fn equality_takes_nan_for_nan() {
        let a = floats(Elem::F32, &[1.0, f64::NAN, 0.0]);
        let b = floats(Elem::F32, &[1.0, f64::NAN, -0.0]);
        assert!(expect_equal(&a, &b).is_ok());
        let error = expect_equal(&a, &floats(Elem::F32, &[1.0, 2.0, 0.0])).unwrap_err();
        assert!(error.check && error.message.contains("1 of 3 elements"), "{error}");
    }

    #[test]
    fn distance_counts_floats() {
        let next = f64::from(f32::from_bits(1.0f32.to_bits() + 3));
        let (a, b) = (floats(Elem::F32, &[1.0]), floats(Elem::F32, &[next]));
        assert!(expect_close(&a, &b, 0, 3).is_ok());
        assert!(expect_close(&a, &b, 0, 2).is_err());
        assert!(expect_close(&a, &b, 4, 9).is_err());
        assert_eq!(float_distance(Elem::F16, -0.0, 0.0), 0);
        assert_eq!(float_distance(Elem::F32, f64::INFINITY, 1.0), u64::MAX);
    }

    #[test]
    fn tolerance_is_absolute() {
        let (a, b) = (floats(Elem::F64, &[100.0]), floats(Elem::F64, &[100.01]));
        assert!(expect_almost_equal(&a, &b, 0.1).is_ok());
        assert!(expect_almost_equal(&a, &b, 1e-4).is_err());
        let inf = floats(Elem::F64, &[f64::INFINITY]);
        assert!(expect_almost_equal(&inf, &inf, 0.0).is_ok());
        assert!(expect_almost_equal(&inf, &a, 1.0).is_err());
    }
}
