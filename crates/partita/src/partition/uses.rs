//! Where values are used.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// Who uses each value.
pub(super) struct Uses {
    lists: Lists<ValueId, (OpId, u32)>,
    /// The op whose region each terminator ends.
    owners: FxHashMap<OpId, OpId>,
}

impl Uses {
    pub(super) fn in_program(input: &Module) -> Uses {
        let lists = Lists::new(input.values.len(), |tell| {
            for op in input.ops.ids() {
                input.operands(op).iter().enumerate().for_each(|(n, value)| tell(*value, (op, n as u32)));
            }
        });
        let mut owners = FxHashMap::default();
        for op in input.ops.ids() {
            for &region in input.regions_of(op) {
                if let Some(&last) = input.regions[region].ops.last() {
                    owners.insert(last, op);
                }
            }
        }
        Uses { lists, owners }
    }

    pub(super) fn of(&self, value: ValueId) -> &[(OpId, u32)] {
        self.lists.of(value)
    }

    pub(super) fn owner_of_terminator(&self, last: OpId) -> Option<OpId> {
        self.owners.get(&last).copied()
    }
}
