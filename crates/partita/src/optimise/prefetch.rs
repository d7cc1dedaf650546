//! A stack of layers is gathered one layer ahead of its use.
//!
//! Where a loop over layers gathers the weights of each as it needs them, the device waits for them in every round. What is gathered
//! depends on nothing but the counter of the loop, so that it can be gathered one round before: the first layer before the loop, and in
//! each round the next one, which the loop carries. One layer more than the one in use is there at any time. The last round gathers
//! once more than is needed, for nothing in a loop can know which round is its last.

use super::edit::{Channels, Renamed, collective, collective_kind, copy, regions, set_channel};
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::Spread;
use crate::partition::{Collective, Partitioned, remove_unused};
use rustc_hash::FxHashSet;

/// Gathers ahead in every loop.
pub(super) fn run(partitioned: &mut Partitioned) {
    let mut channels = Channels::after(&partitioned.module);
    let mut changed = false;
    for region in regions(&partitioned.module) {
        let module = &partitioned.module;
        let is_loop = |op: &OpId| matches!(module.op(*op).def().spread, Spread::Loop);
        let loops: Vec<OpId> = module.regions[region].ops.iter().copied().filter(is_loop).collect();
        for op in loops {
            if let Some(ahead) = Ahead::find(partitioned, op) {
                ahead.apply(partitioned, region, &mut channels);
                changed = true;
            }
        }
    }
    if changed {
        remove_unused(partitioned);
    }
}

/// What a loop can gather ahead.
struct Ahead {
    op: OpId,
    /// The gathers, in the order of the body.
    gathers: Vec<OpId>,
    /// The numbers of the carries that count rounds.
    counters: Vec<usize>,
    /// The operations of the body that lead to what is gathered, and to the next round's counters.
    leading: Vec<OpId>,
}

impl Ahead {
    fn find(partitioned: &Partitioned, op: OpId) -> Option<Ahead> {
        let module = &partitioned.module;
        let &[_, body] = module.regions_of(op) else { return None };
        let ops = &module.regions[body].ops;
        let here: FxHashSet<OpId> = ops.iter().copied().collect();
        let args = module.regions[body].args;
        let returned = module.operands(*ops.last()?);
        let counts = |n: &usize| is_counter(module, body, &here, *n, returned[*n]);
        let counters: Vec<usize> = (0..args.len()).filter(counts).collect();
        // Which values follow from counters alone, and which of them change with the rounds.
        let mut follows: FxHashSet<ValueId> = counters.iter().map(|n| args.at(*n)).collect();
        let mut fixed: FxHashSet<ValueId> = FxHashSet::default();
        let mut gathers = Vec::new();
        for &id in ops {
            let op = module.op(id);
            let outside = |v: &ValueId| match module.values[*v].def {
                ValueDef::Result(def, _) => !here.contains(&def),
                ValueDef::Arg(region, _) => region != body,
            };
            let known = |v: &ValueId| follows.contains(v) || fixed.contains(v) || outside(v);
            if !op.operands().iter().all(known) {
                continue;
            }
            let changes = op.operands().iter().any(|v| follows.contains(v));
            if collective_kind(op) == Some(CollectiveOp::AllGather) && collective(partitioned, id).is_some() {
                if changes && op.results().len() == 1 {
                    gathers.push(id);
                }
            } else if is_plain(op) || (changes && is_known_permute(partitioned, op)) {
                let set = if changes { &mut follows } else { &mut fixed };
                set.extend(op.results());
            }
        }
        if gathers.is_empty() {
            return None;
        }
        let mut needed: FxHashSet<OpId> = FxHashSet::default();
        let mut pending: Vec<ValueId> = counters.iter().map(|n| returned[*n]).collect();
        pending.extend(gathers.iter().flat_map(|op| module.operands(*op)));
        while let Some(value) = pending.pop() {
            if let ValueDef::Result(def, _) = module.values[value].def
                && here.contains(&def)
                && needed.insert(def)
            {
                pending.extend(module.operands(def));
            }
        }
        let leading = ops.iter().copied().filter(|op| needed.contains(op)).collect();
        Some(Ahead { op, gathers, counters, leading })
    }

    fn apply(self, partitioned: &mut Partitioned, region: RegionId, channels: &mut Channels) {
        let module = &mut partitioned.module;
        let &[condition, body] = module.regions_of(self.op) else { return };
        let (Some(&last), old) = (module.regions[body].ops.last(), module.ops[self.op].clone()) else {
            return;
        };
        // The first layer, before the loop.
        let start: Vec<ValueId> = module.operands(self.op).to_vec();
        let args = module.regions[body].args;
        let mut names: Renamed = args.iter().zip(start.iter().copied()).collect();
        let (mut before, first) = self.gather(partitioned, &mut names, channels);
        // The loop carries one more value for each gather.
        let module = &mut partitioned.module;
        let mut replaced = Renamed::default();
        for of in [condition, body] {
            let old = module.regions[of].args;
            let unnamed =
                first.iter().map(|v| (module.values[*v].ty, ValueName::None, module.values[*v].loc));
            let kept = old.iter().map(|v| (module.values[v].ty, module.values[v].name, module.values[v].loc));
            let new: Vec<_> = kept.chain(unnamed).collect();
            let new = module.add_region_args(of, new);
            replaced.extend(old.iter().zip(new.iter()));
        }
        let carried = module.regions[body].args;
        for (n, gather) in self.gathers.iter().enumerate() {
            replaced.insert(module.ops[*gather].results.at(0), carried.at(args.len() + n));
        }
        // The next layer, first of all in the body: from the counters of the next round.
        let returned: Vec<ValueId> = module.operands(last).to_vec();
        let mut names: Renamed = args.iter().zip(carried.iter()).collect();
        let mut inside = Vec::new();
        let counted = self.counting(&partitioned.module);
        for &op in self.leading.iter().filter(|op| counted.contains(op)) {
            inside.push(copy(&mut partitioned.module, op, &mut names));
        }
        let next = |n: &usize| (args.at(*n), names.get(&returned[*n]).copied().unwrap_or(returned[*n]));
        let mut names: Renamed = self.counters.iter().map(next).collect();
        let (ops, ahead) = self.gather(partitioned, &mut names, channels);
        inside.extend(ops);
        let module = &mut partitioned.module;
        let mut end = NewOp::new(module.ops[last].kind);
        end.operands = returned.into_iter().chain(ahead).collect();
        (end.attrs, end.loc, end.span) =
            (module.ops[last].attrs.clone(), module.ops[last].loc, module.ops[last].span);
        let end = module.add_op(end);
        let ops = &mut module.regions[body].ops;
        ops.pop();
        ops.push(end);
        ops.splice(0..0, inside);
        let mut new = NewOp::new(old.kind);
        new.operands = start.into_iter().chain(first.iter().copied()).collect();
        let results = old.results.iter().chain(first.iter().copied());
        new.result_types = results.map(|v| module.values[v].ty).collect();
        new.regions.extend([condition, body]);
        (new.attrs, new.loc, new.span) = (old.attrs, old.loc, old.span);
        let new = module.add_op(new);
        replaced.extend(old.results.iter().zip(module.ops[new].results.iter()));
        module.replace_operands(|value| replaced.get(&value).copied());
        before.push(new);
        let ops = &mut module.regions[region].ops;
        if let Some(place) = ops.iter().position(|op| *op == self.op) {
            ops.splice(place..=place, before);
        }
    }

    /// Copies what leads to the gathers, and the gathers: the operations and what is gathered.
    fn gather(
        &self,
        partitioned: &mut Partitioned,
        names: &mut Renamed,
        channels: &mut Channels,
    ) -> (Vec<OpId>, Vec<ValueId>) {
        let mut ops = Vec::new();
        for &op in self.leading.iter().chain(&self.gathers) {
            let new = copy(&mut partitioned.module, op, names);
            if let Some(known) = collective(partitioned, op).cloned() {
                set_channel(&mut partitioned.module, new, channels.next());
                partitioned.collectives.push(Collective { op: new, ..known });
            }
            ops.push(new);
        }
        let results = |op: &OpId| partitioned.module.ops[*op].results.at(0);
        let gathered = ops[self.leading.len()..].iter().map(results).collect();
        (ops, gathered)
    }

    /// Those of the leading operations that the next round's counters need.
    fn counting(&self, module: &Module) -> FxHashSet<OpId> {
        let leading: FxHashSet<OpId> = self.leading.iter().copied().collect();
        let body = module.regions_of(self.op).last().and_then(|body| module.regions[*body].ops.last());
        let returned = body.map_or(&[][..], |last| module.operands(*last));
        let mut pending: Vec<ValueId> = self.counters.iter().map(|n| returned[*n]).collect();
        let mut found = FxHashSet::default();
        while let Some(value) = pending.pop() {
            if let ValueDef::Result(def, _) = module.values[value].def
                && leading.contains(&def)
                && found.insert(def)
            {
                pending.extend(module.operands(def));
            }
        }
        found
    }
}

/// Whether a carry of a loop with this body is an integer that the next round has from this round's and from nothing else that changes.
fn is_counter(module: &Module, body: RegionId, here: &FxHashSet<OpId>, n: usize, next: ValueId) -> bool {
    let arg = module.regions[body].args.at(n);
    let integer = module.tensor_type(arg).is_some_and(|ty| ty.rank() == 0 && ty.elem.is_int());
    let constant = |v: ValueId| match module.values[v].def {
        ValueDef::Result(op, _) => !here.contains(&op) || module.operands(op).is_empty(),
        ValueDef::Arg(region, _) => region != body,
    };
    let counts = |op: OpRef<'_>| is_plain(op) && op.operands().iter().all(|v| *v == arg || constant(*v));
    integer && next != arg && module.made_by(next).is_some_and(counts)
}

/// Whether an operation changes places of shards, as the partitioner says: what is gathered may have been moved before.
fn is_known_permute(partitioned: &Partitioned, op: OpRef<'_>) -> bool {
    collective_kind(op) == Some(CollectiveOp::Permute) && collective(partitioned, op.id).is_some()
}

/// Whether an operation gives results from its operands and does nothing else, on one device.
fn is_plain(op: OpRef<'_>) -> bool {
    let traits = &op.def().traits;
    op.regions().is_empty() && !traits.effect && !traits.terminator && collective_kind(op).is_none()
}
