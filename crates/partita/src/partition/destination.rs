//! Where values go: a value is made for the layout in which it is wanted, whatever propagation found for the value itself.

use super::Partitioner;
use super::choose::splittable;
use super::layout::{DimLayout, Layout};
use super::split::Subject;
use crate::ir::{OpId, OpRef, ValueId};
use crate::ops::Spread;
use crate::ops::rule::{Access, FactorId};

impl<'m> Partitioner<'m> {
    /// The layout in which a value is wanted: that of its only use, where it is a result of the program, a constraint, or taken whole by
    /// an op that cannot be split along any of its dimensions. Otherwise its own, but a single index of a dimension everywhere, unless it
    /// is read by windows.
    pub(super) fn destination(&self, value: ValueId) -> Layout {
        let &[(op, place)] = self.uses.of(value) else { return self.unsplit_singles(value) };
        let op = self.input.op(op);
        let body = self.input.funcs.iter().next().and_then(|f| f.body);
        if body.and_then(|body| self.input.regions[body].ops.last()) == Some(&op.id) {
            let slot = self.shardings.graph.result_slots().get(place as usize).copied().flatten();
            return slot.map_or_else(|| self.replicated(value), |slot| self.layout(slot, value));
        }
        match (op.def().spread, op.results().next()) {
            (Spread::Constraint, Some(result)) => self.home(result),
            (Spread::Rule(..), _) if self.takes_whole(op, place as usize) => self.replicated(value),
            _ => self.unsplit_singles(value),
        }
    }

    /// Whether an op has an operand whole on every device however it is split.
    fn takes_whole(&self, op: OpRef<'m>, operand: usize) -> bool {
        let Some((_, rule, flow)) = self.shardings.graph.op_rule(op.id) else { return true };
        let subject = Subject::new(op, rule, flow);
        let mut factors = rule.operands[operand].iter().flat_map(|map| &map.factors);
        let split = |f: &FactorId| rule.factor(*f).size > 1 && splittable(&subject, *f);
        !factors.any(split) && (op.def().stages)(op).len() < 2
    }

    fn unsplit_singles(&self, value: ValueId) -> Layout {
        let mut home = self.home(value);
        for (dim, layout) in home.dims.iter_mut().enumerate() {
            if self.shape(value)[dim] == 1 && !layout.atoms.is_empty() && !self.read_by_windows(value, dim) {
                *layout = DimLayout::whole(1);
            }
        }
        home
    }

    fn read_by_windows(&self, value: ValueId, dim: usize) -> bool {
        let reads = |&(user, place): &(OpId, u32)| {
            let rule = self.shardings.graph.op_rule(user).map(|(_, rule, _)| rule);
            let map = rule.and_then(|r| r.operands.get(place as usize)?.get(dim));
            map.is_some_and(|map| map.access != Access::Direct)
        };
        self.uses.of(value).iter().any(reads)
    }
}
