//! Slices and padding between windows and what they reach: windows read through what only shifts their operand, and add through what
//! only cuts their result down. Blocks of a dimension that is a little longer or shorter need not be made then.

use super::Partitioner;
use super::layout::{DimLayout, Layout};
use super::windows::ReachedDim;
use crate::diagnostic::Diagnostic;
use crate::ir::attr::Comparison;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::edge::Edge;
use crate::ops::local::{Local, Reached};
use crate::ops::rule::{Access, Combine, Kind, Rule, Window};
use crate::ops::{OpKind, Spread};
use crate::propagate::RuleId;
use crate::sharding::Mesh;
use smallvec::SmallVec;

/// An op whose result is its first operand, shifted.
pub(super) struct Shift<'m> {
    pub(super) op: OpRef<'m>,
    pub(super) rule: RuleId,
    /// The index `x` of the result is the index `x - by` of the operand; nothing where a dimension goes through as it is.
    pub(super) by: SmallVec<[Option<i64>; 4]>,
}

impl<'m> Shift<'m> {
    fn of(op: OpRef<'m>, id: RuleId, rule: &Rule) -> Option<Self> {
        let alone = op.results().len() == 1 && op.regions().is_empty();
        let others_are_scalars = rule.operands.iter().skip(1).all(|map| map.is_empty());
        if !alone || !others_are_scalars || !matches!(op.def().edge, Edge::Nothing | Edge::Operand(_)) {
            return None;
        }
        let (from, to) = (rule.operands.first()?, rule.results.first()?);
        let one = |from: &crate::ops::rule::DimMap, to: &crate::ops::rule::DimMap| match from.access {
            Access::Direct => (from.factors == to.factors).then_some(None),
            Access::Affine(a) => {
                let own = match a.window {
                    Window::None => true,
                    Window::Factor(f) => rule.factor(f).kind == Kind::Lookup,
                    Window::Size(_) => false,
                };
                let plain = (a.base, a.stride) == (1, 1) && to.factors[..] == [a.outer];
                (own && plain && to.access == Access::Direct).then_some(Some(a.offset))
            }
        };
        let by: Option<_> = from.iter().zip(to).map(|(from, to)| one(from, to)).collect();
        Some(Shift { op, rule: id, by: by? })
    }

    /// What windows that reach some dimensions of the result reach of the operand. The other dimensions must not be split where
    /// they are shifted.
    pub(super) fn operand_dims(
        &self,
        mesh: &Mesh,
        dims: &[ReachedDim],
        in_blocks: &Layout,
    ) -> Option<(Layout, SmallVec<[ReachedDim; 2]>)> {
        let shape = &self.op.operand_tensor(0).shape;
        let shifted = |at: &ReachedDim| match self.by[at.dim] {
            Some(by) => at.shifted(mesh, -by, shape[at.dim]),
            None => at.clone(),
        };
        let dims: SmallVec<[ReachedDim; 2]> = dims.iter().map(shifted).collect();
        let mut layout = in_blocks.clone();
        for (dim, by) in self.by.iter().enumerate() {
            match dims.iter().find(|at| at.dim == dim) {
                Some(at) => layout.dims[dim] = at.layout.clone(),
                None if by.is_none() => {}
                None if layout.dims[dim].atoms.is_empty() => layout.dims[dim] = DimLayout::whole(shape[dim]),
                None => return None,
            }
        }
        layout.partial.is_none().then_some((layout, dims))
    }
}

impl<'m> Partitioner<'m> {
    /// What shifts a value that nothing else uses, in the same region; constraints in between only name shardings.
    pub(super) fn read_through(&self, mut value: ValueId) -> Option<Shift<'m>> {
        loop {
            let ValueDef::Result(id, _) = self.input.values[value].def else { return None };
            let op = self.input.op(id);
            if self.uses.of(value).len() != 1 {
                return None;
            }
            match op.def().spread {
                Spread::Constraint => value = *op.operands().first()?,
                Spread::Rule(..) => {
                    let (rule_id, rule, _) = self.shardings.graph.op_rule(id)?;
                    let shift = Shift::of(op, rule_id, rule)?;
                    let there = self.versions(op.operands()[0]).next().is_some();
                    return (there && self.is_made_here(value)).then_some(shift);
                }
                _ => return None,
            }
        }
    }

    /// What cuts the result of an op down to which windows add, where nothing else uses it: dimensions are cut that windows reach.
    pub(super) fn added_through(&self, op: OpRef<'m>, rule: &Rule) -> Option<Shift<'m>> {
        op.def().adds_to?;
        let &[(user, 0)] = self.uses.of(op.results().next()?) else { return None };
        let (rule_id, user_rule, _) = self.shardings.graph.op_rule(user)?;
        let user = self.input.op(user);
        let shift = Shift::of(user, rule_id, user_rule).filter(|_| user.def().edge == Edge::Nothing)?;
        let reached = |dim: usize| rule.results[0][dim].access != Access::Direct;
        shift.by.iter().enumerate().all(|(dim, by)| by.is_none() || reached(dim)).then_some(shift)
    }

    /// The run of a shifted tensor, from the run of what is shifted.
    pub(super) fn shift_run(
        &mut self,
        shift: &Shift<'m>,
        dims: &[ReachedDim],
        mut value: ValueId,
    ) -> Result<ValueId, Diagnostic> {
        let op = shift.op;
        let mut filler = None;
        if let Some(n) = op.def().edge.filler(op, 0) {
            let whole = Layout::replicated(&[]);
            filler = Some(self.request(op.operands()[n], &whole, super::ops::reasons::OPERAND)?);
        }
        for at in dims {
            let leaves = at.reach.leaves(at.layout.parts(self.mesh), at.size) != (false, false);
            if let Some(filler) = filler.filter(|_| leaves) {
                let ty = self.emit.type_of(value);
                let inside = self.inside(&ty, at);
                let filler = self.emit.broadcast(filler, ty.clone());
                value = self.emit.op(OpKind::Select, &[inside, value, filler], vec![], ty);
            }
        }
        let is_reached = |dim: usize| dims.iter().any(|at| at.dim == dim);
        if shift.by.iter().enumerate().all(|(dim, by)| by.is_none() || is_reached(dim)) {
            return Ok(value);
        }
        let mut ty = self.emit.type_of(value);
        for dim in (0..ty.rank()).filter(|d| shift.by[*d].is_some() && !is_reached(*d)) {
            ty.shape[dim] = op.result_tensor(0).shape[dim];
        }
        let reached: Vec<Reached> =
            dims.iter().map(|at| Reached { operand: 0, dim: at.dim, low: 0, high: 0 }).collect();
        let mut new = NewOp::new(op.kind());
        new.operands = std::iter::once(value).chain(filler).collect();
        let operands: Vec<TensorType> = new.operands.iter().map(|v| self.emit.type_of(*v)).collect();
        let local = Local { op, operands: &operands, results: std::slice::from_ref(&ty), reached: &reached };
        new.attrs = (op.def().localise)(&local).unwrap_or_else(|| op.op().attrs.clone());
        new.result_types = [self.emit.module.types.intern(Type::Tensor(ty))].into_iter().collect();
        Ok(self.finish(op, new)?.swap_remove(0))
    }

    /// Where the run that a device has is in the dimension.
    pub(super) fn inside(&mut self, ty: &TensorType, at: &ReachedDim) -> ValueId {
        let place = self.places(ty, at);
        let above = self.emit.compare(place, 0, Comparison::Ge);
        let below = self.emit.compare(place, at.size, Comparison::Lt);
        self.emit.combine(Combine::And, above, below)
    }
}
