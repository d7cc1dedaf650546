//! Sums of reductions become the reduction of a sum.
//!
//! The partitioner combines partial results where that is cheapest for each of them. Where several were combined along the same axes and
//! then meet in an operation that is linear in all of them, the operation may come first, and one collective combines what it gives.

use super::edit::{collective, collective_kind, regions, same_attributes};
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::linear::Linear;
use crate::ops::{Eval, combine};
use crate::partition::{Collective, Partitioned, remove_unused};
use rustc_hash::FxHashMap;

/// Brings reductions behind the operations that add what they give.
pub(super) fn run(partitioned: &mut Partitioned) {
    if partitioned.collectives.len() < 2 {
        return;
    }
    let uses = partitioned.module.use_counts();
    let mut moved = Moved { uses, replaced: FxHashMap::default() };
    for region in regions(&partitioned.module) {
        let mut n = 0;
        while let Some(&op) = partitioned.module.regions[region].ops.get(n) {
            n += 1;
            if let Some(terms) = moved.terms(partitioned, op) {
                let new = moved.reduce_after(partitioned, op, &terms);
                let ops = &mut partitioned.module.regions[region].ops;
                ops.splice(n..n, new);
                n += new.len();
            }
        }
    }
    if !moved.replaced.is_empty() {
        partitioned.module.replace_operands(|value| moved.replaced.get(&value).copied());
        remove_unused(partitioned);
    }
}

struct Moved {
    uses: IdVec<ValueId, u32>,
    /// What stands for a value now.
    replaced: FxHashMap<ValueId, ValueId>,
}

impl Moved {
    /// The reductions whose results an operation puts together, where it may come before them and less is sent then.
    fn terms(&self, partitioned: &Partitioned, id: OpId) -> Option<Vec<OpId>> {
        let module = &partitioned.module;
        let op = module.op(id);
        if op.operands().len() < 2 || op.results().len() != 1 || !op.regions().is_empty() {
            return None;
        }
        let mut terms: Vec<OpId> = Vec::with_capacity(op.operands().len());
        let mut sent = 0;
        for operand in op.operands() {
            let now = self.replaced.get(operand).copied().unwrap_or(*operand);
            let term = module.made_by(now)?;
            let kind = collective_kind(term)?;
            let allowed = match kind {
                CollectiveOp::AllReduce => true,
                // The operation itself changes its shape with its operands.
                CollectiveOp::ReduceScatter => matches!(op.def().eval, Eval::Elementwise(_)),
                _ => false,
            };
            if !allowed || self.uses[*operand] != 1 || term.operands().len() != 1 {
                return None;
            }
            let pattern = &collective(partitioned, term.id)?.pattern;
            if let Some(&first) = terms.first() {
                let alike = collective_kind(module.op(first)) == Some(kind)
                    && collective(partitioned, first)?.pattern == *pattern
                    && combine(module.op(first)) == combine(term)
                    && same_attributes(module, first, term.id)
                    && module.type_of(module.operands(first)[0]).as_tensor()?.elem
                        == term.operand_type(0).as_tensor()?.elem;
                if !alike {
                    return None;
                }
            }
            sent += device_bytes(module.type_of(now));
            terms.push(term.id);
        }
        let first = module.op(*terms.first()?);
        let all = u64::MAX >> 64usize.checked_sub(op.operands().len())?;
        let linear = (op.def().linear)(op, combine(first)?) == Linear::Together(all);
        let same_element = op.result_type(0).as_tensor()?.elem == first.result_type(0).as_tensor()?.elem;
        (linear && same_element && device_bytes(op.result_type(0)) < sent).then_some(terms)
    }

    /// Writes an operation anew on what was reduced, and one reduction after it.
    fn reduce_after(&mut self, partitioned: &mut Partitioned, op: OpId, terms: &[OpId]) -> [OpId; 2] {
        let module = &mut partitioned.module;
        let old = module.ops[op].clone();
        let result = old.results.at(0);
        let scatters = collective_kind(module.op(terms[0])) == Some(CollectiveOp::ReduceScatter);
        let mut sum = NewOp::new(old.kind);
        sum.operands = terms.iter().map(|term| module.operands(*term)[0]).collect();
        sum.result_types.push(if scatters {
            module.values[sum.operands[0]].ty
        } else {
            module.values[result].ty
        });
        (sum.attrs, sum.loc, sum.span) = (old.attrs, old.loc, old.span);
        let sum = module.add_op(sum);
        let first = module.ops[terms[0]].clone();
        let mut reduction = NewOp::new(first.kind);
        reduction.operands.push(module.ops[sum].results.at(0));
        reduction.result_types.push(module.values[result].ty);
        reduction.regions = module.regions_of(terms[0]).iter().copied().collect();
        (reduction.attrs, reduction.loc, reduction.span) = (first.attrs, first.loc, first.span);
        let reduction = module.add_op(reduction);
        let reduced = module.ops[reduction].results.at(0);
        while self.uses.len() < module.values.len() {
            self.uses.push(0);
        }
        self.uses[reduced] = self.uses[result];
        self.replaced.insert(result, reduced);
        if let Some(known) = collective(partitioned, terms[0]).cloned() {
            partitioned.collectives.push(Collective { op: reduction, ..known });
        }
        [sum, reduction]
    }
}
