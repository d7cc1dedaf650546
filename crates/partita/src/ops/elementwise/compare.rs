//! Comparison.

use super::constraints;
use crate::ir::attr::{CompareType, Comparison, EnumAttr};
use crate::ir::{Elem, OpRef, names};
use crate::ops::check::tensor_operand;
use crate::ops::{ElementCx, OpError};
use crate::value::Scalar;
use std::cmp::Ordering;

/// Operands of one type, and a way to compare that fits it.
pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    constraints::anything(op)?;
    let elem = tensor_operand(op, 0)?.elem;
    let fitting: &[CompareType] = match elem {
        Elem::Int(_) => &[CompareType::Signed],
        Elem::Uint(_) | Elem::Bool => &[CompareType::Unsigned],
        Elem::C64 | Elem::C128 => &[CompareType::Float],
        _ => &[CompareType::Float, CompareType::TotalOrder],
    };
    match op.enumeration(names::COMPARE_TYPE) {
        Some(EnumAttr::CompareType(given)) if given != CompareType::NoType && !fitting.contains(&given) => {
            let fitting: Vec<_> = fitting.iter().map(|t| t.name()).collect();
            let fitting = fitting.join(" or ");
            Err(OpError::new(format!("elements of type {elem} do not compare as {}", given.name()))
                .fix(format!("compare as {fitting}, or leave the comparison type out")))
        }
        _ => Ok(()),
    }
}

/// Whether two elements compare as the op's attributes say.
pub(crate) fn compare(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    let total = matches!(
        cx.op.enumeration(names::COMPARE_TYPE),
        Some(EnumAttr::CompareType(CompareType::TotalOrder))
    );
    let ordering = if total { total_order(x[0], x[1]) } else { partial_order(x[0], x[1]) };
    let Some(EnumAttr::Comparison(direction)) = cx.op.enumeration(names::COMPARISON_DIRECTION) else {
        return Scalar::Bool(false);
    };
    Scalar::Bool(holds(direction, ordering))
}

/// Whether an ordering satisfies a comparison. Without an ordering (NaN) only "not equal" holds.
pub(crate) fn holds(direction: Comparison, ordering: Option<Ordering>) -> bool {
    match direction {
        Comparison::Eq => ordering == Some(Ordering::Equal),
        Comparison::Ne => ordering != Some(Ordering::Equal),
        Comparison::Ge => ordering.is_some_and(Ordering::is_ge),
        Comparison::Gt => ordering.is_some_and(Ordering::is_gt),
        Comparison::Le => ordering.is_some_and(Ordering::is_le),
        Comparison::Lt => ordering.is_some_and(Ordering::is_lt),
    }
}

/// How two elements compare; NaN does not. Complex numbers compare by their real parts first.
pub(crate) fn partial_order(a: Scalar, b: Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(&b)),
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Some(a.cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Field(a), Scalar::Field(b)) => Some(a.cmp(&b)),
        (a, b) => {
            let (a, b) = (a.complex(), b.complex());
            match a.re.partial_cmp(&b.re)? {
                Ordering::Equal => a.im.partial_cmp(&b.im),
                other => Some(other),
            }
        }
    }
}

/// How two elements compare where floats follow IEEE 754's total order: -NaN, -inf, …, -0, 0, …, inf, NaN.
pub(crate) fn total_order(a: Scalar, b: Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => Some(a.total_cmp(&b)),
        (a, b) => partial_order(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    #[test]
    fn nan_compares_to_nothing_but_in_the_total_order() {
        let (nan, one) = (Scalar::Float(f64::NAN), Scalar::Float(1.0));
        assert!(holds(Comparison::Ne, partial_order(nan, nan)));
        assert!(!holds(Comparison::Ge, partial_order(nan, one)));
        assert!(holds(Comparison::Gt, total_order(nan, one)));
        assert!(holds(Comparison::Lt, total_order(Scalar::Float(-0.0), Scalar::Float(0.0))));
    }

    #[test]
    fn complex_numbers_compare_by_real_then_imaginary_part() {
        let c = |re, im| Scalar::Complex(Complex64::new(re, im));
        assert_eq!(partial_order(c(1.0, 2.0), c(1.0, 3.0)), Some(Ordering::Less));
        assert_eq!(partial_order(c(2.0, f64::NAN), c(1.0, 3.0)), Some(Ordering::Greater));
        assert_eq!(partial_order(c(1.0, f64::NAN), c(1.0, 3.0)), None);
    }
}
