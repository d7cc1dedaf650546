//! From one layout to another.

use super::emit::Emit;
use super::layout::{DimLayout, Layout};
use crate::ir::{TensorType, ValueId};
use crate::sharding::AtomList;

/// Brings a value of a global type from a layout to another.
///
/// Splits that only move from one dimension to another go by all-to-all. Dimensions that are to be split further are cut
/// locally before anything is gathered, where their blocks allow it.
pub(super) fn reshard(
    emit: &mut Emit<'_>,
    value: ValueId,
    ty: &TensorType,
    from: &Layout,
    to: &Layout,
) -> ValueId {
    let mut value = value;
    let mut now = from.clone();
    // Cut first what can be cut without touching anything else: it makes everything after it smaller.
    for dim in 0..ty.rank() {
        if can_extend(emit, ty, &now, to, dim) {
            value = extend(emit, value, ty, &mut now, to, dim);
        }
    }
    while let Some((source, target, atoms)) = movable(emit, ty, &now, to) {
        value = emit.all_to_all(value, target, source, &atoms);
        let count = emit.mesh.size_of(atoms.iter().copied());
        let kept = now.dims[source].atoms.len() - atoms.len();
        now.dims[source].atoms.truncate(kept);
        now.dims[source].block *= count;
        now.dims[target].atoms.extend_from_slice(&atoms);
        now.dims[target].block /= count;
    }
    for dim in 0..ty.rank() {
        if now.dims[dim] != to.dims[dim] && !to.dims[dim].atoms.starts_with(&now.dims[dim].atoms) {
            value = gather(emit, value, ty, &mut now, to, dim);
        }
    }
    for dim in 0..ty.rank() {
        if now.dims[dim] != to.dims[dim] {
            if !can_extend(emit, ty, &now, to, dim) {
                value = gather(emit, value, ty, &mut now, &Layout::replicated(&ty.shape), dim);
            }
            value = extend(emit, value, ty, &mut now, to, dim);
        }
    }
    value
}

/// Whether a dimension can be split further in place: the new atoms are free and the blocks line up.
fn can_extend(emit: &Emit<'_>, ty: &TensorType, now: &Layout, to: &Layout, dim: usize) -> bool {
    let (have, want) = (&now.dims[dim].atoms, &to.dims[dim].atoms);
    if have.len() >= want.len() || !want.starts_with(have) {
        return false;
    }
    let used = now.used();
    let free = want[have.len()..].iter().all(|a| !used.contains(*a));
    free && (have.is_empty() || !to.dims[dim].is_padded(emit.mesh, ty.shape[dim]))
}

/// Splits a dimension further: every device keeps its part.
fn extend(
    emit: &mut Emit<'_>,
    value: ValueId,
    ty: &TensorType,
    now: &mut Layout,
    to: &Layout,
    dim: usize,
) -> ValueId {
    let new: AtomList = to.dims[dim].atoms[now.dims[dim].atoms.len()..].iter().copied().collect();
    let block = to.dims[dim].block;
    let parts = emit.mesh.size_of(new.iter().copied());
    let value = emit.pad_to(value, dim, block * parts);
    let mut sizes = emit.type_of(value).shape;
    sizes[dim] = block;
    let offset = emit.offset(&new, block);
    let starts: Vec<Option<ValueId>> = (0..ty.rank()).map(|d| (d == dim).then_some(offset)).collect();
    now.dims[dim] = to.dims[dim].clone();
    emit.dynamic_slice(value, &starts, &sizes)
}

/// Gathers what splits a dimension beyond what it has in common with the target.
fn gather(
    emit: &mut Emit<'_>,
    value: ValueId,
    ty: &TensorType,
    now: &mut Layout,
    to: &Layout,
    dim: usize,
) -> ValueId {
    let common = now.dims[dim].atoms.iter().zip(&to.dims[dim].atoms).take_while(|(a, b)| a == b).count();
    // Blocks of an uneven dimension do not compose: it is gathered whole.
    let common = if now.dims[dim].is_padded(emit.mesh, ty.shape[dim]) { 0 } else { common };
    let atoms: AtomList = now.dims[dim].atoms[common..].iter().copied().collect();
    let value = emit.all_gather(value, dim, &atoms);
    let kept = now.dims[dim].atoms[..common].iter().copied().collect();
    now.dims[dim] = DimLayout::canonical(emit.mesh, ty.shape[dim], kept);
    let size = now.dims[dim].block;
    emit.cut(value, dim, size)
}

/// Atoms at the end of one dimension that belong at the end of another: (from, to, atoms).
fn movable(emit: &Emit<'_>, ty: &TensorType, now: &Layout, to: &Layout) -> Option<(usize, usize, AtomList)> {
    let even = |dim: usize, layout: &Layout| !layout.dims[dim].is_padded(emit.mesh, ty.shape[dim]);
    for source in 0..ty.rank() {
        let (have, want) = (&now.dims[source].atoms, &to.dims[source].atoms);
        let common = have.iter().zip(want).take_while(|(a, b)| a == b).count();
        if common == have.len() || !even(source, now) {
            continue;
        }
        for target in (0..ty.rank()).filter(|t| *t != source) {
            let (have_there, want_there) = (&now.dims[target].atoms, &to.dims[target].atoms);
            if !want_there.starts_with(have_there) {
                continue;
            }
            let next = &want_there[have_there.len()..];
            // The longest run that ends the source and continues the target.
            for start in common..have.len() {
                let run = &have[start..];
                if next.starts_with(run) {
                    let mut after = now.clone();
                    let atoms = have_there.iter().chain(run).copied().collect();
                    after.dims[target] = DimLayout::canonical(emit.mesh, ty.shape[target], atoms);
                    if even(target, &after) {
                        return Some((source, target, run.iter().copied().collect()));
                    }
                }
            }
        }
    }
    None
}
