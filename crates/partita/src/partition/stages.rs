//! Ops that cannot be split as a whole, done in stages: for each stage the axes that split its dimension split another one.

use super::Partitioner;
use super::emit::Purpose;
use super::layout::{DimLayout, Layout};
use super::ops::reasons;
use super::reshard;
use super::split::Subject;
use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::stages::Stage;
use crate::sharding::AtomList;

/// How an op is done in stages.
struct Plan {
    cost: u64,
    /// The stages in order, each with the layout of what goes in and comes out.
    stages: Vec<(Stage, Layout)>,
}

impl<'m> Partitioner<'m> {
    /// Does an op in stages, if it has some and that is cheaper than doing it whole on every device.
    pub(super) fn in_stages(&mut self, subject: &Subject<'m>) -> Result<bool, Diagnostic> {
        let op = subject.op;
        let stages = (op.def().stages)(op);
        if stages.len() < 2 || !self.joined(op).is_empty() {
            return Ok(false);
        }
        let (operand, result) = (op.operands()[0], op.op().results.at(0));
        let Some(from) = self.complete_versions(operand).into_iter().next() else { return Ok(false) };
        if from.layout.is_replicated() {
            return Ok(false);
        }
        let plan = self.plan_stages(op, stages, &from.layout, &self.destination(result));
        let whole = self.planner.cost(op.operand_tensor(0), &from.layout, &self.replicated(operand));
        let elem = op.operand_tensor(0).elem;
        if plan.cost >= whole.saturating_add(self.planner.prices.work((op.def().work)(op), elem, 1.0)) {
            return Ok(false);
        }
        let mut value = self.request(operand, &from.layout, reasons::OPERAND)?;
        let (mut layout, mut ty) = (from.layout, op.operand_tensor(0).clone());
        for (stage, wanted) in plan.stages {
            self.emit.purpose =
                Purpose { value: Some(operand), cause: Some(op.id), reason: reasons::OPERAND };
            value = reshard::reshard(&mut self.emit, &mut self.planner, value, &ty, &layout, &wanted);
            (value, layout) = self.stage(op, &stage, value, wanted);
            ty = stage.result;
        }
        self.bind(result, layout, value);
        Ok(true)
    }

    /// Where each stage is done. Of stages that can be done in any order those come first whose dimension is whole.
    fn plan_stages(&mut self, op: OpRef<'m>, mut stages: Vec<Stage>, from: &Layout, to: &Layout) -> Plan {
        if stages.iter().all(|s| s.result == *op.operand_tensor(0)) {
            stages.sort_by_key(|s| !from.dims[s.dim].atoms.is_empty());
        }
        let mut plan = Plan { cost: 0, stages: Vec::with_capacity(stages.len()) };
        let (mut layout, mut ty) = (from.clone(), op.operand_tensor(0).clone());
        let count = stages.len();
        for (n, stage) in stages.into_iter().enumerate() {
            let mut best: Option<(u64, u64, Layout)> = None;
            for candidate in elsewhere(self, &layout, &ty, stage.dim) {
                let there = self.planner.cost(&ty, &layout, &candidate);
                let home = match n + 1 == count {
                    true => self.planner.cost(&stage.result, &after(&stage, &candidate), to),
                    false => 0,
                };
                if best.as_ref().is_none_or(|(a, b, _)| there + home < a + b) {
                    best = Some((there, home, candidate));
                }
            }
            let Some((there, home, wanted)) = best else { break };
            plan.cost = plan.cost.saturating_add(there).saturating_add(home);
            layout = after(&stage, &wanted);
            ty = stage.result.clone();
            plan.stages.push((stage, wanted));
        }
        plan
    }

    /// One stage on shards, along a dimension that is whole.
    fn stage(&mut self, op: OpRef<'m>, stage: &Stage, value: ValueId, layout: Layout) -> (ValueId, Layout) {
        let layout = after(stage, &layout);
        let local = layout.local(&stage.result);
        let rank = local.rank();
        // Its own inverse: the dimension changes places with the last one.
        let swapped: Vec<usize> = (0..rank)
            .map(|d| match d {
                d if d == stage.dim => rank - 1,
                d if d == rank - 1 => stage.dim,
                d => d,
            })
            .collect();
        let turned = self.turn(value, &swapped);
        let ty = TensorType::new(local.elem, swapped.iter().map(|d| local.shape[*d]));
        let mut new = NewOp::new(op.kind());
        new.operands.push(turned);
        new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty)));
        new.attrs = stage.attrs.clone();
        new.loc = op.op().loc;
        let done = self.emit.add(new);
        let done = self.emit.module.ops[done].results.at(0);
        (self.turn(done, &swapped), layout)
    }

    /// A value with its dimensions in another order.
    fn turn(&mut self, value: ValueId, order: &[usize]) -> ValueId {
        if order.iter().enumerate().all(|(n, d)| n == *d) {
            return value;
        }
        let ty = self.emit.type_of(value);
        let ty = TensorType::new(ty.elem, order.iter().map(|d| ty.shape[*d]));
        let order = vec![(names::PERMUTATION, Attr::i64s(order.iter().map(|d| *d as i64)))];
        self.emit.op(OpKind::Transpose, &[value], order, ty)
    }
}

/// The layout of what a stage gives: along its dimension, which is whole, the size may have changed.
fn after(stage: &Stage, layout: &Layout) -> Layout {
    let mut layout = layout.clone();
    layout.dims[stage.dim] = DimLayout::whole(stage.result.shape[stage.dim]);
    layout
}

/// The layouts in which a dimension is whole: what splits it is gathered, or splits another dimension, behind or before what splits that.
fn elsewhere(p: &Partitioner<'_>, layout: &Layout, ty: &TensorType, dim: usize) -> Vec<Layout> {
    let moved = layout.dims[dim].atoms.clone();
    let mut gathered = layout.clone();
    gathered.dims[dim] = DimLayout::whole(ty.shape[dim]);
    let mut found = Vec::new();
    if !moved.is_empty() {
        for other in (0..ty.rank()).filter(|d| *d != dim) {
            let (own, size) = (&layout.dims[other].atoms, ty.shape[other]);
            let behind: AtomList = own.iter().chain(&moved).copied().collect();
            let before: AtomList = moved.iter().chain(own).copied().collect();
            for atoms in [behind, before] {
                let mut candidate = gathered.clone();
                candidate.dims[other] = DimLayout::canonical(p.mesh, size, atoms);
                if !found.contains(&candidate) {
                    found.push(candidate);
                }
            }
        }
    }
    found.push(gathered);
    found
}
