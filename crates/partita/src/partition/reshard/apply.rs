//! Writing the steps of a path.

use super::super::emit::{Emit, identity};
use super::super::fetch::fetch;
use super::super::layout::Layout;
use super::Path;
use super::price::{is_idempotent, reblocked, reduces_in_collectives};
use super::step::Step;
use crate::ir::{TensorType, ValueId};
use crate::ops::rule::Combine;
use crate::sharding::Atom;
use crate::value::Scalar;

/// Brings a value of a global type along a path.
pub(in super::super) fn apply(emit: &mut Emit<'_>, value: ValueId, ty: &TensorType, path: &Path) -> ValueId {
    let mut now = path.from.clone();
    let mut value = value;
    for step in &path.steps {
        value = apply_step(emit, value, ty, &now, step);
        now = step.after(&now);
    }
    value
}

fn apply_step(emit: &mut Emit<'_>, value: ValueId, ty: &TensorType, now: &Layout, step: &Step) -> ValueId {
    match step {
        Step::Gather { dim, atoms, block } => {
            let all = emit.all_gather(value, *dim, atoms);
            emit.cut(all, *dim, *block)
        }
        Step::Slice { dim, atoms, block } => {
            let needed = block * emit.mesh.size_of(atoms.iter().copied());
            let missing = (needed - now.dims[*dim].block).max(0);
            let padded = emit.pad(value, *dim, 0, missing);
            let offset = emit.offset(atoms, *block);
            emit.slice_at(padded, *dim, offset, *block)
        }
        Step::AllToAll { from, to, atoms, from_block, to_block } => {
            let fitted = fit(emit, value, *to, atoms, *to_block);
            let moved = emit.all_to_all(fitted, *to, *from, atoms);
            emit.cut(moved, *from, *from_block)
        }
        Step::Permute { pattern, .. } => emit.permute(value, pattern.clone()),
        Step::Reblock { dim, block } => {
            fetch(emit, value, *dim, &now.dims[*dim], ty.shape[*dim], reblocked(*block))
        }
        Step::ReduceScatter { dim, atoms, combine, block } => {
            let fitted = fit(emit, value, *dim, atoms, *block);
            if reduces_in_collectives(*combine, ty.elem) {
                emit.reduce_scatter(fitted, *dim, atoms, *combine)
            } else {
                exchange_and_reduce(emit, fitted, *dim, atoms, *combine)
            }
        }
        Step::AllReduce { atoms, combine } if reduces_in_collectives(*combine, ty.elem) => {
            emit.all_reduce(value, atoms, *combine)
        }
        Step::AllReduce { atoms, combine } => gather_and_reduce(emit, value, atoms, *combine),
        Step::Mask { atoms, combine } => match identity(*combine, ty.elem) {
            Some(neutral) if !is_idempotent(*combine) => {
                let atoms: Vec<Atom> = atoms.iter().collect();
                emit.only_first(value, &atoms, neutral)
            }
            _ => value,
        },
        Step::Blank(layout) => {
            let local = layout.local(ty);
            emit.splat(local, Scalar::zero(ty.elem))
        }
    }
}

/// A dimension padded or cut to as many blocks as there are devices along atoms.
fn fit(emit: &mut Emit<'_>, value: ValueId, dim: usize, atoms: &[Atom], block: i64) -> ValueId {
    let size = block * emit.mesh.size_of(atoms.iter().copied());
    let have = emit.type_of(value).shape[dim];
    if have < size { emit.pad_to(value, dim, size) } else { emit.cut(value, dim, size) }
}

/// A reduce-scatter of elements that no engine combines on the way: every device gets its part of all, and combines them.
fn exchange_and_reduce(
    emit: &mut Emit<'_>,
    value: ValueId,
    dim: usize,
    atoms: &[Atom],
    combine: Combine,
) -> ValueId {
    let parts = emit.mesh.size_of(atoms.iter().copied());
    let exchanged = emit.all_to_all(value, dim, dim, atoms);
    let mut shape = emit.type_of(exchanged).shape;
    shape[dim] /= parts;
    shape.insert(dim, parts);
    let apart = emit.reshape(exchanged, shape);
    emit.reduce(apart, dim, combine)
}

/// An all-reduce of elements that no engine combines on the way.
fn gather_and_reduce(emit: &mut Emit<'_>, value: ValueId, atoms: &[Atom], combine: Combine) -> ValueId {
    let mut shape = emit.type_of(value).shape;
    shape.insert(0, 1);
    let apart = emit.reshape(value, shape);
    let all = emit.all_gather(apart, 0, atoms);
    emit.reduce(all, 0, combine)
}
