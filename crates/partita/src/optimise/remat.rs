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
        // From the end, so that places stay what they are.
        found.sort_by_key(|again| std::cmp::Reverse(again.place));
        found.iter().for_each(|again| again.apply(module, region));
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
        for (&value, uses) in &lives.uses {
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

    fn apply(&self, module: &mut Module, region: RegionId) {
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
        let anew = names[&self.value];
        let mut later: Vec<OpId> = module.regions[region].ops[self.place..].to_vec();
        while let Some(op) = later.pop() {
            let renamed = |v: &ValueId| if *v == self.value { anew } else { *v };
            let operands: Vec<ValueId> = module.operands(op).iter().map(renamed).collect();
            module.set_operands(op, &operands);
            later.extend(module.regions_of(op).iter().flat_map(|inner| &module.regions[*inner].ops));
        }
        module.regions[region].ops.splice(self.place..self.place, new_ops);
    }
}

/// When the values of a region are made and used, by places of operations.
struct Lives {
    places: FxHashMap<OpId, usize>,
    /// Where each value is used, by operations or inside of them.
    uses: FxHashMap<ValueId, Vec<usize>>,
    region: RegionId,
}

impl Lives {
    fn new(module: &Module, region: RegionId) -> Lives {
        let ops = &module.regions[region].ops;
        let places = ops.iter().enumerate().map(|(place, op)| (*op, place)).collect();
        let mut uses: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
        for (place, &op) in ops.iter().enumerate() {
            for_each_operand(module, op, |v| uses.entry(v).or_default().push(place));
        }
        Lives { places, uses, region }
    }

    fn made_at(&self, module: &Module, value: ValueId) -> Option<usize> {
        match module.values[value].def {
            ValueDef::Result(op, _) => self.places.get(&op).copied(),
            ValueDef::Arg(..) => None,
        }
    }

    /// The place of the operation at which the values of the region, and those inside the operation, take the most.
    fn fullest(&self, module: &Module, region: RegionId) -> usize {
        let ops = &module.regions[region].ops;
        let inside = device_memory(module, FuncId::from_index(0), device_bytes).growth;
        let mut change = vec![0i128; ops.len() + 1];
        for (&value, uses) in &self.uses {
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
            let by = module.made_by(next).filter(|by| self.places.contains_key(&by.id))?;
            if !can_repeat(by, heavy) || ops.len() >= MOST_OPS {
                return None;
            }
            if ops.insert(by.id) {
                pending.extend(by.operands());
            }
        }
        let mut ops: Vec<OpId> = ops.into_iter().collect();
        ops.sort_by_key(|op| self.places[op]);
        from.sort_unstable();
        Some(Again { value, place, ops, from })
    }

    /// Whether a value is there at a place whatever is done here: it is used there or later, or comes from around the region.
    fn is_kept(&self, module: &Module, value: ValueId, place: usize) -> bool {
        let here = match module.values[value].def {
            ValueDef::Result(op, _) => self.places.contains_key(&op),
            ValueDef::Arg(region, _) => region == self.region,
        };
        !here || self.uses.get(&value).is_some_and(|uses| uses.iter().any(|n| *n >= place))
    }
}

/// Whether an operation gives the same again, by light work, or by a product where that is allowed.
fn can_repeat(op: OpRef<'_>, heavy: bool) -> bool {
    let plain = op.regions().is_empty() && !op.def().traits.effect && collective_kind(op).is_none();
    let unit = op.def().unit();
    plain && (matches!(unit, Unit::Elements | Unit::Nowhere) || heavy && unit == Unit::Matrix)
}
