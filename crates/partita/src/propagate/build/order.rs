//! The order in which the operations of a region are looked at.
//!
//! Where shardings meet, the one that was there first wins, so the order matters. It is that of a walk from what the
//! region returns back along operands, operands first: a program whose independent operations are written in another
//! order gets the same shardings.

use crate::ir::ids::IdVec;
use crate::ir::*;

/// The region each operation stands in, and which operations have been put in order.
pub(super) struct Order {
    parent: IdVec<OpId, Option<RegionId>>,
    done: IdVec<OpId, bool>,
}

impl Order {
    pub(super) fn of(module: &Module) -> Order {
        let mut parent = IdVec::filled(None, module.ops.len());
        for (id, region) in module.regions.enumerate() {
            for &op in &region.ops {
                parent[op] = Some(id);
            }
        }
        Order { parent, done: IdVec::filled(false, module.ops.len()) }
    }

    /// The operations of a region: what its end needs, then what nothing needs.
    pub(super) fn region(&mut self, module: &Module, region: RegionId) -> Vec<OpId> {
        let ops = &module.regions[region].ops;
        let mut list = Vec::with_capacity(ops.len());
        let mut stack = Vec::new();
        let roots = ops.last().into_iter().chain(ops.iter());
        for &root in roots {
            self.visit(module, region, root, &mut stack, &mut list);
        }
        list
    }

    fn visit(
        &mut self,
        module: &Module,
        region: RegionId,
        root: OpId,
        stack: &mut Vec<(OpId, bool)>,
        list: &mut Vec<OpId>,
    ) {
        stack.push((root, false));
        while let Some((op, ready)) = stack.pop() {
            if ready {
                list.push(op);
                continue;
            }
            if std::mem::replace(&mut self.done[op], true) {
                continue;
            }
            stack.push((op, true));
            let start = stack.len();
            self.needs(module, region, op, stack);
            // The first operand is looked at first.
            stack[start..].reverse();
        }
    }

    /// Pushes the operations of a region that an operation needs, by its operands and inside its regions.
    fn needs(&self, module: &Module, region: RegionId, op: OpId, stack: &mut Vec<(OpId, bool)>) {
        let mut push = |value: ValueId| {
            if let ValueDef::Result(maker, _) = module.values[value].def
                && self.parent[maker] == Some(region)
                && !self.done[maker]
            {
                stack.push((maker, false));
            }
        };
        module.operands(op).iter().for_each(|v| push(*v));
        if module.op(op).def().traits.isolated {
            return;
        }
        let mut inside: Vec<RegionId> = module.regions_of(op).to_vec();
        while let Some(region) = inside.pop() {
            for &op in &module.regions[region].ops {
                module.operands(op).iter().for_each(|v| push(*v));
                inside.extend(module.regions_of(op));
            }
        }
    }
}
