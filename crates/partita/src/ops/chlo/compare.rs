//! The comparison of CHLO, whose attributes are its own.

use crate::ir::attr::{ChloCompareType, ChloComparison, EnumAttr};
use crate::ir::names;
use crate::ops::def::ElementCx;
use crate::value::Scalar;
use std::cmp::Ordering;

/// Compares two elements as the attributes of the op say. NaN is not equal to anything, unless the order is
/// total.
pub(super) fn compare(cx: &ElementCx<'_>, args: &[Scalar]) -> Scalar {
    let total = cx.op.enumeration(names::COMPARE_TYPE)
        == Some(EnumAttr::ChloCompareType(ChloCompareType::TotalOrder));
    let order = if total { Some(total_order(args[0], args[1])) } else { order(args[0], args[1]) };
    let Some(EnumAttr::ChloComparison(direction)) = cx.op.enumeration(names::COMPARISON_DIRECTION) else {
        return Scalar::Bool(false);
    };
    Scalar::Bool(match direction {
        ChloComparison::Eq => order == Some(Ordering::Equal),
        ChloComparison::Ne => order != Some(Ordering::Equal),
        ChloComparison::Ge => order.is_some_and(Ordering::is_ge),
        ChloComparison::Gt => order.is_some_and(Ordering::is_gt),
        ChloComparison::Le => order.is_some_and(Ordering::is_le),
        ChloComparison::Lt => order.is_some_and(Ordering::is_lt),
    })
}

fn order(a: Scalar, b: Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Complex(a), Scalar::Complex(b)) => match a.re.partial_cmp(&b.re)? {
            Ordering::Equal => a.im.partial_cmp(&b.im),
            different => Some(different),
        },
        _ => Some(total_order(a, b)),
    }
}

/// The order of all elements of a type: floats as IEEE 754's total order has them, NaN outermost.
pub(super) fn total_order(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Uint(a), Scalar::Uint(b)) => a.cmp(&b),
        (Scalar::Float(a), Scalar::Float(b)) => a.total_cmp(&b),
        (Scalar::Complex(a), Scalar::Complex(b)) => a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)),
        (a, b) => a.as_i64().cmp(&b.as_i64()),
    }
}
