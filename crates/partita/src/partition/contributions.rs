//! Windows that add to results: a device has what its windows add to the run that they reach, and the shards of the result are the
//! sums of what all devices add to them.

use super::Partitioner;
use super::deliver::{deliver, deliver_price};
use super::emit::Purpose;
use super::ops::reasons;
use super::ordered::constant;
use super::price::Price;
use super::split::{Split, Subject};
use super::windows::{ReachedDim, reached_dims};
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::rule::{Access, Combine, DimMap, Rule, Window};
use crate::sharding::Mesh;
use crate::value::Scalar;
use smallvec::SmallVec;

/// What is to be done to a result that windows have added to.
pub(super) struct Contributions {
    dims: SmallVec<[ReachedDim; 2]>,
    /// The same dimensions of what the result is cut down to.
    kept: SmallVec<[ReachedDim; 2]>,
    /// What the result starts from, where that is not zero.
    initial: Option<ValueId>,
}

impl Contributions {
    /// Makes the type of the result that of a run.
    pub(super) fn stretch(&self, results: &mut [TensorType]) {
        for at in &self.dims {
            results[0].shape[at.dim] = at.reach.wanted.length;
        }
    }
}

/// The windows along a dimension of the result that have an element in it.
fn windows_inside(rule: &Rule, map: &DimMap, size: i64) -> Option<(i64, i64)> {
    let Access::Affine(affine) = map.access else { return None };
    let Window::Size(window) = affine.window else { return None };
    let (span, stride) = (affine.dilation * (window - 1), affine.stride);
    let first = (affine.offset - span + stride - 1).div_euclid(stride).max(0);
    let end = (size - 1 + affine.offset).div_euclid(stride) + 1;
    Some((first, end.min(rule.factor(affine.outer).size)))
}

/// The dimensions of the result that windows reach.
fn result_dims(mesh: &Mesh, subject: &Subject<'_>, split: &Split) -> SmallVec<[ReachedDim; 2]> {
    let shape = &subject.op.result_tensor(0).shape;
    reached_dims(mesh, subject.rule, &subject.rule.results[0], shape, split)
}

/// Those dimensions of what it is cut down to.
fn kept(mesh: &Mesh, subject: &Subject<'_>, dims: &[ReachedDim]) -> SmallVec<[ReachedDim; 2]> {
    let by = |dim: usize| subject.cut.as_ref().and_then(|cut| cut.by[dim]);
    let shape = &subject.outcome_type(0).shape;
    let kept = |at: &ReachedDim| match by(at.dim) {
        Some(by) => at.shifted(mesh, by, shape[at.dim]),
        None => at.clone(),
    };
    dims.iter().map(kept).collect()
}

/// What handing out costs that windows add to results.
pub(super) fn price(mesh: &Mesh, subject: &Subject<'_>, split: &Split) -> Price {
    let mut sum = Price::default();
    if subject.op.def().adds_to.is_none() {
        return sum;
    }
    let ty = subject.outcome_type(0);
    let dims = kept(mesh, subject, &result_dims(mesh, subject, split));
    let shard = split.layout(mesh, &subject.rule.results[0], &ty.shape).local(ty);
    for at in &dims {
        let row = shard.count() as u64 / at.layout.block.max(1) as u64;
        sum = sum.plus(deliver_price(mesh, ty.elem, row, &at.layout, at.size, at.reach.wanted));
    }
    sum
}

impl<'m> Partitioner<'m> {
    /// Prepares an op whose windows add to its result: windows that are not there add nothing, and what results start from is added last.
    pub(super) fn contribute(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        new: &mut NewOp,
    ) -> Option<Contributions> {
        let Subject { op, rule, .. } = *subject;
        let initial = op.def().adds_to?;
        let ty = op.result_tensor(0);
        let dims = result_dims(self.mesh, subject, split);
        if dims.is_empty() {
            return None;
        }
        for at in &dims {
            let map = &rule.results[0][at.dim];
            let Some((first, end)) = windows_inside(rule, map, at.size) else { continue };
            for (n, operand) in rule.operands.iter().enumerate() {
                let along = |m: &DimMap| m.access == Access::Direct && m.factors == map.factors;
                let Some(dim) = operand.iter().position(along) else { continue };
                let layout = &split.factors[usize::from(map.factors[0].0)];
                if (first, end) != (0, layout.block * layout.parts(self.mesh)) {
                    new.operands[n] =
                        self.only_between(new.operands[n], dim, (&layout.atoms, layout.block), first, end);
                }
            }
        }
        let value = new.operands[initial];
        let zero = Scalar::zero(ty.elem);
        let starts_at_zero = constant(op.module, op.operands()[initial]) == Some(zero);
        new.operands[initial] = self.emit.splat(TensorType::scalar(ty.elem), zero);
        let kept = kept(self.mesh, subject, &dims);
        Some(Contributions { dims, kept, initial: (!starts_at_zero).then_some(value) })
    }

    /// A shard with zeros where the index along a dimension is not in a range.
    fn only_between(
        &mut self,
        value: ValueId,
        dim: usize,
        (atoms, block): (&crate::sharding::AtomList, i64),
        first: i64,
        end: i64,
    ) -> ValueId {
        let ty = self.emit.type_of(value);
        let place = self.places_from(&ty, dim, atoms, block, 0);
        let above = self.emit.compare(place, first, Comparison::Ge);
        let below = self.emit.compare(place, end, Comparison::Lt);
        let inside = self.emit.combine(Combine::And, above, below);
        let zeros = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
        self.emit.op(OpKind::Select, &[inside, value, zeros], vec![], ty)
    }

    /// Hands out what was added to runs.
    pub(super) fn settle_contributions(
        &mut self,
        subject: &Subject<'m>,
        contributions: &Contributions,
        values: &mut [ValueId],
    ) {
        let leaves = |at: &ReachedDim| at.reach.leaves(at.layout.parts(self.mesh), at.size) != (false, false);
        for (at, kept) in contributions.dims.iter().zip(&contributions.kept) {
            if leaves(at) {
                values[0] = self.fold_ends(at, values[0]);
            }
            if subject.cut.is_some() && leaves(kept) {
                let ty = self.emit.type_of(values[0]);
                let inside = self.inside(&ty, kept);
                let zeros = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
                values[0] = self.emit.op(OpKind::Select, &[inside, values[0], zeros], vec![], ty);
            }
        }
        values[0] = self.cut_whole(subject, &contributions.dims, values[0]);
        for ReachedDim { dim, size, layout, reach, .. } in &contributions.kept {
            self.emit.purpose = Purpose {
                value: subject.op.results().next(),
                cause: Some(subject.op.id),
                reason: reasons::CONTRIBUTION,
            };
            values[0] = deliver(&mut self.emit, values[0], *dim, layout, *size, reach.wanted);
        }
        if let Some(initial) = contributions.initial {
            let ty = self.emit.type_of(values[0]);
            let initial = self.emit.broadcast(initial, ty);
            values[0] = self.emit.combine(Combine::Add, values[0], initial);
        }
    }

    /// Cuts down the dimensions of which a device has all.
    pub(super) fn cut_whole(
        &mut self,
        subject: &Subject<'m>,
        split: &[ReachedDim],
        mut value: ValueId,
    ) -> ValueId {
        let Some(cut) = &subject.cut else { return value };
        for (dim, by) in cut.by.iter().enumerate() {
            if let Some(by) = by.filter(|_| split.iter().all(|at| at.dim != dim)) {
                value = self.emit.slice(value, dim, -by, cut.op.result_tensor(0).shape[dim]);
            }
        }
        value
    }

    /// What was added beside the ends of a dimension, where its first and last elements were repeated, is added to those elements.
    fn fold_ends(&mut self, at: &ReachedDim, value: ValueId) -> ValueId {
        let ty = self.emit.type_of(value);
        let place = self.places(&ty, at);
        let zeros = self.emit.splat(ty.clone(), Scalar::zero(ty.elem));
        let (low, high) = at.reach.leaves(at.layout.parts(self.mesh), at.size);
        let ends = [(low, 0, Comparison::Lt), (high, at.size - 1, Comparison::Gt)];
        let mut sum = value;
        for (_, end, beyond) in ends.into_iter().filter(|(leaves, ..)| *leaves) {
            let outside = self.emit.compare(place, end, beyond);
            let there = self.emit.op(OpKind::Select, &[outside, value, zeros], vec![], ty.clone());
            let total = self.emit.reduce(there, at.dim, Combine::Add);
            let mut row = ty.shape.clone();
            row[at.dim] = 1;
            let total = self.emit.reshape(total, row);
            let total = self.repeat(total, ty.clone());
            let here = self.emit.compare(place, end, Comparison::Eq);
            let added = self.emit.op(OpKind::Select, &[here, total, zeros], vec![], ty.clone());
            sum = self.emit.combine(Combine::Add, sum, added);
            sum = self.emit.op(OpKind::Select, &[outside, zeros, sum], vec![], ty.clone());
        }
        sum
    }
}
