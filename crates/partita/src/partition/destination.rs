//! Where values go: a value with one use that names a layout is made for that layout, whatever propagation found for the value itself.

use super::Partitioner;
use super::layout::Layout;
use crate::ir::*;
use crate::ops::Spread;

/// The only use of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// There is none.
    None,
    /// One, as an operand of an op.
    Once(OpId, u32),
    /// There are several.
    Many,
}

/// The only use of each value.
pub(super) fn uses(module: &Module) -> IdVec<ValueId, Use> {
    let mut uses = IdVec::filled(Use::None, module.values.len());
    for op in module.ops.ids() {
        for (n, &operand) in module.operands(op).iter().enumerate() {
            uses[operand] = match uses[operand] {
                Use::None => Use::Once(op, n as u32),
                _ => Use::Many,
            };
        }
    }
    uses
}

impl<'m> Partitioner<'m> {
    /// The layout in which a value is wanted: that of its only use, where it is a result of the program or a constraint.
    pub(super) fn destination(&self, value: ValueId) -> Layout {
        let home = || self.home(value);
        let Use::Once(op, place) = self.uses[value] else { return home() };
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
