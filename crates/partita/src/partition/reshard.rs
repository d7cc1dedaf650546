//! From one layout to another.

use super::emit::Emit;
use super::layout::Layout;
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
        let kept = now.dims[source].len() - atoms.len();
        now.dims[source].truncate(kept);
        now.dims[target].extend_from_slice(&atoms);
    }
    for dim in 0..ty.rank() {
        if now.dims[dim] != to.dims[dim] && !to.dims[dim].starts_with(&now.dims[dim]) {
            value = gather(emit, value, ty, &mut now, to, dim);
        }
    }
    for dim in 0..ty.rank() {
        if now.dims[dim] != to.dims[dim] {
            if !can_extend(emit, ty, &now, to, dim) {
                value = gather(emit, value, ty, &mut now, &Layout::replicated(ty.rank()), dim);
            }
            value = extend(emit, value, ty, &mut now, to, dim);
        }
    }
    value
}

/// Whether a dimension can be split further in place: the new atoms are free and the blocks line up.
fn can_extend(emit: &Emit<'_>, ty: &TensorType, now: &Layout, to: &Layout, dim: usize) -> bool {
    let (have, want) = (&now.dims[dim], &to.dims[dim]);
    if have.len() >= want.len() || !want.starts_with(have) {
        return false;
    }
    let used = now.used();
    let free = want[have.len()..].iter().all(|a| !used.contains(*a));
    free && (have.is_empty() || !to.is_uneven(emit.mesh, &ty.shape, dim))
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
    let new: AtomList = to.dims[dim][now.dims[dim].len()..].iter().copied().collect();
    let block = to.block(emit.mesh, &ty.shape, dim);
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
    let common = now.dims[dim].iter().zip(&to.dims[dim]).take_while(|(a, b)| a == b).count();
    // Blocks of an uneven dimension do not compose: it is gathered whole.
    let common = if now.is_uneven(emit.mesh, &ty.shape, dim) { 0 } else { common };
    let atoms: AtomList = now.dims[dim][common..].iter().copied().collect();
    let value = emit.all_gather(value, dim, &atoms);
    now.dims[dim].truncate(common);
    let size = now.block(emit.mesh, &ty.shape, dim);
    emit.cut(value, dim, size)
}

/// Atoms at the end of one dimension that belong at the end of another: (from, to, atoms).
fn movable(emit: &Emit<'_>, ty: &TensorType, now: &Layout, to: &Layout) -> Option<(usize, usize, AtomList)> {
    let even = |dim: usize, layout: &Layout| !layout.is_uneven(emit.mesh, &ty.shape, dim);
    for source in 0..ty.rank() {
        let (have, want) = (&now.dims[source], &to.dims[source]);
        let common = have.iter().zip(want).take_while(|(a, b)| a == b).count();
        if common == have.len() || !even(source, now) {
            continue;
        }
        for target in (0..ty.rank()).filter(|t| *t != source) {
            let (have_there, want_there) = (&now.dims[target], &to.dims[target]);
            if !want_there.starts_with(have_there) {
                continue;
            }
            let next = &want_there[have_there.len()..];
            // The longest run that ends the source and continues the target.
            for start in common..have.len() {
                let run = &have[start..];
                if next.starts_with(run) {
                    let mut after = now.clone();
                    after.dims[target].extend_from_slice(run);
                    if even(target, &after) {
                        return Some((source, target, run.iter().copied().collect()));
                    }
                }
            }
        }
    }
    None
}
