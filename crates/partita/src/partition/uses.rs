//! Where values are used.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// Who uses each value.
pub(super) struct Uses {
    start: Vec<u32>,
    list: Vec<(OpId, u32)>,
    /// The op whose region each terminator ends.
    owners: FxHashMap<OpId, OpId>,
}

impl Uses {
    pub(super) fn in_program(input: &Module) -> Uses {
        let mut start = vec![0u32; input.values.len() + 2];
        let each = |f: &mut dyn FnMut(ValueId, OpId, u32)| {
            for op in input.ops.ids() {
                for (n, &value) in input.operands(op).iter().enumerate() {
                    f(value, op, n as u32);
                }
            }
        };
        each(&mut |value, _, _| start[value.index() + 2] += 1);
        for i in 2..start.len() {
            start[i] += start[i - 1];
        }
        let mut list = vec![(OpId::from_index(0), 0); start[input.values.len() + 1] as usize];
        each(&mut |value, op, n| {
            let place = &mut start[value.index() + 1];
            list[*place as usize] = (op, n);
            *place += 1;
        });
        let mut owners = FxHashMap::default();
        for op in input.ops.ids() {
            for &region in input.regions_of(op) {
                if let Some(&last) = input.regions[region].ops.last() {
                    owners.insert(last, op);
                }
            }
        }
        Uses { start, list, owners }
    }

    pub(super) fn of(&self, value: ValueId) -> &[(OpId, u32)] {
        let index = value.index();
        &self.list[self.start[index] as usize..self.start[index + 1] as usize]
    }

    pub(super) fn owner_of_terminator(&self, last: OpId) -> Option<OpId> {
        self.owners.get(&last).copied()
    }
}
