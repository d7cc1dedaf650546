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
    _planner: &mut Planner<'_>,
    value: ValueId,
    ty: &TensorType,
    from: &Layout,
    to: &Layout,
) -> ValueId {
    let mut value = value;
    let mut now = from.clone();
    if let (Some(partial), None) = (from.partial, to.partial) {
        let mut rest = partial.atoms;
        for dim in 0..ty.rank() {
            let (have, want) = (&now.dims[dim].atoms, &to.dims[dim].atoms);
            if want.starts_with(have) && !to.dims[dim].is_padded(emit.mesh, ty.shape[dim]) {
                let scattered: AtomList = want[have.len()..].iter().copied().take_while(|a| rest.contains(*a)).collect();
                if !scattered.is_empty() {
                    value = emit.reduce_scatter(value, dim, &scattered, partial.combine);
                    now.dims[dim].atoms.extend_from_slice(&scattered);
                    now.dims[dim].block /= emit.mesh.size_of(scattered.iter().copied());
                    scattered.iter().for_each(|a| rest.remove(*a));
                }
            }
        }
        if !rest.is_empty() {
            let atoms: AtomList = rest.iter().collect();
            value = emit.all_reduce(value, &atoms, partial.combine);
        }
        now.partial = None;
    }
    if let Some(partial) = to.partial {
        let have = now.partial_atoms();
        let missing: AtomList = partial.atoms.minus(have).iter().collect();
        now.partial = None;
        let target = Layout { dims: to.dims.clone(), partial: None };
        let value = reshard(emit, _planner, value, ty, &now, &target);
        if missing.is_empty() {
            return value;
        }
        let neutral = super::emit::identity(partial.combine, ty.elem).unwrap_or(crate::value::Scalar::zero(ty.elem));
        return emit.only_first(value, &missing, neutral);
    }
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

/// Prices of moves.
pub(super) struct Planner<'m> {
    mesh: &'m crate::sharding::Mesh,
}

impl<'m> Planner<'m> {
    pub(super) fn new(mesh: &'m crate::sharding::Mesh) -> Self {
        Planner { mesh }
    }

    pub(super) fn cost(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> u64 {
        if from == to {
            return 0;
        }
        let mesh = self.mesh;
        let mut bytes = 0u64;
        let before = from.local(ty).bytes() as u64;
        if let (Some(partial), None) = (from.partial, to.partial) {
            let g = mesh.size_of(partial.atoms.iter()) as u64;
            let scattered = partial.atoms.minus(to.used()).is_empty();
            bytes += before * (g - 1) / g * if scattered { 1 } else { 2 };
        }
        let stays = |dim: usize| to.dims[dim].atoms.starts_with(&from.dims[dim].atoms);
        if !(0..ty.rank()).all(stays) {
            let after = to.local(ty).bytes() as u64;
            let gathered = mesh.size_of(from.used().minus(to.used()).iter()) as u64;
            bytes += if gathered > 1 { after.max(before * gathered) / gathered * (gathered - 1) } else { before };
        }
        bytes * 16
    }
}
