//! Where partial results are combined: behind the linear operations that they go through, once for all that are added up.

use crate::complete::space::views::{ViewFactor, Views};
use crate::complete::subject::Subject;
use crate::ir::{Id, IdVec, OpId, ValueId};
use crate::ledger::device_bytes;
use crate::ops::Spread;
use crate::ops::linear::Linear;
use crate::ops::rule::{Combine, Kind};

/// Where the partial results of an operation are combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sink {
    /// The value that is combined.
    pub(super) value: ValueId,
    /// How many partial results are added up to it.
    pub(super) parts: u32,
}

/// Where the results of each operation that may leave partial ones are combined.
pub(super) fn sinks(subject: &Subject<'_>, views: &Views) -> IdVec<OpId, Option<Sink>> {
    let module = subject.module();
    let mut makes = IdVec::filled(false, module.ops.len());
    for id in subject.graph.node_ids() {
        let Some(op) = subject.graph.node(id).op else { continue };
        let view = views.of(id);
        let leaves = |f: &ViewFactor| match f.kind {
            Kind::Reduce(_) => true,
            Kind::Lookup => f.places.iter().all(|p| usize::from(p.tensor) < view.operands),
            _ => false,
        };
        makes[op] |= view.factors.iter().any(|f| f.size > 1 && leaves(f));
    }
    let mut uses: IdVec<ValueId, u32> = IdVec::filled(0, module.values.len());
    for op in module.ops.ids().filter(|op| subject.executions[*op] > 0) {
        module.operands(op).iter().for_each(|v| uses[*v] += 1);
    }
    let mut partial = IdVec::filled(false, module.values.len());
    let mut next: IdVec<ValueId, Option<ValueId>> = IdVec::filled(None, module.values.len());
    // Operations stand behind what they use.
    for id in module.ops.ids().filter(|op| subject.executions[*op] > 0) {
        let op = module.op(id);
        let &[result] = &op.results().collect::<Vec<_>>()[..] else { continue };
        if makes[id] {
            partial[result] = true;
            continue;
        }
        if !matches!(op.def().spread, Spread::Rule(..)) {
            continue;
        }
        let from: Vec<usize> = match (op.def().linear)(op, Combine::Add) {
            Linear::No => continue,
            Linear::Together(mask) => (0..op.operands().len()).filter(|n| mask >> n & 1 == 1).collect(),
            Linear::Each(mask) => {
                let carries = |n: &usize| mask >> n & 1 == 1 && partial[op.operands()[*n]];
                (0..op.operands().len()).filter(carries).take(1).collect()
            }
        };
        let size = |v: ValueId| device_bytes(module.type_of(v));
        let passes = |v: ValueId| partial[v] && uses[v] == 1 && size(result) <= size(v);
        if !from.is_empty() && from.iter().all(|n| passes(op.operands()[*n])) {
            partial[result] = true;
            from.iter().for_each(|n| next[op.operands()[*n]] = Some(result));
        }
    }
    let mut end: IdVec<ValueId, ValueId> = IdVec::new();
    module.values.ids().for_each(|v| {
        end.push(v);
    });
    for v in module.values.ids().rev() {
        if let Some(after) = next[v] {
            end[v] = if after.index() > v.index() { end[after] } else { after };
        }
    }
    let mut count: IdVec<ValueId, u64> = IdVec::filled(0, module.values.len());
    let made = |op: OpId| makes[op].then(|| module.op(op).results().next()).flatten();
    for op in module.ops.ids() {
        if let Some(v) = made(op) {
            count[end[v]] += subject.op_times(op);
        }
    }
    // Where layers stand for others, there may be as many sums.
    let sums = |v: ValueId| module.made_by(v).map_or(1, |op| subject.op_times(op.id));
    let parts = |v: ValueId| u32::try_from(count[v] / sums(v)).unwrap_or(u32::MAX).max(1);
    let mut sinks = IdVec::with_capacity(module.ops.len());
    for op in module.ops.ids() {
        sinks.push(made(op).map(|v| Sink { value: end[v], parts: parts(end[v]) }));
    }
    sinks
}
