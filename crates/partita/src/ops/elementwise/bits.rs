//! Formulas on bits. Booleans are integers of one bit.

use crate::ir::Elem;
use crate::ops::ElementCx;
use crate::value::Scalar;

/// The bits of an integer, those above its width cleared.
fn pattern(elem: Elem, x: Scalar) -> u64 {
    x.as_i64() as u64 & (u64::MAX >> (64 - elem.bits().min(64)))
}

/// The integer of a type that has these bits.
fn from_pattern(elem: Elem, bits: u64) -> Scalar {
    Scalar::from_i64(elem, bits as i64)
}

/// The complement.
pub(crate) fn not(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    match x[0] {
        Scalar::Bool(b) => Scalar::Bool(!b),
        other => from_pattern(cx.result, !pattern(cx.result, other)),
    }
}

/// Bits that are one in both.
pub(crate) fn and(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    from_pattern(cx.result, pattern(cx.result, x[0]) & pattern(cx.result, x[1]))
}

/// Bits that are one in either.
pub(crate) fn or(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    from_pattern(cx.result, pattern(cx.result, x[0]) | pattern(cx.result, x[1]))
}

/// Bits that are one in exactly one.
pub(crate) fn xor(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    from_pattern(cx.result, pattern(cx.result, x[0]) ^ pattern(cx.result, x[1]))
}

/// How many bits are one.
pub(crate) fn popcnt(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    Scalar::from_i64(cx.result, i64::from(pattern(cx.operand, x[0]).count_ones()))
}

/// How many bits before the first one.
pub(crate) fn count_leading_zeros(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    let unused = 64 - cx.operand.bits();
    Scalar::from_i64(cx.result, i64::from(pattern(cx.operand, x[0]).leading_zeros() - unused))
}

/// How far to shift: the amount as an unsigned number, nothing where every bit would leave.
fn amount(cx: &ElementCx<'_>, x: Scalar) -> Option<u32> {
    let amount = pattern(cx.operand, x);
    (amount < u64::from(cx.operand.bits())).then_some(amount as u32)
}

/// Bits moved up; zero where the amount is not less than the width.
pub(crate) fn shift_left(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    from_pattern(cx.result, amount(cx, x[1]).map_or(0, |n| pattern(cx.result, x[0]) << n))
}

/// Bits moved down and zeros put in; zero where the amount is not less than the width.
pub(crate) fn shift_right_logical(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    from_pattern(cx.result, amount(cx, x[1]).map_or(0, |n| pattern(cx.result, x[0]) >> n))
}

/// Bits moved down and the topmost bit repeated, for unsigned types too.
pub(crate) fn shift_right_arithmetic(cx: &ElementCx<'_>, x: &[Scalar]) -> Scalar {
    let width = cx.result.bits();
    let above = 64 - width;
    let signed = ((pattern(cx.result, x[0]) << above) as i64) >> above;
    let shifted = signed >> amount(cx, x[1]).unwrap_or(width - 1);
    from_pattern(cx.result, shifted as u64)
}
