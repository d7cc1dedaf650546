//! The comparison of CHLO, whose attributes are its own.

use crate::ir::attr::{ChloCompareType, ChloComparison, Comparison, EnumAttr};
use crate::ir::names;
use crate::ops::def::ElementCx;
use crate::ops::elementwise::compare::{holds, partial_order, total_order};
use crate::value::Scalar;

/// Compares two elements as the attributes of the op say. NaN is not equal to anything, unless the order is
/// total.
pub(super) fn compare(cx: &ElementCx<'_>, args: &[Scalar]) -> Scalar {
    let total = cx.op.enumeration(names::COMPARE_TYPE)
        == Some(EnumAttr::ChloCompareType(ChloCompareType::TotalOrder));
    let order = if total { total_order(args[0], args[1]) } else { partial_order(args[0], args[1]) };
    let direction = match cx.op.enumeration(names::COMPARISON_DIRECTION) {
        Some(EnumAttr::ChloComparison(direction)) => direction,
        _ => return Scalar::Bool(false),
    };
    let direction = match direction {
        ChloComparison::Eq => Comparison::Eq,
        ChloComparison::Ne => Comparison::Ne,
        ChloComparison::Ge => Comparison::Ge,
        ChloComparison::Gt => Comparison::Gt,
        ChloComparison::Le => Comparison::Le,
        ChloComparison::Lt => Comparison::Lt,
    };
    Scalar::Bool(holds(direction, order))
}
