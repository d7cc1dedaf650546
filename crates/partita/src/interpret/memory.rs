//! How much memory a program will need, by the life of its values.
//!
//! An estimate, made before the program runs: every value takes the bytes of its type from its definition to its
//! last use, except splats, which take none, and ops that only give a value on. What kernels use inside is not
//! counted. It takes time linear in the size of the program.

use super::DriverOp;
use super::plan::{Plan, call_order, callees};
use crate::ir::{Attr, FuncId, Id, IdVec, Module, OpId, OpRef, RegionId, Type, TypeId, ValueId, names};
use crate::ops::{Eval, OpKind};
use crate::sharding::manual::region_mesh;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes that the values of a function hold at most while it runs, its arguments among them. Zero where it
/// cannot run because it calls itself.
pub fn estimate_memory(module: &Module, func: FuncId) -> u64 {
    let Ok(order) = call_order(module, &[func]) else { return 0 };
    let mut estimate = Estimate::new(module, |ty| ty.bytes() as u64);
    for func in order {
        if let Some(body) = module.funcs[func].body {
            let kept = estimate.region(body, false);
            let given = estimate.region(body, true);
            estimate.growth[func] = Growth { kept, given };
        }
    }
    let inputs = module.funcs[func].inputs.iter().map(|ty| module.types[*ty].bytes() as u64);
    inputs.fold(0, u64::saturating_add).saturating_add(estimate.growth[func].given)
}

/// What a function holds on a device.
pub struct DeviceMemory {
    /// The most at any time, its arguments among it.
    pub peak: u64,
    /// How far memory grows in each of its regions.
    pub growth: IdVec<RegionId, u64>,
    /// How far memory has grown in its region while an operation runs.
    pub held: IdVec<OpId, u64>,
    /// The value whose bytes a value shares: itself, for most.
    pub owner: IdVec<ValueId, ValueId>,
    /// The bytes that a value takes where it is its own owner.
    pub room: IdVec<ValueId, u64>,
}

/// Bytes that the values of a function without calls hold on a device whose memory it lives in: arguments stay,
/// but for those that are donated, whose room a result takes; the elements of constants count, but for splats. `bytes` says what a type takes.
pub fn device_memory(module: &Module, func: FuncId, bytes: fn(&Type) -> u64) -> DeviceMemory {
    let data = &module.funcs[func];
    let mut estimate = Estimate::new(module, bytes);
    estimate.on_device = true;
    let Some(body) = data.body else { return estimate.finished(0) };
    let results = module.regions[body].ops.last().map_or(&[][..], |last| module.operands(*last));
    for (n, arg) in module.regions[body].args.iter().enumerate() {
        if data.is_donated(n) {
            estimate.donated.insert(arg);
        }
        if let Some(&result) = data.taken_by(n).and_then(|n| results.get(n)) {
            estimate.takes.insert(result, arg);
        }
    }
    let grows = estimate.region(body, false);
    let inputs = data.inputs.iter().map(|ty| bytes(&module.types[*ty]));
    estimate.finished(inputs.fold(grows, u64::saturating_add))
}

/// How far the memory grows beyond what it was at the start of a function.
#[derive(Clone, Copy, Default)]
struct Growth {
    /// Where the caller keeps the arguments.
    kept: u64,
    /// Where the function may free them.
    given: u64,
}

struct Estimate<'m> {
    module: &'m Module,
    plan: Plan,
    growth: IdVec<FuncId, Growth>,
    splat: IdVec<ValueId, bool>,
    /// The value whose bytes a value shares: itself, for most.
    owner: IdVec<ValueId, ValueId>,
    /// How many live values share the bytes of an owner.
    holders: IdVec<ValueId, u32>,
    /// What a value of each type takes.
    bytes: IdVec<TypeId, u64>,
    /// Whether constants take room of their own.
    on_device: bool,
    /// Arguments that may be freed though the caller made them.
    donated: FxHashSet<ValueId>,
    /// Results that take the room of an argument, and which.
    takes: FxHashMap<ValueId, ValueId>,
    /// How far the memory grew in each region that was looked at.
    grown: IdVec<RegionId, u64>,
    /// How far it had grown while each operation ran.
    held: IdVec<OpId, u64>,
}

impl<'m> Estimate<'m> {
    fn new(module: &'m Module, bytes: fn(&Type) -> u64) -> Self {
        let types = (0..module.types.len()).map(TypeId::from_index);
        Estimate {
            module,
            plan: Plan::new(module),
            growth: IdVec::filled(Growth::default(), module.funcs.len()),
            splat: IdVec::filled(false, module.values.len()),
            owner: module.values.ids().collect(),
            holders: IdVec::filled(0, module.values.len()),
            bytes: types.map(|ty| bytes(&module.types[ty])).collect(),
            on_device: false,
            donated: FxHashSet::default(),
            takes: FxHashMap::default(),
            grown: IdVec::filled(0, module.regions.len()),
            held: IdVec::filled(0, module.ops.len()),
        }
    }

    /// What is known once a function was looked at that holds so much at most.
    fn finished(self, peak: u64) -> DeviceMemory {
        let room = |value: ValueId| if self.owner[value] == value { self.bytes(value) } else { 0 };
        let room = self.module.values.ids().map(room).collect();
        DeviceMemory { peak, growth: self.grown, held: self.held, owner: self.owner, room }
    }

    /// How far the memory grows in a region. Recursion is bounded by the depth that the parser allows.
    fn region(&mut self, region: RegionId, frees_args: bool) -> u64 {
        let module = self.module;
        let args = module.regions[region].args;
        let mut live = 0u64;
        for arg in args.iter() {
            // One holder more than there are where the caller keeps the value: it is never freed here.
            let frees = frees_args || self.donated.contains(&arg);
            self.holders[arg] = if frees { 1 } else { 2 };
            if frees && self.plan.is_used(arg) {
                live = live.saturating_add(self.bytes(arg));
            }
        }
        let start = live;
        let mut peak = live;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            let inside = live.saturating_add(self.inside(op));
            self.define_results(op, &mut live);
            self.held[id] = inside.max(live);
            peak = peak.max(self.held[id]);
            for (n, &operand) in op.operands().iter().enumerate() {
                if self.plan.dies(module, id, n) {
                    self.free(operand, &mut live);
                }
            }
            for i in 0..self.plan.drops(id).len() {
                let value = self.plan.drops(id)[i];
                self.free(value, &mut live);
            }
            for result in op.results().filter(|&result| !self.plan.is_used(result)).collect::<Vec<_>>() {
                self.free(result, &mut live);
            }
        }
        self.grown[region] = peak.saturating_sub(start);
        self.grown[region]
    }

    /// How far the memory grows inside of an operation.
    fn inside(&mut self, op: OpRef<'_>) -> u64 {
        let regions = op.regions();
        if let Eval::Driver(DriverOp::While) = op.def().eval {
            // A carried value that others still use, or that starts as a splat, comes to its full size.
            let mut carried = 0u64;
            for (n, &operand) in op.operands().iter().enumerate() {
                // On a device that holds for arguments that their caller keeps as well.
                let kept = self.on_device && self.holders[self.owner[operand]] > 1;
                if self.splat[operand] || kept || !self.plan.dies(self.module, op.id, n) {
                    carried = carried.saturating_add(self.full_bytes(operand));
                }
            }
            let test = regions.first().map_or(0, |&test| self.region(test, false));
            let body = regions.get(1).map_or(0, |&body| self.region(body, true));
            return carried.saturating_add(test.max(body));
        }
        if let Eval::Driver(DriverOp::ManualRegion) = op.def().eval {
            // All devices of its mesh run it at once.
            let devices = region_mesh(op).ok().flatten().map_or(1, |mesh| mesh.device_count());
            let each = regions.first().map_or(0, |&body| self.region(body, true));
            return each.saturating_mul(devices as u64);
        }
        let calls = self.calls(op.id, op.operands().len());
        regions.iter().fold(calls, |most, &region| most.max(self.region(region, false)))
    }

    /// How far the memory grows in the functions that an operation calls.
    fn calls(&self, op: OpId, operands: usize) -> u64 {
        let called = callees(self.module, op);
        if called.is_empty() {
            return 0;
        }
        let given = (0..operands).all(|n| self.plan.dies(self.module, op, n));
        let funcs = called.into_iter().filter_map(|name| self.module.func(name));
        funcs.fold(0u64, |sum, func| {
            let growth = self.growth[func];
            sum.saturating_add(if given { growth.given } else { growth.kept })
        })
    }

    fn define_results(&mut self, op: OpRef<'_>, live: &mut u64) {
        let operands = op.operands();
        let splats = !operands.is_empty() && operands.iter().all(|v| self.splat[*v]) && keeps_splats(op);
        for (n, result) in op.results().enumerate() {
            self.splat[result] = splats || self.is_free_constant(op);
            let shared = shares_memory(op).then(|| operands.get(n)).flatten();
            let shared = shared.copied().or_else(|| self.taken(op, result));
            let owner = shared.map_or(result, |operand| self.owner[operand]);
            self.owner[result] = owner;
            if owner == result {
                self.holders[owner] = 1;
                *live = live.saturating_add(self.bytes(result));
            } else {
                self.holders[owner] += 1;
            }
        }
    }

    /// The elements of constants belong to the program; on a device they are there only where they differ.
    fn is_free_constant(&self, op: OpRef<'_>) -> bool {
        let splat = || matches!(op.attr(names::VALUE), Some(Attr::Elements(t)) if t.is_splat());
        op.kind() == OpKind::Constant && (!self.on_device || splat())
    }

    /// The argument whose room a result takes, where the op that makes it is the last to use that.
    fn taken(&self, op: OpRef<'_>, result: ValueId) -> Option<ValueId> {
        let arg = *self.takes.get(&result)?;
        let last = |n: usize| op.operands()[n] == arg && self.plan.dies(self.module, op.id, n);
        (0..op.operands().len()).any(last).then_some(arg)
    }

    fn free(&mut self, value: ValueId, live: &mut u64) {
        let owner = self.owner[value];
        let holders = &mut self.holders[owner];
        *holders = holders.saturating_sub(1);
        if *holders == 0 {
            *live = live.saturating_sub(self.bytes(owner));
        }
    }

    fn bytes(&self, value: ValueId) -> u64 {
        if self.splat[value] { 0 } else { self.full_bytes(value) }
    }

    fn full_bytes(&self, value: ValueId) -> u64 {
        self.bytes[self.module.values[value].ty]
    }
}

/// Whether the result of an op takes no memory where its operands take none.
pub fn keeps_splats(op: OpRef<'_>) -> bool {
    matches!(op.def().eval, Eval::Elementwise(_))
        || matches!(
            op.kind(),
            OpKind::Broadcast
                | OpKind::BroadcastInDim
                | OpKind::Reshape
                | OpKind::Reverse
                | OpKind::Slice
                | OpKind::Transpose
                | OpKind::DynamicSlice
        )
}

/// Whether the results of an op are its operands under another name, or constants of the program.
pub(super) fn shares_memory(op: OpRef<'_>) -> bool {
    matches!(op.kind(), OpKind::Reshape | OpKind::Constant)
        || matches!(op.def().eval, Eval::Driver(DriverOp::Identity))
}
