//! What is alive when most is: the values at a few moments of the program, by kind.

use crate::complete::space::{KindId, Space};
use crate::complete::subject::Subject;
use crate::ir::{Id, IdVec, Module, OpId, RegionId, ValueId};
use crate::ledger::device_bytes;
use crate::ops::{Flow, Spread};
use rustc_hash::FxHashMap;

/// So many moments are kept: which of them holds most depends on the plan.
const MOMENTS: usize = 16;

/// Values that are alive together, at a few moments.
pub(super) struct Snapshots {
    moments: Vec<Vec<(KindId, u64)>>,
}

impl Snapshots {
    /// The moments of a program at which most is alive.
    pub(super) fn new(subject: &Subject<'_>, space: &Space) -> Snapshots {
        let module = subject.module();
        let Some(body) = module.funcs.iter().next().and_then(|f| f.body) else {
            return Snapshots { moments: Vec::new() };
        };
        let mut order = Vec::new();
        flatten(module, body, &mut order);
        // From where to where each value lives.
        let mut life: IdVec<ValueId, Option<(u32, u32)>> = IdVec::filled(None, module.values.len());
        for (time, &op) in order.iter().enumerate() {
            let time = time as u32;
            if takes_room(subject, op) {
                module.ops[op].results.iter().for_each(|v| life[v] = Some((time, time)));
            }
            for &operand in module.operands(op) {
                // A view keeps what it shows.
                let mut value = operand;
                while life[value].is_none()
                    && let Some(maker) = module.made_by(value)
                    && let Some(&source) = maker.operands().first()
                {
                    value = source;
                }
                if let Some((_, end)) = &mut life[value] {
                    *end = time;
                }
            }
        }
        let alive = |start: u32, end: u32| subject.times_alive(order[start as usize], order[end as usize]);
        let mut change = vec![0i64; order.len() + 1];
        for (value, life) in life.enumerate() {
            if let Some((start, end)) = life {
                let bytes = device_bytes(module.type_of(value)).saturating_mul(alive(*start, *end)) as i64;
                change[*start as usize] += bytes;
                change[*end as usize + 1] -= bytes;
            }
        }
        let mut most = Vec::new();
        let mut now = 0;
        let stretch = order.len().div_ceil(MOMENTS).max(1);
        for (time, delta) in change.iter().enumerate().take(order.len()) {
            now += delta;
            if time % stretch == 0 {
                most.push((now, time as u32));
            }
            if let Some(last) = most.last_mut().filter(|last| now > last.0) {
                *last = (now, time as u32);
            }
        }
        let mut moments = vec![FxHashMap::<KindId, u64>::default(); most.len()];
        for (value, life) in life.enumerate() {
            let Some((start, end)) = life else { continue };
            let slot = subject.graph.value_slot(value);
            let Some(kind) = slot.and_then(|s| space.slot_kinds[s.index()]) else { continue };
            for (moment, (_, time)) in moments.iter_mut().zip(&most) {
                if (start..=end).contains(&time) {
                    *moment.entry(kind).or_default() += alive(*start, *end);
                }
            }
        }
        let sorted = |moment: FxHashMap<KindId, u64>| {
            let mut list: Vec<(KindId, u64)> = moment.into_iter().collect();
            list.sort_unstable();
            list
        };
        Snapshots { moments: moments.into_iter().map(sorted).collect() }
    }

    /// The kinds of values, with their numbers, at the moment at which most is alive.
    pub(super) fn fullest(&self, bytes: &dyn Fn(KindId) -> u64) -> &[(KindId, u64)] {
        let sum = |moment: &&Vec<(KindId, u64)>| moment.iter().map(|(kind, n)| bytes(*kind) * n).sum::<u64>();
        self.moments.iter().max_by_key(sum).map_or(&[], Vec::as_slice)
    }

    /// The most bytes alive at any of the moments.
    pub(super) fn most(&self, bytes: &dyn Fn(KindId) -> u64) -> u64 {
        let sum = |moment: &Vec<(KindId, u64)>| moment.iter().map(|(kind, n)| bytes(*kind) * n).sum();
        self.moments.iter().map(sum).max().unwrap_or(0)
    }
}

/// The operations of a region and the regions inside, in the order in which they run.
fn flatten(module: &Module, region: RegionId, order: &mut Vec<OpId>) {
    for &op in &module.regions[region].ops {
        // What regions of reductions and the like hold is elements.
        if !matches!(module.op(op).def().spread, Spread::Rule(..)) {
            module.regions_of(op).iter().for_each(|r| flatten(module, *r, order));
        }
        order.push(op);
    }
}

/// Whether the results of an operation take room of their own: not what is another value under a new name, or is made where it is used.
fn takes_room(subject: &Subject<'_>, op: OpId) -> bool {
    match subject.module().op(op).def().spread {
        Spread::Rule(_, Flow::Broadcast) => {
            subject.module().op(op).operand_types().any(|t| device_bytes(t) > 1024)
        }
        Spread::Rule(..) | Spread::Loop | Spread::Branches | Spread::Whole(_) => true,
        _ => false,
    }
}
