//! In which operands an op is linear: where it may run on parts that are still to be combined, and give such parts.
//!
//! An op `f` is linear in an operand for a way `∘` of combining where `f(a ∘ b) = f(a) ∘ f(b)`. The part may come before the
//! op or after it: partial results stay partial through linear ops and are combined once, where that is cheapest.

use super::rule::Combine;
use super::sharding;
use crate::ir::{Elem, OpRef};

/// In which operands an op is linear. Operands are bits; those beyond the width are never linear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linear {
    /// In none.
    No,
    /// In these taken together: all of them are parts, and so is the result.
    Together(u64),
    /// In each of these alone: one is a part, all others are complete.
    Each(u64),
}

/// What a row says: how an op is linear for a way of combining.
pub type Linearity = fn(OpRef<'_>, Combine) -> Linear;

/// In nothing.
pub fn none(_: OpRef<'_>, _: Combine) -> Linear {
    Linear::No
}

/// It moves the elements of its first operand.
pub fn moves_first(_: OpRef<'_>, _: Combine) -> Linear {
    Linear::Together(1)
}

/// It moves the elements of its first two operands.
pub fn moves_two(_: OpRef<'_>, _: Combine) -> Linear {
    Linear::Together(0b11)
}

/// It moves the elements of all its operands.
pub fn moves_all(op: OpRef<'_>, _: Combine) -> Linear {
    everything(op)
}

/// It picks elements of its second and third operand.
pub fn picks(_: OpRef<'_>, _: Combine) -> Linear {
    Linear::Together(0b110)
}

/// A sum of its operands, or of their opposites.
pub fn sum(op: OpRef<'_>, combine: Combine) -> Linear {
    if combine == Combine::Add && numbers(op) { everything(op) } else { Linear::No }
}

/// A product: linear in each for sums, in both for products.
pub fn product(op: OpRef<'_>, combine: Combine) -> Linear {
    match combine {
        Combine::Add if numbers(op) => Linear::Each(0b11),
        Combine::Multiply if numbers(op) => Linear::Together(0b11),
        _ => Linear::No,
    }
}

/// A sum of products of the elements of its first two operands.
pub fn contraction(op: OpRef<'_>, combine: Combine) -> Linear {
    if combine == Combine::Add && numbers(op) { Linear::Each(0b11) } else { Linear::No }
}

/// A quotient of numbers that are not rounded to integers: linear in the dividend.
pub fn quotient(op: OpRef<'_>, combine: Combine) -> Linear {
    let elem = elem(op);
    if combine == Combine::Add && (elem.is_float() || elem.is_complex()) {
        Linear::Each(1)
    } else {
        Linear::No
    }
}

/// Both operands combined as the parts are.
pub fn itself<const COMBINE: u8>(op: OpRef<'_>, combine: Combine) -> Linear {
    if combine as u8 == COMBINE { everything(op) } else { Linear::No }
}

/// A change of type that loses nothing: parts of a sum may be widened. (Rounding the parts is not rounding the sum.)
pub fn widening(op: OpRef<'_>, combine: Combine) -> Linear {
    let (from, to) = (elem(op), op.result_tensor(0).elem);
    let floats = from.is_float() && to.is_float() && to.bits() >= from.bits();
    if combine == Combine::Add && floats { Linear::Together(1) } else { Linear::No }
}

/// A reduction, a window or a scatter whose region combines as the parts are combined: inputs and initial values or updates.
pub fn folds(op: OpRef<'_>, combine: Combine) -> Linear {
    if sharding::combine(op) == Some(combine) { everything(op) } else { Linear::No }
}

/// A scatter that combines its updates as the parts are combined: everything but the indices.
pub fn scatters(op: OpRef<'_>, combine: Combine) -> Linear {
    let inputs = op.results().len();
    match (folds(op, combine), everything(op)) {
        (Linear::Together(_), Linear::Together(all)) if inputs < 64 => Linear::Together(all & !(1 << inputs)),
        _ => Linear::No,
    }
}

fn everything(op: OpRef<'_>) -> Linear {
    match op.operands().len() {
        n @ 0..=63 => Linear::Together((1 << n) - 1),
        _ => Linear::No,
    }
}

fn elem(op: OpRef<'_>) -> Elem {
    op.operand_tensor(0).elem
}

/// The sum of booleans is *or*: it has no opposite and products do not distribute as they do for numbers.
fn numbers(op: OpRef<'_>) -> bool {
    elem(op) != Elem::Bool
}
