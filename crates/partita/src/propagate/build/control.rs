//! Control flow and regions.

use super::{Builder, heads, sharding_list};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::TensorSharding;
use crate::ir::*;
use crate::propagate::graph::NodeKind;
use crate::propagate::rule::FlowRule;
use crate::propagate::state::SlotId;
use crate::sharding::AtomSet;
use crate::sharding::manual::manual_axes;
use smallvec::SmallVec;

impl<'m> Builder<'m> {
    /// The slot of the n-th value that a region returns.
    fn returned(&mut self, region: RegionId, n: usize) -> Option<SlotId> {
        let last = *self.module.regions[region].ops.last()?;
        let value = *self.module.operands(last).get(n)?;
        let outside = self.place.replace((region, last));
        let slot = self.operand(value);
        self.place = outside;
        slot
    }

    /// Carries agree on one sharding: results and arguments of body and condition share a slot.
    pub(super) fn loop_op(&mut self, op: OpRef<'m>) {
        let place = self.place;
        self.fresh_results(op);
        for &region in op.regions() {
            for arg in self.module.regions[region].args.iter() {
                self.fresh(arg);
            }
        }
        for &region in op.regions() {
            self.region(region);
        }
        self.place = place;
        let Some(&body) = op.regions().last() else { return };
        for (n, result) in op.results().enumerate() {
            let init = op.operands().get(n).and_then(|v| self.operand(*v));
            let next = self.returned(body, n);
            self.edge_between(op, &[init, next], result);
        }
    }

    pub(super) fn branches(&mut self, op: OpRef<'m>) {
        let place = self.place;
        for &region in op.regions() {
            self.region(region);
        }
        self.place = place;
        self.fresh_results(op);
        for (n, result) in op.results().enumerate() {
            let sources: SmallVec<[Option<SlotId>; 4]> =
                op.regions().iter().map(|r| self.returned(*r, n)).collect();
            self.edge_between(op, &sources, result);
        }
    }

    /// A region that takes the operands and gives the results.
    pub(super) fn called_region(&mut self, op: OpRef<'m>) {
        let place = self.place;
        let Some(&region) = op.regions().first() else { return };
        let given = sharding_list(op, names::IN_SHARDINGS);
        for (n, arg) in self.module.regions[region].args.iter().enumerate() {
            let slot = self.fresh(arg);
            if let (Some(slot), Some(sharding)) = (slot, given.get(n)) {
                self.annotate(slot, sharding, &self.module.value_name(arg), op.op().span);
            }
            let source = op.operands().get(n).and_then(|v| self.operand(*v));
            self.edge_between(op, &[source], arg);
        }
        self.region(region);
        self.place = place;
        self.fresh_results(op);
        let given = sharding_list(op, names::OUT_SHARDINGS);
        for (n, result) in op.results().enumerate() {
            if let (Some(slot), Some(sharding)) = (self.graph.values[result], given.get(n)) {
                self.annotate(slot, sharding, &self.module.value_name(result), op.op().span);
            }
            let source = self.returned(region, n);
            self.edge_between(op, &[source], result);
        }
    }

    /// A region that is local along its manual axes. Where a value enters, it lies as `in_shardings` says; inside,
    /// the manual axes at the head of its dimensions are gone, and no others may be used.
    pub(super) fn manual_region(&mut self, op: OpRef<'m>) {
        let place = self.place;
        let Some(&region) = op.regions().first() else { return };
        let outside = self.manual;
        let manual = self.manual_atoms(op);
        let inside = outside.union(manual);
        let mut inputs = Vec::with_capacity(op.operands().len());
        for (n, arg) in self.module.regions[region].args.iter().enumerate() {
            let Some(&value) = op.operands().get(n) else { break };
            let sharding = sharding_list(op, names::IN_SHARDINGS).get(n);
            let rank = self.module.tensor_type(value).map_or(0, |t| t.rank());
            let entry = self.slot_of_rank(rank);
            inputs.push(entry);
            let Some(entry) = entry else { continue };
            let name = self.module.value_name(value);
            self.bound_by(entry, sharding, manual, &name, op.op().span);
            if let Some(sharding) = sharding {
                self.lay_out(value, sharding, op.op().span);
            }
            let source = self.operand(value);
            self.edge(self.module.values[value].ty, &[source], entry, Some(op.id));
            self.manual = inside;
            let local = self.fresh(arg);
            self.manual = outside;
            self.manual_edge(op, arg, (entry, local), manual, true);
        }
        self.graph.manual_inputs.insert(op.id, inputs);
        self.manual = inside;
        self.region(region);
        self.manual = outside;
        self.place = place;
        for (n, result) in op.results().enumerate() {
            let Some(exit) = self.fresh(result) else { continue };
            let sharding = sharding_list(op, names::OUT_SHARDINGS).get(n);
            self.bound_by(exit, sharding, manual, &self.module.value_name(result), op.op().span);
            self.manual = inside;
            let local = self.returned(region, n);
            self.manual = outside;
            let Some(&last) = self.module.regions[region].ops.last() else { continue };
            let Some(&value) = self.module.operands(last).get(n) else { continue };
            self.manual_edge(op, value, (exit, local), manual, false);
        }
    }

    /// A value at the border of a manual region: as the region says, and split over no other manual axes.
    fn bound_by(
        &mut self,
        slot: SlotId,
        sharding: Option<&TensorSharding>,
        manual: AtomSet,
        name: &str,
        span: Span,
    ) {
        if let Some(sharding) = sharding {
            self.annotate(slot, sharding, name, span);
        }
        let slot = &mut self.graph.slots[slot];
        slot.barred = slot.barred.union(manual.minus(slot.used));
    }

    fn manual_edge(
        &mut self,
        op: OpRef<'m>,
        inner: ValueId,
        (border, local): (SlotId, Option<SlotId>),
        manual: AtomSet,
        entering: bool,
    ) {
        let Some(shape) = self.module.tensor_type(inner).map(|t| t.shape.clone()) else { return };
        let skip =
            self.graph.slots[border].annotation.as_deref().map(|s| heads(s, manual)).unwrap_or_default();
        let none = SmallVec::new();
        let (skips, tensors) = match entering {
            true => ([skip, none], [Some(border), local]),
            false => ([none, skip], [local, Some(border)]),
        };
        let rule = self.add_rule(FlowRule::manual_edge(&shape, skips));
        self.add_node(NodeKind::Edge, Some(op.id), rule, &tensors, true);
    }

    fn manual_atoms(&mut self, op: OpRef<'m>) -> AtomSet {
        let mut atoms = AtomSet::EMPTY;
        for axis in manual_axes(op) {
            let name = &self.module.strings[*axis];
            match self.mesh.axis(name) {
                Some(index) => self.mesh.axes()[index].atoms().for_each(|a| atoms.insert(a)),
                None => {
                    let known: Vec<_> = self.mesh.axes().iter().map(|a| format!("\"{}\"", a.name)).collect();
                    let message = format!("the manual axis \"{name}\" is not an axis of the mesh");
                    let error = Diagnostic::new("sharding", op.op().span, message);
                    self.errors.push(error.fix(format!("the axes are {}", known.join(", "))));
                }
            }
        }
        atoms
    }
}
