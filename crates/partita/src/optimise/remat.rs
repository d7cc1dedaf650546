//! What is cheap to compute is computed again instead of being kept.
//!
//! Where a program holds more than a device has, values are looked for that are kept past the moments at which it holds too much, and that light
//! work makes of others that are kept anyway. They are made anew before their next use, the largest first, until the program
//! fits; where light work does not suffice, products are done again too. What is made anew hides its operands behind a
//! barrier, so that no compiler takes it for what was made before.

use super::edit::{collective_kind, copy, for_each_operand, regions};
use super::target::Target;
use crate::interpret::{DeviceMemory, device_memory};
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::{Memory, device_bytes};
use crate::ops::{OpKind, Unit};
use crate::partition::Partitioned;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;

/// At most so many operations make one value anew.
const MOST_OPS: usize = 32;

/// In one region so many attempts may bring nothing, or little, before others are looked at.
const MOST_FAILURES: usize = 16;

/// Less than this part of what is missing is little.
const LITTLE: f64 = 0.05;

/// Values that take less than this part of what is missing are kept.
const TOO_SMALL: f64 = 1e-4;

/// What is missing is found in so many steps.
const STEPS: u64 = 8;

/// Regions that hold less than this part of all are left alone: elements of reductions, conditions.
const NEXT_TO_NOTHING: f64 = 1e-3;

/// Makes values anew until a program fits the memory of its device.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    let Some(target) = target else { return };
    let mut peak = Memory::new(&partitioned.module).peak;
    for heavy in [false, true] {
        if peak <= target.memory {
            return;
        }
        let holds = memory(&partitioned.module).growth;
        let little = (NEXT_TO_NOTHING * peak as f64) as u64;
        let large = |region: &RegionId| holds[*region] > little;
        for region in regions(&partitioned.module).into_iter().filter(large) {
            fit(&mut partitioned.module, region, heavy, &mut peak, target.memory);
        }
    }
}

/// What a program holds, and when.
fn memory(module: &Module) -> DeviceMemory {
    device_memory(module, FuncId::from_index(0), device_bytes)
}

/// Makes values of a region anew until its program, which holds so much, fits. All at a time that it takes if each gains its size, and fewer, the
/// largest, where together they gain nothing.
fn fit(module: &mut Module, region: RegionId, heavy: bool, peak: &mut u64, limit: u64) {
    let mut hopeless: FxHashSet<ValueId> = FxHashSet::default();
    let (mut at_once, mut failures) = (usize::MAX, 0);
    while *peak > limit && failures < MOST_FAILURES {
        let missing = *peak - limit;
        let mut found = Again::find(module, region, heavy, &hopeless, missing);
        found.sort_by_key(|again| (std::cmp::Reverse(again.bytes), again.value, again.place));
        found.truncate(at_once);
        if found.is_empty() {
            return;
        }
        let old = module.clone();
        found.sort_by_key(|again| again.place);
        apply(&found, module, region);
        let now = Memory::new(module).peak;
        let gain = peak.saturating_sub(now);
        failures += usize::from((gain as f64) < LITTLE * missing as f64);
        if gain > 0 {
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

/// A value that is there for a while and not used: behind one place, and before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gap {
    bytes: u64,
    until: usize,
    value: ValueId,
    behind: usize,
}

impl Again {
    /// Values of a region to make anew, so that it holds so much less at most. None of them is what another is made of.
    ///
    /// It is brought down step by step, so that the places at which it holds the most choose first, and no further once one of them is in the way.
    fn find(
        module: &Module,
        region: RegionId,
        heavy: bool,
        hopeless: &FxHashSet<ValueId>,
        missing: u64,
    ) -> Vec<Again> {
        let lives = Lives::new(module, region);
        let memory = memory(module);
        let held: Vec<u64> = module.regions[region].ops.iter().map(|op| memory.held[*op]).collect();
        let most = held.iter().copied().max().unwrap_or(0);
        let mut gaps = lives.gaps(module, &memory, (TOO_SMALL * missing as f64) as u64);
        gaps.retain(|gap| !hopeless.contains(&gap.value));
        gaps.sort_by_key(|gap| (gap.behind, *gap));
        let mut plan =
            Plan { held, gaps, found: Vec::new(), values: FxHashSet::default(), from: FxHashSet::default() };
        let again = |gap: &Gap| lives.again(module, gap, heavy, &memory);
        for step in 1..=STEPS {
            if !plan.bring_down(most.saturating_sub(missing / STEPS * step), again) {
                break;
            }
        }
        plan.found
    }

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

/// What is to be made anew, as far as it is decided.
struct Plan {
    /// What the region holds at each place.
    held: Vec<u64>,
    /// What may be made anew yet, by where it begins.
    gaps: Vec<Gap>,
    found: Vec<Again>,
    /// What is made anew, and what that is made of.
    values: FxHashSet<ValueId>,
    from: FxHashSet<ValueId>,
}

impl Plan {
    /// Keeps less, from the first place to the last, wherever more is held than allowed: the largest values are not kept that are not used there. Gives whether that is enough everywhere.
    fn bring_down(&mut self, goal: u64, again: impl Fn(&Gap) -> Option<Again>) -> bool {
        let mut open: BinaryHeap<(Gap, usize)> = BinaryHeap::new();
        let mut gone = vec![false; self.gaps.len()];
        let (mut next, mut enough) = (0, true);
        for place in 0..self.held.len() {
            while self.gaps.get(next).is_some_and(|gap| gap.behind < place) {
                open.push((self.gaps[next], next));
                next += 1;
            }
            while self.held[place] > goal {
                let Some((gap, number)) = open.pop() else {
                    enough = false;
                    break;
                };
                if gap.until <= place || self.from.contains(&gap.value) {
                    continue;
                }
                let Some(again) = again(&gap) else {
                    gone[number] = true;
                    continue;
                };
                // To make it anew takes room as well, and must not be worse there than it is here to keep it.
                let worse = again.aside > 0 && self.held[gap.until] + again.aside >= self.held[place];
                if worse || again.from.iter().any(|value| self.values.contains(value)) {
                    continue;
                }
                gone[number] = true;
                self.held[gap.behind + 1..gap.until]
                    .iter_mut()
                    .for_each(|held| *held = held.saturating_sub(gap.bytes));
                self.held[gap.until] += again.aside;
                self.values.insert(gap.value);
                self.from.extend(again.from.iter().copied());
                self.found.push(again);
            }
        }
        let mut numbers = gone.into_iter();
        self.gaps.retain(|_| numbers.next() != Some(true));
        enough
    }
}

/// Makes values of a region anew, sorted by the places from which on the new ones are taken.
fn apply(found: &[Again], module: &mut Module, region: RegionId) {
    // All are copied before anything gets another name.
    let made: Vec<(Vec<OpId>, ValueId)> = found.iter().map(|again| again.make(module)).collect();
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
}

/// Gives the operands of an operation, and of those inside, their new names.
fn rename(module: &mut Module, op: OpId, names: &FxHashMap<ValueId, ValueId>) {
    if names.is_empty() {
        return;
    }
    let mut pending = vec![op];
    while let Some(op) = pending.pop() {
        if module.operands(op).iter().any(|value| names.contains_key(value)) {
            let renamed = |value: &ValueId| names.get(value).copied().unwrap_or(*value);
            let operands: Vec<ValueId> = module.operands(op).iter().map(renamed).collect();
            module.set_operands(op, &operands);
        }
        pending.extend(module.regions_of(op).iter().flat_map(|inner| &module.regions[*inner].ops));
    }
}

/// When the values of a region are made and used, by places of operations.
struct Lives {
    places: IdVec<OpId, Option<u32>>,
    /// Where each value is used, by operations or inside of them: what of the list is of it.
    uses: IdVec<ValueId, (u32, u32)>,
    list: Vec<usize>,
    region: RegionId,
}

impl Lives {
    fn new(module: &Module, region: RegionId) -> Lives {
        let ops = &module.regions[region].ops;
        let mut places = IdVec::filled(None, module.ops.len());
        let mut uses: IdVec<ValueId, (u32, u32)> = IdVec::filled((0, 0), module.values.len());
        for (place, &op) in ops.iter().enumerate() {
            places[op] = Some(place as u32);
            for_each_operand(module, op, |v| uses[v].1 += 1);
        }
        let mut all = 0;
        for value in module.values.ids() {
            let count = uses[value].1;
            uses[value] = (all, all);
            all += count;
        }
        let mut list = vec![0; all as usize];
        for (place, &op) in ops.iter().enumerate() {
            for_each_operand(module, op, |v| {
                list[uses[v].1 as usize] = place;
                uses[v].1 += 1;
            });
        }
        Lives { places, uses, list, region }
    }

    /// Where a value is used.
    fn uses(&self, value: ValueId) -> &[usize] {
        let (start, end) = self.uses[value];
        &self.list[start as usize..end as usize]
    }

    /// The values that are used, with where that is.
    fn used(&self) -> impl Iterator<Item = (ValueId, &[usize])> {
        self.uses.ids().map(|value| (value, self.uses(value))).filter(|(_, uses)| !uses.is_empty())
    }

    fn place(&self, op: OpId) -> Option<usize> {
        self.places[op].map(|place| place as usize)
    }

    fn made_at(&self, module: &Module, value: ValueId) -> Option<usize> {
        match module.values[value].def {
            ValueDef::Result(op, _) => self.place(op),
            ValueDef::Arg(..) => None,
        }
    }

    /// When values that take at least so much are there and not used. Of values that share their bytes it is the one that is used last that counts, once the others are used no more.
    fn gaps(&self, module: &Module, memory: &DeviceMemory, least: u64) -> Vec<Gap> {
        let mut last: FxHashMap<ValueId, (usize, ValueId)> = FxHashMap::default();
        let mut others: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (value, uses) in self.used() {
            let owner = memory.owner[value];
            let large = memory.room[owner] >= least.max(1) && self.made_at(module, owner).is_some();
            let Some(&end) = uses.last().filter(|_| large) else { continue };
            let before = match last.get(&owner) {
                Some((known, _)) if *known >= end => Some(end),
                _ => last.insert(owner, (end, value)).map(|(known, _)| known),
            };
            if let Some(before) = before {
                let other = others.entry(owner).or_default();
                *other = before.max(*other);
            }
        }
        let mut gaps = Vec::new();
        for (owner, (_, value)) in last {
            let Some(made) = self.made_at(module, value) else { continue };
            let mut behind = made.max(others.get(&owner).copied().unwrap_or(0));
            for &until in self.uses(value) {
                if until > behind + 1 {
                    gaps.push(Gap { bytes: memory.room[owner], until, value, behind });
                }
                behind = behind.max(until);
            }
        }
        gaps
    }

    /// How a value is made anew before a place, of what is there then anyway.
    fn again(&self, module: &Module, gap: &Gap, heavy: bool, memory: &DeviceMemory) -> Option<Again> {
        let Gap { value, bytes, until: place, .. } = *gap;
        let (mut ops, mut from) = (FxHashSet::default(), Vec::new());
        let mut pending = vec![value];
        while let Some(next) = pending.pop() {
            if next != value && self.is_kept(module, next, place) {
                if !from.contains(&next) {
                    from.push(next);
                }
                continue;
            }
            let by = module.made_by(next).filter(|by| self.place(by.id).is_some())?;
            if !can_repeat(by, heavy) || ops.len() >= MOST_OPS {
                return None;
            }
            if ops.insert(by.id) {
                pending.extend(by.operands());
            }
        }
        let mut ops: Vec<OpId> = ops.into_iter().collect();
        ops.sort_by_key(|op| self.place(*op));
        from.sort_unstable();
        let results = ops.iter().flat_map(|op| module.ops[*op].results.iter());
        let aside =
            results.filter(|other| *other != value).map(|other| memory.room[other]).max().unwrap_or(0);
        Some(Again { value, bytes, place, ops, from, aside })
    }

    /// Whether a value is there at a place whatever is done here: it is used there or later, or comes from around the region.
    fn is_kept(&self, module: &Module, value: ValueId, place: usize) -> bool {
        let here = match module.values[value].def {
            ValueDef::Result(op, _) => self.place(op).is_some(),
            ValueDef::Arg(region, _) => region == self.region,
        };
        !here || self.uses(value).iter().any(|n| *n >= place)
    }
}

/// Whether an operation gives the same again, by light work, or by a product where that is allowed.
fn can_repeat(op: OpRef<'_>, heavy: bool) -> bool {
    let plain = op.regions().is_empty() && !op.def().traits.effect && collective_kind(op).is_none();
    let unit = op.def().unit();
    plain && (matches!(unit, Unit::Elements | Unit::Nowhere) || heavy && unit == Unit::Matrix)
}
