//! What is cheap to compute is computed again instead of being kept.
//!
//! Where a program holds more than a device has, values are looked for that are kept past the moment at which it holds the most, and that light
//! work makes of others that are kept anyway. They are made anew before their next use, the largest first, until the program
//! fits; where light work does not suffice, products are done again too. What is made anew hides its operands behind a
//! barrier, so that no compiler takes it for what was made before.

use super::edit::{collective_kind, copy, for_each_operand, regions};
use super::target::Target;
use crate::interpret::device_memory;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::{Memory, device_bytes};
use crate::ops::{OpKind, Unit};
use crate::partition::Partitioned;
use rustc_hash::{FxHashMap, FxHashSet};

/// At most so many operations make one value anew.
const MOST_OPS: usize = 32;

/// In one region so many values may turn out to be no gain before others are looked at.
const MOST_FAILURES: usize = 16;

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
        let holds = device_memory(&partitioned.module, FuncId::from_index(0), device_bytes).growth;
        let little = (NEXT_TO_NOTHING * peak as f64) as u64;
        let large = |region: &RegionId| holds[*region] > little;
        for region in regions(&partitioned.module).into_iter().filter(large) {
            fit(&mut partitioned.module, region, heavy, &mut peak, target.memory);
        }
    }
}

/// Makes values of a region anew until its program, which holds so much, fits. Several at a time: as many as it takes if each gains its size, and fewer
/// where together they gain nothing.
fn fit(module: &mut Module, region: RegionId, heavy: bool, peak: &mut u64, memory: u64) {
    let mut hopeless: FxHashSet<ValueId> = FxHashSet::default();
    let mut at_once = usize::MAX;
    while *peak > memory && hopeless.len() < MOST_FAILURES {
        let mut found = Again::find(module, region, heavy, &hopeless, *peak - memory);
        found.truncate(at_once);
        let Some(largest) = found.first().map(|again| again.value) else { return };
        let old = module.clone();
        found.sort_by_key(|again| again.place);
        apply(&found, module, region);
        let now = Memory::new(module).peak;
        if now < *peak {
            *peak = now;
            at_once = usize::MAX;
            continue;
        }
        *module = old;
        if found.len() == 1 {
            hopeless.insert(largest);
        }
        at_once = (found.len() / 2).max(1);
    }
}

/// A value that is made anew before a use.
struct Again {
    value: ValueId,
    /// The place of the use: those from there on take the new one.
    place: usize,
    /// The operations that make it, in their order.
    ops: Vec<OpId>,
    /// What they are made of, and is there anyway.
    from: Vec<ValueId>,
}

impl Again {
    /// The largest values of a region that are kept across the moment at which it holds the most, and can be made anew, until they make up so many
    /// bytes; none of them is what another is made of.
    fn find(
        module: &Module,
        region: RegionId,
        heavy: bool,
        hopeless: &FxHashSet<ValueId>,
        bytes: u64,
    ) -> Vec<Again> {
        let lives = Lives::new(module, region);
        let moment = lives.fullest(module, region);
        let mut kept: Vec<(u64, ValueId, usize)> = Vec::new();
        for (value, uses) in lives.used() {
            let Some(made) = lives.made_at(module, value).filter(|_| !hopeless.contains(&value)) else {
                continue;
            };
            let before = uses.iter().copied().filter(|n| *n <= moment).max().unwrap_or(made);
            let next = uses.iter().copied().filter(|n| *n > moment).min();
            if let Some(next) = next.filter(|_| made < moment && before < moment) {
                kept.push((device_bytes(module.type_of(value)), value, next));
            }
        }
        kept.sort_by_key(|(bytes, value, _)| (std::cmp::Reverse(*bytes), *value));
        let (mut found, mut sum): (Vec<Again>, u64) = (Vec::new(), 0);
        let (mut values, mut from) = (FxHashSet::default(), FxHashSet::default());
        for (size, value, place) in kept {
            if sum >= bytes {
                break;
            }
            let Some(again) = lives.again(module, value, place, heavy) else { continue };
            if !from.contains(&value) && !again.from.iter().any(|v| values.contains(v)) {
                values.insert(value);
                from.extend(again.from.iter().copied());
                sum = sum.saturating_add(size);
                found.push(again);
            }
        }
        found
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

    /// The place of the operation at which the values of the region, and those inside the operation, take the most.
    fn fullest(&self, module: &Module, region: RegionId) -> usize {
        let ops = &module.regions[region].ops;
        let inside = device_memory(module, FuncId::from_index(0), device_bytes).growth;
        let mut change = vec![0i128; ops.len() + 1];
        for (value, uses) in self.used() {
            let Some(made) = self.made_at(module, value) else { continue };
            let bytes = i128::from(device_bytes(module.type_of(value)));
            change[made] += bytes;
            change[uses.iter().copied().max().unwrap_or(made) + 1] -= bytes;
        }
        let (mut held, mut most) = (0, (0, 0));
        for (place, &op) in ops.iter().enumerate() {
            held += change[place];
            let grows = module.regions_of(op).iter().map(|r| i128::from(inside[*r])).max().unwrap_or(0);
            most = most.max((held + grows, place));
        }
        most.1
    }

    /// How a value is made anew before a place, of what is there then anyway.
    fn again(&self, module: &Module, value: ValueId, place: usize, heavy: bool) -> Option<Again> {
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
        Some(Again { value, place, ops, from })
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
