//! An all-reduce over links of several kinds, level by level.
//!
//! A library that knows nothing of the network sends all that it sums over its slowest links. Where neighbours have faster ones among
//! themselves, they first sum up a part each, only these parts go over the slow links, and then the neighbours share what they have: the slow
//! links carry as many times less as there are neighbours.

use super::edit::{collective_kind, rewrite};
use super::target::Target;
use crate::device::{Exchange, Shape};
use crate::interpret::CollectiveOp;
use crate::ledger::device_bytes;
use crate::ops::combine;
use crate::partition::{Partitioned, Pattern};
use crate::sharding::{Atom, AtomList, Mesh};

/// Writes all-reduces over several levels as three collectives: where that takes less time, if it is known what the program runs on, else all whose
/// axes are several, the last of them inside.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    rewrite(partitioned, |emit, known| {
        let op = emit.module.op(known.op);
        let (Pattern::Groups(atoms), &[operand]) = (&known.pattern, op.operands()) else { return None };
        if collective_kind(op) != Some(CollectiveOp::AllReduce) {
            return None;
        }
        let how = combine(op)?;
        let (outer, inner) = levels(emit.mesh, atoms, target)?;
        let neighbours = emit.mesh.size_of(inner.iter().copied());
        let shape = &op.operand_tensor(0).shape;
        let dim = shape.iter().position(|size| size % neighbours == 0 && *size > 0)?;
        let bytes = device_bytes(op.operand_type(0));
        if target.is_some_and(|target| !pays(emit.mesh, target, bytes, &outer, &inner)) {
            return None;
        }
        let part = emit.reduce_scatter(operand, dim, &inner, how);
        let sum = emit.all_reduce(part, &outer, how);
        Some(emit.all_gather(sum, dim, &inner))
    });
}

/// The atoms between groups of neighbours, and those among neighbours.
fn levels(mesh: &Mesh, atoms: &[Atom], target: Option<&Target>) -> Option<(AtomList, AtomList)> {
    let level = |atom: Atom| match target {
        Some(target) => target.placement.level_of(atom, &target.profile),
        None => mesh.axes().iter().rev().position(|axis| axis.atoms().any(|a| a == atom)),
    };
    let innermost = atoms.iter().filter_map(|a| level(*a)).min()?;
    let (inner, outer): (AtomList, AtomList) =
        atoms.iter().copied().partition(|a| level(*a) == Some(innermost));
    (!outer.is_empty()).then_some((outer, inner))
}

/// Whether three collectives take less time than one.
fn pays(mesh: &Mesh, target: &Target, bytes: u64, outer: &AtomList, inner: &AtomList) -> bool {
    let seconds = |shape, atoms: &[&AtomList], bytes| {
        let atoms = atoms.iter().flat_map(|list| list.iter().copied()).collect();
        target.placement.seconds(mesh, &target.profile, &Exchange { shape, atoms, bytes })
    };
    let part = bytes / mesh.size_of(inner.iter().copied()).unsigned_abs();
    let apart = seconds(Shape::Scatter, &[inner], bytes)
        + seconds(Shape::Reduce, &[outer], part)
        + seconds(Shape::Gather, &[inner], bytes);
    apart < seconds(Shape::Reduce, &[outer, inner], bytes)
}
