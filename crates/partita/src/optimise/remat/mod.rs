//! What is cheap to compute is computed again instead of being kept.
//!
//! Where a program holds more than a device has, values are looked for that are kept past the moments at which it holds too much, and that light
//! work makes of others that are kept anyway. They are made anew before their next use, the largest first, until the program
//! fits; where light work does not suffice, what was gathered is gathered again, and where that does not suffice either, products are done again. What is made anew hides its operands behind a
//! barrier, so that no compiler takes it for what was made before.

mod lives;
mod plan;

use super::edit::{Channels, collective, copy, regions, rename, set_channel};
use crate::interpret::{DeviceMemory, device_memory};
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::{Memory, device_bytes};
use crate::ops::OpKind;
use crate::partition::{Collective, Partitioned};
use rustc_hash::{FxHashMap, FxHashSet};

/// In one region so many attempts may bring nothing, or little, before others are looked at.
const MOST_FAILURES: usize = 16;

/// Less than this part of what is missing is little.
const LITTLE: f64 = 0.05;

/// Regions that hold less than this part of all are left alone: elements of reductions, conditions.
const NEXT_TO_NOTHING: f64 = 1e-3;

/// Work that may be done again for the sake of memory; each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    /// Light work.
    Elements,
    /// All-gathers: users of fully sharded weights gather them once more for the backward pass.
    Gathers,
    /// Products.
    Products,
}

/// Copies of operations, with what they are copies of.
type Copies = FxHashMap<OpId, OpId>;

/// Makes values anew until a program holds no more than the limit.
pub(super) fn run(partitioned: &mut Partitioned, limit: u64) {
    let mut peak = Memory::new(&partitioned.module).peak;
    let mut copies = Copies::default();
    for effort in [Effort::Elements, Effort::Gathers, Effort::Products] {
        if peak <= limit {
            break;
        }
        let holds = memory(&partitioned.module).growth;
        let little = (NEXT_TO_NOTHING * peak as f64) as u64;
        let large = |region: &RegionId| holds[*region] > little;
        for region in regions(&partitioned.module).into_iter().filter(large) {
            fit(&mut partitioned.module, region, effort, &mut peak, limit, &mut copies);
        }
    }
    remember_collectives(partitioned, &copies);
}

/// Adds the copies of collectives to those that are remembered, each with a channel of its own.
fn remember_collectives(partitioned: &mut Partitioned, copies: &Copies) {
    let mut channels = Channels::after(&partitioned.module);
    for op in partitioned.module.reachable_ops() {
        let mut first = op;
        while let Some(&of) = copies.get(&first) {
            first = of;
        }
        if first != op
            && let Some(known) = collective(partitioned, first).cloned()
        {
            set_channel(&mut partitioned.module, op, channels.next());
            partitioned.collectives.push(Collective { op, ..known });
        }
    }
    partitioned.collectives.sort_by_key(|known| known.op);
}

/// What a program holds, and when.
fn memory(module: &Module) -> DeviceMemory {
    device_memory(module, FuncId::from_index(0), device_bytes)
}

/// Makes values of a region anew until its program, which holds so much, fits. All at a time that it takes if each gains its size, and fewer, the
/// largest, where together they gain nothing.
fn fit(
    module: &mut Module,
    region: RegionId,
    effort: Effort,
    peak: &mut u64,
    limit: u64,
    copies: &mut Copies,
) {
    let mut hopeless: FxHashSet<ValueId> = FxHashSet::default();
    let (mut at_once, mut failures) = (usize::MAX, 0);
    while *peak > limit && failures < MOST_FAILURES {
        let missing = *peak - limit;
        let mut found = plan::find(module, region, effort, &hopeless, missing);
        found.sort_by_key(|again| (std::cmp::Reverse(again.bytes), again.value, again.place));
        found.truncate(at_once);
        if found.is_empty() {
            return;
        }
        let old = module.clone();
        found.sort_by_key(|again| again.place);
        let made = apply(&found, module, region);
        let now = Memory::new(module).peak;
        let gain = peak.saturating_sub(now);
        failures += usize::from((gain as f64) < LITTLE * missing as f64);
        if gain > 0 {
            copies.extend(made);
            *peak = now;
            at_once = usize::MAX;
        } else {
            *module = old;
            at_once = (found.len() / 4).max(1);
            if let [only] = &found[..] {
                hopeless.insert(only.value);
            }
        }
    }
}

/// A value that is made anew before a use.
struct Again {
    value: ValueId,
    /// What it takes.
    bytes: u64,
    /// The place of the use: those from there on take the new one.
    place: usize,
    /// The operations that make it, in their order.
    ops: Vec<OpId>,
    /// What they are made of, and is there anyway.
    from: Vec<ValueId>,
    /// What is there besides when it is made anew: the largest value on the way.
    aside: u64,
}

impl Again {
    /// Makes the value anew; gives the operations that do, and its new name.
    fn make(&self, module: &mut Module) -> (Vec<OpId>, ValueId) {
        let mut names: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let mut new_ops = Vec::new();
        if !self.from.is_empty() {
            let mut barrier = NewOp::new(OpKind::OptimizationBarrier);
            barrier.operands = self.from.iter().copied().collect();
            barrier.result_types = self.from.iter().map(|v| module.values[*v].ty).collect();
            barrier.loc = module.values[self.value].loc;
            let barrier = module.add_op(barrier);
            names.extend(self.from.iter().copied().zip(module.ops[barrier].results.iter()));
            new_ops.push(barrier);
        }
        new_ops.extend(self.ops.iter().map(|op| copy(module, *op, &mut names)));
        (new_ops, names[&self.value])
    }
}

/// Makes values of a region anew, sorted by the places from which on the new ones are taken; gives the copies of operations.
fn apply(found: &[Again], module: &mut Module, region: RegionId) -> Copies {
    // All are copied before anything gets another name.
    let made: Vec<(Vec<OpId>, ValueId)> = found.iter().map(|again| again.make(module)).collect();
    let mut copies = Copies::default();
    for (again, (new, _)) in found.iter().zip(&made) {
        // A barrier comes first where there is one.
        copies.extend(new[new.len() - again.ops.len()..].iter().copied().zip(again.ops.iter().copied()));
    }
    let ops = std::mem::take(&mut module.regions[region].ops);
    let mut all = Vec::with_capacity(ops.len() + made.iter().map(|(ops, _)| ops.len()).sum::<usize>());
    let mut anew: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut next = found.iter().zip(made).peekable();
    for (place, op) in ops.into_iter().enumerate() {
        while let Some((again, (made, value))) = next.next_if(|(again, _)| again.place == place) {
            made.iter().for_each(|op| rename(module, *op, &anew));
            all.extend(made);
            anew.insert(again.value, value);
        }
        rename(module, op, &anew);
        all.push(op);
    }
    module.regions[region].ops = all;
    copies
}
