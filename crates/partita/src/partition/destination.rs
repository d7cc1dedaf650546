//! Where values go: a value with one use that names a layout is made for that layout, whatever propagation found for the value itself.

use super::Partitioner;
use super::layout::Layout;
use crate::ir::*;
use crate::ops::Spread;

impl<'m> Partitioner<'m> {
    /// The layout in which a value is wanted: that of its only use, where it is a result of the program or a constraint.
    pub(super) fn destination(&self, value: ValueId) -> Layout {
        let home = || self.home(value);
        let &[(op, place)] = self.uses.of(value) else { return home() };
        let op = self.input.op(op);
        let Some(body) = self.input.funcs.iter().next().and_then(|f| f.body) else { return home() };
        if self.input.regions[body].ops.last() == Some(&op.id) {
            let slot = self.shardings.graph.result_slots().get(place as usize).copied().flatten();
            return slot.map_or_else(|| self.replicated(value), |slot| self.layout(slot, value));
        }
        match (op.def().spread, op.results().next()) {
            (Spread::Constraint, Some(result)) => self.home(result),
            _ => home(),
        }
    }
}
