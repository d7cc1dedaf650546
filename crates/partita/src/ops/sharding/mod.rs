//! The sharding rules of the op table, one file per kind of access.

pub(super) mod call;
pub(super) mod collective;
pub(super) mod contract;
pub(super) mod indexing;
pub(super) mod iota;
pub(super) mod linalg;
pub(super) mod reduce;
pub(super) mod shape;
#[cfg(test)]
mod tests;

use super::OpKind;
use super::rule::Combine;
use crate::ir::{Attr, OpRef, names};

/// How the region of a reduction or scatter combines two values, where it is one known operation on its arguments.
pub fn combine(op: OpRef<'_>) -> Option<Combine> {
    combine_in(op, 0)
}

/// As [`combine`], of another of the op's regions.
fn combine_in(op: OpRef<'_>, region: usize) -> Option<Combine> {
    let module = op.module;
    let region = &module.regions[*op.regions().get(region)?];
    let &[inner, last] = &region.ops[..] else { return None };
    let inner = module.op(inner);
    let mut args: Vec<_> = region.args.iter().collect();
    let mut operands = inner.operands().to_vec();
    args.sort_unstable();
    operands.sort_unstable();
    if args != operands || args.len() != 2 || !module.operands(last).iter().copied().eq(inner.results()) {
        return None;
    }
    match inner.kind() {
        OpKind::Add => Some(Combine::Add),
        OpKind::Multiply => Some(Combine::Multiply),
        OpKind::Maximum => Some(Combine::Maximum),
        OpKind::Minimum => Some(Combine::Minimum),
        OpKind::And => Some(Combine::And),
        OpKind::Or => Some(Combine::Or),
        OpKind::Xor => Some(Combine::Xor),
        _ => None,
    }
}

/// Padding before and behind a dimension; none where the attribute is left out.
fn padding(op: OpRef<'_>, dim: usize) -> (i64, i64) {
    match op.attr(names::PADDING) {
        Some(Attr::Elements(t)) if t.len() > 2 * dim + 1 => {
            (t.get(2 * dim).as_i64(), t.get(2 * dim + 1).as_i64())
        }
        _ => (0, 0),
    }
}
