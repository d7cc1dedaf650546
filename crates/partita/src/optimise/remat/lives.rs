//! When the values of a region are there, and how they can be made anew.

use super::{Again, Effort};
use crate::interpret::{CollectiveOp, DeviceMemory};
use crate::ir::*;
use crate::ops::Unit;
use crate::optimise::edit::{collective_kind, for_each_operand};
use rustc_hash::{FxHashMap, FxHashSet};

/// At most so many operations make one value anew.
const MOST_OPS: usize = 32;

/// A value that is there for a while and not used: behind one place, and before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) bytes: u64,
    pub(super) until: usize,
    pub(super) value: ValueId,
    pub(super) behind: usize,
}

/// When the values of a region are made and used, by places of operations.
pub(super) struct Lives {
    places: IdVec<OpId, Option<u32>>,
    /// Where each value is used, by operations or inside of them.
    uses: Lists<ValueId, usize>,
    region: RegionId,
}

impl Lives {
    pub(super) fn new(module: &Module, region: RegionId) -> Lives {
        let ops = &module.regions[region].ops;
        let mut places = IdVec::filled(None, module.ops.len());
        ops.iter().enumerate().for_each(|(place, op)| places[*op] = Some(place as u32));
        let uses = Lists::new(module.values.len(), |tell| {
            for (place, &op) in ops.iter().enumerate() {
                for_each_operand(module, op, |value| tell(value, place));
            }
        });
        Lives { places, uses, region }
    }

    /// The values that are used, with where that is.
    fn used(&self, module: &Module) -> impl Iterator<Item = (ValueId, &[usize])> {
        let uses = module.values.ids().map(|value| (value, self.uses.of(value)));
        uses.filter(|(_, uses)| !uses.is_empty())
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
    pub(super) fn gaps(&self, module: &Module, memory: &DeviceMemory, least: u64) -> Vec<Gap> {
        let mut last: FxHashMap<ValueId, (usize, ValueId)> = FxHashMap::default();
        let mut others: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (value, uses) in self.used(module) {
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
            for &until in self.uses.of(value) {
                if until > behind + 1 {
                    gaps.push(Gap { bytes: memory.room[owner], until, value, behind });
                }
                behind = behind.max(until);
            }
        }
        gaps
    }

    /// How a value is made anew before a place, of what is there then anyway.
    pub(super) fn again(
        &self,
        module: &Module,
        gap: &Gap,
        effort: Effort,
        memory: &DeviceMemory,
    ) -> Option<Again> {
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
            if !can_repeat(by, effort) || ops.len() >= MOST_OPS {
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

    /// Returns whether a value is there at a place whatever is done here: it is used there or later, or comes from around the region, as arguments of the program do.
    fn is_kept(&self, module: &Module, value: ValueId, place: usize) -> bool {
        let here = match module.values[value].def {
            ValueDef::Result(op, _) => self.place(op).is_some(),
            ValueDef::Arg(region, _) => {
                region == self.region
                    && module.funcs.iter().next().is_none_or(|func| func.body != Some(region))
            }
        };
        !here || self.uses.of(value).iter().any(|n| *n >= place)
    }
}

/// Returns whether an operation gives the same again by work of this effort.
fn can_repeat(op: OpRef<'_>, effort: Effort) -> bool {
    if let Some(kind) = collective_kind(op) {
        return kind == CollectiveOp::AllGather && op.operands().len() == 1 && effort >= Effort::Gathers;
    }
    let unit = op.def().unit();
    let is_allowed =
        matches!(unit, Unit::Elements | Unit::Nowhere) || effort >= Effort::Products && unit == Unit::Matrix;
    is_allowed && op.regions().is_empty() && !op.def().traits.effect
}
