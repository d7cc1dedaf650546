//! What passes share that change a per-device program.

use crate::interpret::{CollectiveOp, DriverOp};
use crate::ir::attr::ChannelHandle;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::Eval;
use crate::partition::{Collective, Emit, Partitioned, Purpose};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Every region that is there, those of functions first.
pub(super) fn regions(module: &Module) -> Vec<RegionId> {
    let bodies = module.funcs.iter().filter_map(|func| func.body);
    let nested = module.reachable_ops().into_iter().flat_map(|op| module.regions_of(op).iter().copied());
    bodies.chain(nested).collect()
}

/// What is remembered of a collective. They are remembered in the order of their operations.
pub(super) fn collective(partitioned: &Partitioned, op: OpId) -> Option<&Collective> {
    let collectives = &partitioned.collectives;
    collectives.binary_search_by_key(&op, |c| c.op).ok().map(|n| &collectives[n])
}

/// Which collective an operation is.
pub(super) fn collective_kind(op: OpRef<'_>) -> Option<CollectiveOp> {
    match op.def().eval {
        Eval::Driver(DriverOp::Collective(kind)) => Some(kind),
        _ => None,
    }
}

/// Whether two collectives differ in nothing but their channels.
pub(super) fn same_attributes(module: &Module, a: OpId, b: OpId) -> bool {
    let own = |op: OpId| module.ops[op].attrs.iter().filter(|(name, _)| *name != names::CHANNEL_HANDLE);
    own(a).eq(own(b))
}

/// Calls with every operand of an operation and of the operations inside it.
pub(super) fn for_each_operand(module: &Module, op: OpId, mut f: impl FnMut(ValueId)) {
    module.within(op).flat_map(|op| module.operands(op)).for_each(|v| f(*v));
}

/// Values and what stands for them.
pub(super) type Renamed = FxHashMap<ValueId, ValueId>;

/// An operation once more, on operands under new names; its results get new names too.
pub(super) fn copy(module: &mut Module, op: OpId, names: &mut Renamed) -> OpId {
    let old = module.ops[op].clone();
    let mut new = NewOp::new(old.kind);
    new.operands = module.operands(op).iter().map(|v| names.get(v).copied().unwrap_or(*v)).collect();
    new.result_types = old.results.iter().map(|v| module.values[v].ty).collect();
    new.regions = module.regions_of(op).iter().copied().collect();
    (new.attrs, new.loc, new.span) = (old.attrs, old.loc, old.span);
    let new = module.add_op(new);
    names.extend(old.results.iter().zip(module.ops[new].results.iter()));
    new
}

/// Gives the operands of an operation, and of those inside, their new names.
pub(super) fn rename(module: &mut Module, op: OpId, names: &Renamed) {
    if names.is_empty() {
        return;
    }
    let renamed = |value: &ValueId| names.get(value).copied().unwrap_or(*value);
    let reads_one = |op: &OpId| module.operands(*op).iter().any(|value| names.contains_key(value));
    let readers: SmallVec<[OpId; 1]> = module.within(op).filter(reads_one).collect();
    for op in readers {
        let operands: SmallVec<[ValueId; 4]> = module.operands(op).iter().map(renamed).collect();
        module.set_operands(op, &operands);
    }
}

/// Channels that nothing else uses.
pub(super) struct Channels {
    last: i64,
}

impl Channels {
    /// Those after all channels of a module.
    pub(super) fn after(module: &Module) -> Channels {
        let channel = |op: &Op| match op.attrs.get(names::CHANNEL_HANDLE) {
            Some(Attr::Channel(channel)) => channel.handle,
            _ => 0,
        };
        Channels { last: module.ops.iter().map(channel).max().unwrap_or(0) }
    }

    /// The last one that is used.
    pub(super) fn last(&self) -> i64 {
        self.last
    }

    /// Another one.
    pub(super) fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }
}

/// Gives a collective another channel.
pub(super) fn set_channel(module: &mut Module, op: OpId, handle: i64) {
    let channel = ChannelHandle { handle, kind: 1 };
    module.ops[op].attrs.set(names::CHANNEL_HANDLE, Attr::Channel(Box::new(channel)));
}

/// Writes collectives anew, where they stand: those for which a function gives what stands for their only result.
pub(super) fn rewrite(
    partitioned: &mut Partitioned,
    mut write: impl FnMut(&mut Emit<'_>, &Collective) -> Option<ValueId>,
) {
    let mesh = partitioned.mesh.clone();
    let module = std::mem::take(&mut partitioned.module);
    let channels = Channels::after(&module).last();
    let mut emit = Emit::new(module, &mesh, channels);
    let mut written: FxHashMap<OpId, ValueId> = FxHashMap::default();
    for region in regions(&emit.module) {
        let ops = std::mem::take(&mut emit.module.regions[region].ops);
        emit.open(region);
        for op in ops {
            let known = partitioned.collectives.binary_search_by_key(&op, |c| c.op).ok();
            let new = known.and_then(|n| {
                let known = &partitioned.collectives[n];
                emit.loc = emit.module.ops[op].loc;
                emit.purpose = Purpose { value: known.value, cause: known.cause, reason: known.reason };
                let first = emit.collectives.len();
                let new = write(&mut emit, known)?;
                emit.collectives[first..].iter_mut().for_each(|c| c.replicates = known.replicates);
                Some(new)
            });
            match new {
                Some(new) => drop(written.insert(op, new)),
                None => emit.module.regions[region].ops.push(op),
            }
        }
        emit.close();
    }
    partitioned.collectives.retain(|c| !written.contains_key(&c.op));
    partitioned.collectives.append(&mut emit.collectives);
    let mut module = emit.module;
    let renamed: Renamed = written.into_iter().map(|(op, new)| (module.ops[op].results.at(0), new)).collect();
    module.replace_operands(|value| renamed.get(&value).copied());
    partitioned.module = module;
}

/// Brings the operations of a region into an order in which each comes after what it needs, as near to the one there is as can be.
/// Nothing changes, and it says so, where some wait for one another.
#[must_use]
pub(super) fn sort(module: &mut Module, region: RegionId) -> bool {
    let ops = std::mem::take(&mut module.regions[region].ops);
    let places: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(place, op)| (*op, place)).collect();
    let (mut done, mut begun) = (vec![false; ops.len()], vec![false; ops.len()]);
    let mut order = Vec::with_capacity(ops.len());
    let mut pending: Vec<usize> = Vec::new();
    for first in 0..ops.len() {
        pending.push(first);
        while let Some(&place) = pending.last() {
            let before = pending.len();
            if !done[place] && !std::mem::replace(&mut begun[place], true) {
                for_each_operand(module, ops[place], |v| {
                    if let ValueDef::Result(def, _) = module.values[v].def {
                        pending.extend(places.get(&def).filter(|n| !done[**n]));
                    }
                });
                if pending[before..].iter().any(|n| begun[*n]) {
                    module.regions[region].ops = ops;
                    return false;
                }
            }
            if pending.len() == before {
                pending.pop();
                if !std::mem::replace(&mut done[place], true) {
                    order.push(ops[place]);
                }
            }
        }
    }
    module.regions[region].ops = order;
    true
}
