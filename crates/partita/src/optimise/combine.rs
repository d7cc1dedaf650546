//! Small collectives become one.
//!
//! Starting a collective takes time whatever it sends. All-reduces or gathers along the same axes that follow one another, with nothing between that
//! waits for one of them or takes long, become one with several operands, at the place of the last: what each of them gives is used
//! later anyway. All of it is there at once, so that what is combined is bounded. Where it is known what the program runs on, light work may
//! stand between, and waits, as long as the program gets faster by it.

use super::edit::{collective, collective_kind, for_each_operand, regions, same_attributes, sort};
use super::target::Target;
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::{Spread, combine};
use crate::partition::{Collective, Partitioned};
use rustc_hash::{FxHashMap, FxHashSet};

/// Collectives are combined up to so many bytes, beyond which starting one is no matter.
const MOST_BYTES: u64 = 1 << 20;

/// So much work between two collectives takes as long as starting one: bytes read and written, and operations.
const WAIT_BYTES: f64 = 4e6;
const WAIT_FLOPS: f64 = 4e8;

/// Collectives that may become one.
struct Group {
    members: Vec<OpId>,
    /// What waits for them.
    after: FxHashSet<OpId>,
    bytes: u64,
    /// What is done between the first and here.
    waited: (f64, f64),
}

/// What may be combined.
struct Bounds {
    /// Up to so many bytes.
    bytes: u64,
    /// Whether what uses a collective may wait for the last one of its group.
    uses_wait: bool,
}

/// Combines collectives of every region.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    if let Some(target) = target {
        let old = partitioned.clone();
        if combine_all(partitioned, &Bounds { bytes: target.profile.combine_bytes, uses_wait: true }) {
            return target.order(partitioned);
        }
        *partitioned = old;
    }
    combine_all(partitioned, &Bounds { bytes: MOST_BYTES, uses_wait: false });
}

/// Whether it could be done: not where combined collectives would wait for one another.
fn combine_all(partitioned: &mut Partitioned, bounds: &Bounds) -> bool {
    let mut replaced = FxHashMap::default();
    for region in regions(&partitioned.module) {
        let groups = groups(partitioned, region, bounds);
        if groups.is_empty() {
            continue;
        }
        let mut gone: FxHashMap<OpId, Option<OpId>> = FxHashMap::default();
        for Group { members, .. } in &groups {
            let combined = combined(partitioned, members, &mut replaced);
            gone.extend(members.iter().map(|op| (*op, None)));
            gone.extend(members.last().map(|last| (*last, Some(combined))));
        }
        let ops = &mut partitioned.module.regions[region].ops;
        let new = ops.iter().filter_map(|op| gone.get(op).copied().unwrap_or(Some(*op)));
        *ops = new.collect();
        partitioned.collectives.retain(|c| !gone.contains_key(&c.op));
    }
    if replaced.is_empty() {
        return true;
    }
    partitioned.module.replace_operands(|value| replaced.get(&value).copied());
    let regions = regions(&partitioned.module);
    !bounds.uses_wait || regions.into_iter().all(|region| sort(&mut partitioned.module, region))
}

/// The collectives of a region that become one.
fn groups(partitioned: &Partitioned, region: RegionId, bounds: &Bounds) -> Vec<Group> {
    let module = &partitioned.module;
    let mut open: Vec<Group> = Vec::new();
    let mut found = Vec::new();
    let ops = &module.regions[region].ops;
    if !ops.iter().any(|op| collective(partitioned, *op).is_some()) {
        return found;
    }
    let mut close = |group: Group| {
        if group.members.len() > 1 {
            found.push(group);
        }
    };
    for &id in ops {
        let op = module.op(id);
        if !open.is_empty() {
            let work = (op.def().work)(op);
            let light = !matches!(op.def().spread, Spread::Loop | Spread::Branches | Spread::Region);
            let mut waiting: Vec<OpId> = Vec::new();
            for_each_operand(module, id, |v| {
                if let ValueDef::Result(def, _) = module.values[v].def {
                    waiting.push(def);
                }
            });
            let mut n = 0;
            while n < open.len() {
                let group = &mut open[n];
                group.waited.0 += work.bytes;
                group.waited.1 += work.flops;
                let late = !light
                    || !bounds.uses_wait && (group.waited.0 > WAIT_BYTES || group.waited.1 > WAIT_FLOPS);
                let waits = waiting.iter().any(|op| group.after.contains(op));
                if late || waits && !bounds.uses_wait {
                    close(open.remove(n));
                    continue;
                }
                if waits {
                    group.after.insert(id);
                }
                n += 1;
            }
        }
        let kind = collective_kind(op);
        match kind {
            Some(CollectiveOp::AllReduce) if combine(op).is_some() => {}
            Some(CollectiveOp::AllGather) => {}
            _ => continue,
        }
        let Some(own) = collective(partitioned, id) else { continue };
        let bytes: u64 = op.operand_types().map(device_bytes).sum();
        let alike = |group: &Group| {
            if group.after.contains(&id) {
                return false;
            }
            let first = module.op(group.members[0]);
            collective_kind(first) == kind
                && collective(partitioned, first.id).is_some_and(|c| c.pattern == own.pattern)
                && combine(first) == combine(op)
                && first.operand_tensor(0).elem == op.operand_tensor(0).elem
                && same_attributes(module, first.id, id)
        };
        let joined = open.iter().position(alike);
        match joined {
            Some(n) if open[n].bytes + bytes <= bounds.bytes && stays_apart(&mut open, n, id) => {
                open[n].members.push(id);
                open[n].after.insert(id);
                open[n].bytes += bytes;
            }
            known => {
                if let Some(n) = known {
                    close(open.remove(n));
                }
                let after = FxHashSet::from_iter([id]);
                open.push(Group { members: vec![id], after, bytes, waited: (0.0, 0.0) });
            }
        }
    }
    open.into_iter().for_each(close);
    found
}

/// Whether a collective may join a group, as far as other groups go. All of a group come after what one of them comes after: those that came
/// before must not wait for what waits for them.
fn stays_apart(open: &mut [Group], joined: usize, id: OpId) -> bool {
    let members = open[joined].members.clone();
    let mut apart = true;
    for (n, other) in open.iter_mut().enumerate() {
        if n == joined {
            continue;
        }
        let after = members.iter().filter(|op| other.after.contains(op)).count();
        if after > 0 {
            other.after.insert(id);
        }
        apart &= after == members.len() || !other.after.contains(&id);
    }
    apart
}

/// Adds one collective with the operands of several; says what stands for their results.
fn combined(
    partitioned: &mut Partitioned,
    members: &[OpId],
    replaced: &mut FxHashMap<ValueId, ValueId>,
) -> OpId {
    let module = &mut partitioned.module;
    let last = members[members.len() - 1];
    let mut new = NewOp::new(module.ops[last].kind);
    let mut results = Vec::new();
    for &member in members {
        new.operands.extend(module.operands(member).iter().copied());
        for result in module.ops[member].results.iter() {
            new.result_types.push(module.values[result].ty);
            results.push(result);
        }
    }
    new.regions = module.regions_of(last).iter().copied().collect();
    let old = &module.ops[last];
    (new.attrs, new.loc, new.span) = (old.attrs.clone(), old.loc, old.span);
    let op = module.add_op(new);
    replaced.extend(results.into_iter().zip(module.ops[op].results.iter()));
    // The largest says why it is there.
    let bytes = |op: &OpId| -> u64 { module.op(*op).operand_types().map(device_bytes).sum() };
    let main = members.iter().copied().max_by_key(|op| (bytes(op), std::cmp::Reverse(*op)));
    if let Some(known) = main.and_then(|op| collective(partitioned, op)).cloned() {
        let replicates = members.iter().any(|op| collective(partitioned, *op).is_some_and(|c| c.replicates));
        partitioned.collectives.push(Collective { op, replicates, ..known });
    }
    op
}
