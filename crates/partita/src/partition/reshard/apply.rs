//! Writing the steps of a path.

use super::super::emit::{Emit, identity};
use super::super::fetch::fetch;
use super::super::layout::Layout;
use super::Path;
use super::price::{is_idempotent, reblocked, reduces_in_collectives};
use super::step::{Ends, Step};
use crate::ir::{Elem, TensorType, ValueId};
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList};
use crate::value::Scalar;

/// Brings a value of a global type along a path.
pub(in super::super) fn apply(emit: &mut Emit<'_>, value: ValueId, ty: &TensorType, path: &Path) -> ValueId {
    let mut now = path.from.clone();
    let mut value = value;
    for step in &path.steps {
        let before = emit.collectives.len();
        value = apply_step(emit, value, ty, &now, step);
        now = step.after(&now);
        let whole = path.replicates && now.used().is_empty();
        emit.collectives[before..].iter_mut().for_each(|c| c.replicates = whole);
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
        Step::Assemble(ends) => {
            let mut ty = emit.type_of(value);
            let mut starts = vec![None; ty.rank()];
            for (dim, atoms, _) in ends {
                starts[*dim] = Some(emit.offset(atoms, ty.shape[*dim]));
                ty.shape[*dim] *= emit.mesh.size_of(atoms.iter().copied());
            }
            let zeros = emit.splat(ty.clone(), Scalar::zero(ty.elem));
            let placed = emit.dynamic_update_slice(zeros, value, &starts);
            let placed = ends.iter().fold(placed, |value, (dim, _, block)| emit.cut(value, *dim, *block));
            let atoms: AtomList = ends.iter().flat_map(|(_, atoms, _)| atoms.iter().copied()).collect();
            let combine = if ty.elem == Elem::Bool { Combine::Or } else { Combine::Add };
            emit.all_reduce(placed, &atoms, combine)
        }
        Step::AllToAll { from, to } => {
            let fitted = to.iter().fold(value, |value, (d, atoms, b)| fit(emit, value, *d, atoms, *b));
            let moved = match (&from[..], &to[..]) {
                ([(from, atoms, _)], [(to, ..)]) => emit.all_to_all(fitted, *to, *from, atoms),
                _ => exchange(emit, fitted, from, to),
            };
            from.iter().fold(moved, |value, (d, _, block)| emit.cut(value, *d, *block))
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

/// Atoms of several dimensions exchanged at once. Every atom gets a dimension of its own, first where the atom goes to: what is
/// meant for a device stands together then, in front. What comes in stands there by the device it comes from, and each atom's
/// dimension goes where the atom came from.
fn exchange(emit: &mut Emit<'_>, value: ValueId, from: &Ends, to: &Ends) -> ValueId {
    let atoms: AtomList = to.iter().flat_map(|(_, atoms, _)| atoms.iter().copied()).collect();
    let sizes: Vec<i64> = atoms.iter().map(|a| emit.mesh.atom_size(*a)).collect();
    let shape = emit.type_of(value).shape;
    // Apart: atoms of a dimension before what is left of it.
    let (mut apart, mut fronts, mut rests, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (dim, &size) in shape.iter().enumerate() {
        let taken = to.iter().find(|(d, ..)| *d == dim).map_or(&[][..], |(_, atoms, _)| atoms);
        fronts.extend(apart.len()..apart.len() + taken.len());
        apart.extend(taken.iter().map(|a| emit.mesh.atom_size(*a)));
        rests.push(apart.len());
        rest.push(size / emit.mesh.size_of(taken.iter().copied()));
        apart.extend(rest.last());
    }
    let value = emit.reshape(value, apart);
    let value = emit.transpose(value, fronts.into_iter().chain(rests));
    let whole = std::iter::once(sizes.iter().product()).chain(rest.iter().copied());
    let value = emit.reshape(value, whole);
    let value = emit.all_to_all(value, 0, 0, &atoms);
    let value = emit.reshape(value, sizes.into_iter().chain(rest.iter().copied()));
    let (mut order, mut joined) = (Vec::new(), Vec::new());
    for (dim, &size) in rest.iter().enumerate() {
        let given = from.iter().find(|(d, ..)| *d == dim).map_or(&[][..], |(_, atoms, _)| atoms);
        order.extend(given.iter().filter_map(|a| atoms.iter().position(|b| a == b)));
        order.push(atoms.len() + dim);
        joined.push(size * emit.mesh.size_of(given.iter().copied()));
    }
    let value = emit.transpose(value, order);
    emit.reshape(value, joined)
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
