//! Constraints and barriers.

use super::unite::annotation;
use super::{Builder, sharding_attr, sharding_list};
use crate::ir::sdy::TensorSharding;
use crate::ir::*;
use crate::ops::Spread;
use crate::propagate::graph::NodeKind;
use crate::propagate::step::Direction;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What the program asks of each value, collected once.
pub(super) struct Constraints {
    /// The uses of a value that say how it lies: constraints and manual regions, by operand.
    uses: FxHashMap<ValueId, SmallVec<[(OpId, usize); 2]>>,
    /// What is used instead of a value.
    stand_ins: FxHashMap<ValueId, StandIn>,
    /// Positions of operations in their regions, where there are constraints.
    positions: IdVec<OpId, u32>,
}

/// A constrained value that is used in place of another.
struct StandIn {
    value: ValueId,
    /// The constraint that reads the other.
    reader: OpId,
    /// Uses in this region behind this operation; nothing for all uses.
    behind: Option<(RegionId, OpId)>,
}

impl Constraints {
    pub(super) fn of(module: &Module) -> Constraints {
        let mut found = Constraints {
            uses: FxHashMap::default(),
            stand_ins: FxHashMap::default(),
            positions: IdVec::new(),
        };
        let mut constraints = Vec::new();
        let mut use_count: FxHashMap<ValueId, u32> = FxHashMap::default();
        for (region, data) in module.regions.enumerate() {
            for &op in &data.ops {
                let op = module.op(op);
                match op.def().spread {
                    Spread::Constraint => {
                        constraints.push((region, op.id));
                        use_count.extend(op.results().map(|r| (r, 0)));
                    }
                    Spread::Manual => {}
                    _ => continue,
                }
                for (n, &value) in op.operands().iter().enumerate() {
                    found.uses.entry(value).or_default().push((op.id, n));
                }
            }
        }
        if constraints.is_empty() {
            return found;
        }
        found.positions = IdVec::filled(0, module.ops.len());
        for region in module.regions.iter() {
            for (position, op) in region.ops.iter().enumerate() {
                found.positions[*op] = position as u32;
            }
        }
        for op in module.ops.ids() {
            for operand in module.operands(op) {
                if let Some(count) = use_count.get_mut(operand) {
                    *count += 1;
                }
            }
        }
        for (region, op) in constraints {
            found.add_stand_in(module, &use_count, region, op);
        }
        found
    }

    fn add_stand_in(
        &mut self,
        module: &Module,
        use_count: &FxHashMap<ValueId, u32>,
        region: RegionId,
        op: OpId,
    ) {
        let head = module.op(op);
        let input = head.operands()[0];
        let Some(sharding) = sharding_attr(head, names::SHARDING) else { return };
        if is_flow_target(module, input) {
            // All places a value of control flow stands at have one sharding: only the uses of this one are
            // constrained, not the others.
            if is_closed(sharding) && self.agree(module, input, sharding) {
                let value = head.op().results.at(0);
                self.stand_ins.entry(input).or_insert(StandIn { value, reader: op, behind: None });
            }
            return;
        }
        // Behind a chain of constraints, its end is what the program means.
        let constraint = |op: OpId| matches!(module.op(op).def().spread, Spread::Constraint);
        let first = match module.values[input].def {
            ValueDef::Result(maker, _) => !constraint(maker),
            ValueDef::Arg(..) => true,
        };
        if !first || annotation(module, input).is_some() || self.uses[&input].len() > 1 {
            return;
        }
        let mut end = head.op().results.at(0);
        let mut tail = op;
        while use_count.get(&end) == Some(&1)
            && let Some(&[(next, _)]) = self.uses.get(&end).map(|u| &u[..])
            && constraint(next)
        {
            end = module.op(next).op().results.at(0);
            tail = next;
        }
        let same_region = module.regions[region].ops.get(self.positions[tail] as usize) == Some(&tail);
        if tail != op && !self.uses.contains_key(&end) && same_region {
            let behind = Some((region, tail));
            self.stand_ins.insert(input, StandIn { value: end, reader: op, behind });
        }
    }

    /// What a use of a value at a place reads instead.
    pub(super) fn stand_in(&self, value: ValueId, (region, op): (RegionId, OpId)) -> Option<ValueId> {
        if self.stand_ins.is_empty() {
            return None;
        }
        let stand_in = self.stand_ins.get(&value)?;
        let is_behind = |tail: OpId| self.positions[op] > self.positions[tail];
        let applies =
            op != stand_in.reader && stand_in.behind.is_none_or(|(r, tail)| r == region && is_behind(tail));
        applies.then_some(stand_in.value)
    }

    /// Whether no constraint of a value says something else than a sharding.
    fn agree(&self, module: &Module, value: ValueId, sharding: &TensorSharding) -> bool {
        let says = |&(op, n): &(OpId, usize)| {
            let op = module.op(op);
            match op.def().spread {
                Spread::Manual => sharding_list(op, names::IN_SHARDINGS).get(n),
                _ => sharding_attr(op, names::SHARDING),
            }
        };
        self.uses.get(&value).is_none_or(|uses| uses.iter().all(|u| says(u) == Some(sharding)))
    }
}

fn is_closed(sharding: &TensorSharding) -> bool {
    sharding.dims.iter().all(|d| !d.open)
}

/// Whether a value is one of several places that control flow gives one sharding.
fn is_flow_target(module: &Module, value: ValueId) -> bool {
    let flows = |op: OpId| {
        let spread = module.op(op).def().spread;
        matches!(spread, Spread::Loop | Spread::Branches | Spread::Pairs | Spread::Region | Spread::Manual)
    };
    match module.values[value].def {
        ValueDef::Result(op, _) => flows(op),
        // The arguments of the function are all that are not an op's.
        ValueDef::Arg(region, _) => module.funcs.iter().next().and_then(|f| f.body) != Some(region),
    }
}

impl<'m> Builder<'m> {
    pub(super) fn constraint(&mut self, op: OpRef<'m>) {
        let result = op.op().results.at(0);
        let Some(slot) = self.fresh(result) else { return };
        let Some(sharding) = sharding_attr(op, names::SHARDING) else { return };
        self.annotate(slot, sharding, &self.module.value_name(result), op.op().span);
        let input = op.operands()[0];
        if op.def().traits.lays_out_operand && !is_flow_target(self.module, input) {
            self.lay_out(input, sharding, op.op().span);
        }
        let source = self.operand(input);
        let rule = self.constraint_rule(self.module.values[result].ty);
        let single = self.use_count[input] == 1;
        self.add_node(NodeKind::Op, Some(op.id), rule, &[source, Some(slot)], single);
    }

    /// What is constrained lies that way from the start, unless the program says something else of it.
    pub(super) fn lay_out(&mut self, value: ValueId, sharding: &TensorSharding, span: Span) {
        if !self.constant[value]
            && let Some(slot) = self.graph.values[value]
            && self.graph.slots[slot].annotation.is_none()
            && is_closed(sharding)
            && self.constraints.agree(self.module, value, sharding)
        {
            self.annotate(slot, sharding, &self.module.value_name(value), span);
        }
    }

    /// A member of a group that is to be alike takes what the first member has where it can, and gives it what it has
    /// itself; they may end up different. Groups whose members are the same have one slot already.
    pub(super) fn alike(&mut self, op: OpRef<'m>) {
        let (Some(_), Some(id), &[value]) =
            (op.attr(names::PARTITA_SHARD_LIKE), op.int(names::GROUP_ID), op.operands())
        else {
            return;
        };
        let first = *self.alike.entry(id).or_insert(value);
        let ty = self.module.values[value].ty;
        if first == value || self.module.values[first].ty != ty {
            return;
        }
        let source = self.operand(first);
        if let Some(target) = self.operand(value) {
            self.edge(ty, &[source], target, Some(op.id));
        }
    }

    pub(super) fn barrier(&mut self, op: OpRef<'m>) {
        self.fresh_results(op);
        let result = op.op().results.at(0);
        let Some(slot) = self.graph.values[result] else { return };
        let direction = match op.int(names::ALLOWED_DIRECTION) {
            Some(1) => Direction::Forward,
            Some(2) => Direction::Backward,
            Some(3) => Direction::Both,
            _ => Direction::None,
        };
        let source = self.operand(op.operands()[0]);
        let rule = self.identity(self.module.values[result].ty, 1);
        self.add_node(NodeKind::Barrier(direction), Some(op.id), rule, &[source, Some(slot)], true);
    }
}
