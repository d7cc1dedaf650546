//! The ledger: what a per-device program sends, how often, and which op of the input needed it.
//!
//! It is read off the program as it will run, so that it is right whatever was done to it on the way: every collective that
//! is reachable has an entry, those that the user wrote too. Bytes are those of one device.

pub(crate) mod groups;
mod memory;

pub use memory::Memory;

use crate::inline::Inlined;
use crate::interpret::{CollectiveOp, DriverOp};
use crate::ir::*;
use crate::ops::{Eval, Spread, trip_count};
use crate::partition::{Collective, Partitioned, Pattern};
use crate::sharding::{AtomList, Mesh};
use crate::text::print::printed_names;
use groups::Groups;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Why a collective is there that the user wrote.
pub const USER: &str = "user";

/// What a per-device program sends.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Every collective, in the order of the program.
    pub entries: Vec<Entry>,
}

/// One collective.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Which one: `all_reduce`.
    pub kind: &'static str,
    /// The operation of the per-device program.
    pub op: OpId,
    /// The axes along which data moves; empty where the groups follow no axes.
    pub axes: AtomList,
    /// How many devices take part together.
    pub group_size: i64,
    /// How often it runs; nothing where the program does not say.
    pub executions: Option<u64>,
    /// Bytes that go in, each time.
    pub operand_bytes: u64,
    /// Bytes that come out, each time.
    pub result_bytes: u64,
    /// Bytes that a device sends in a ring, all times together.
    pub ring_bytes: u64,
    /// The value of the input that moves, or nearest to it.
    pub value: Option<ValueId>,
    /// The op of the input that needs it.
    pub cause: Option<OpId>,
    /// The name of the value it makes, in the output.
    pub output_value: String,
    /// The line of the user's own program.
    pub location: Option<String>,
    /// Why it is there.
    pub reason: String,
    /// Whether it makes a value whole on every device on the way between two layouts that split it.
    pub replicates: bool,
}

/// The sum of several entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Total {
    /// How many collectives.
    pub count: u64,
    /// How often they run.
    pub executions: u64,
    /// What a device sends in rings.
    pub ring_bytes: u64,
    /// What goes in, or, of an all-gather, what comes out.
    pub payload_bytes: u64,
}

impl Total {
    fn add(&mut self, entry: &Entry) {
        let times = entry.executions.unwrap_or(1);
        self.count += 1;
        self.executions = self.executions.saturating_add(times);
        self.ring_bytes = self.ring_bytes.saturating_add(entry.ring_bytes);
        self.payload_bytes = self.payload_bytes.saturating_add(entry.payload_bytes().saturating_mul(times));
    }
}

impl Entry {
    /// The bytes that matter, each time: what goes in, or, of an all-gather, what comes out.
    pub fn payload_bytes(&self) -> u64 {
        if self.kind == "all_gather" { self.result_bytes } else { self.operand_bytes }
    }
}

impl Ledger {
    /// The ledger of a partitioned program. `program` is what was partitioned.
    pub fn new(partitioned: &Partitioned, program: &Inlined) -> Ledger {
        let known = partitioned.collectives.iter().map(|c| (c.op, (c, &program.module))).collect();
        Ledger::with(&partitioned.module, &partitioned.mesh, known)
    }

    /// The ledger of a per-device program that others made: all its collectives are the user's.
    pub fn of_foreign(module: &Module, mesh: &Mesh) -> Ledger {
        Ledger::with(module, mesh, FxHashMap::default())
    }

    fn with(module: &Module, mesh: &Mesh, known: FxHashMap<OpId, (&Collective, &Module)>) -> Ledger {
        let mut walk = Walk {
            module,
            known,
            groups: Groups::new(mesh),
            name: Box::new(printed_names(module)),
            loops: Vec::new(),
            entries: Vec::new(),
        };
        if let Some(body) = module.funcs.iter().next().and_then(|f| f.body) {
            walk.region(body, Some(1));
        }
        Ledger { entries: walk.entries }
    }

    /// The sum of all entries.
    pub fn total(&self) -> Total {
        let mut total = Total::default();
        self.entries.iter().for_each(|e| total.add(e));
        total
    }

    /// The sums by kind of collective.
    pub fn by_kind(&self) -> BTreeMap<&'static str, Total> {
        let mut totals: BTreeMap<&'static str, Total> = BTreeMap::new();
        self.entries.iter().for_each(|e| totals.entry(e.kind).or_default().add(e));
        totals
    }
}

struct Walk<'m> {
    module: &'m Module,
    /// What is known of a collective, and the program that needed it.
    known: FxHashMap<OpId, (&'m Collective, &'m Module)>,
    groups: Groups<'m>,
    name: Box<dyn Fn(ValueId) -> String + 'm>,
    /// The loops that the walk is inside of, innermost last.
    loops: Vec<OpId>,
    entries: Vec<Entry>,
}

impl Walk<'_> {
    /// Enters all collectives of a region that runs so often. Recursion is bounded by the nesting the parser allows.
    fn region(&mut self, region: RegionId, times: Option<u64>) {
        let module = self.module;
        for &id in &module.regions[region].ops {
            let op = module.op(id);
            if let Eval::Driver(DriverOp::Collective(kind)) = op.def().eval {
                self.collective(op, kind, times);
                continue;
            }
            let is_loop = matches!(op.def().spread, Spread::Loop);
            if is_loop {
                self.loops.push(id);
            }
            let trips = if is_loop { trip_count(module, &self.loops) } else { Some(1) };
            for (n, &inner) in op.regions().iter().enumerate() {
                // The condition of a loop runs once more than its body.
                let trips = if is_loop && n == 0 { trips.map(|t| t.saturating_add(1)) } else { trips };
                self.region(inner, times.zip(trips).map(|(a, b)| a.saturating_mul(b)));
            }
            if is_loop {
                self.loops.pop();
            }
        }
    }

    fn collective(&mut self, op: OpRef<'_>, kind: CollectiveOp, executions: Option<u64>) {
        let operand_bytes = op.operand_types().map(device_bytes).sum();
        let result_bytes = op.result_types().map(device_bytes).sum();
        let known = self.known.get(&op.id).copied();
        let share = match known {
            Some((Collective { pattern: Pattern::Groups(atoms), .. }, _)) => self.groups.of_axes(atoms),
            Some((collective, _)) => self.groups.of_pattern(&collective.pattern),
            None => self.groups.of_attributes(op),
        };
        let times = u128::from(executions.unwrap_or(1));
        let payload = u128::from(if kind == CollectiveOp::AllGather { result_bytes } else { operand_bytes });
        let twice = if kind == CollectiveOp::AllReduce { 2 } else { 1 };
        let ring = twice * payload * times * share.moving as u128 / share.of.max(1) as u128;
        let from_cause = known.and_then(|(c, input)| input.source_line(input.ops[c.cause?].loc));
        let reason = match known {
            Some((collective, input)) => reason(input, collective),
            None => USER.to_string(),
        };
        self.entries.push(Entry {
            kind: short_name(op),
            op: op.id,
            axes: share.axes,
            group_size: share.group_size,
            executions,
            operand_bytes,
            result_bytes,
            ring_bytes: u64::try_from(ring).unwrap_or(u64::MAX),
            value: known.and_then(|(c, _)| c.value),
            cause: known.and_then(|(c, _)| c.cause),
            output_value: op.results().next().map(|v| (self.name)(v)).unwrap_or_default(),
            location: from_cause.or_else(|| self.module.source_line(op.op().loc)),
            reason,
            replicates: known.is_some_and(|(c, _)| c.replicates),
        });
    }
}

/// The name of an op without its dialect.
fn short_name(op: OpRef<'_>) -> &'static str {
    let name = op.def().name;
    name.split_once('.').map_or(name, |(_, short)| short)
}

/// Why a collective is there, with the op that needs it.
fn reason(input: &Module, collective: &Collective) -> String {
    let Some(cause) = collective.cause else { return collective.reason.to_string() };
    let name = short_name(input.op(cause));
    if collective.reason.is_empty() { name.to_string() } else { format!("{name}: {}", collective.reason) }
}

/// Bytes of a value on a device: `i1` takes one byte, narrower numbers than that are packed.
pub fn device_bytes(ty: &Type) -> u64 {
    match ty {
        Type::Tensor(ty) => {
            let bits = if ty.elem == Elem::Bool { 8 } else { u128::from(ty.elem.bits()) };
            u64::try_from((ty.count() as u128 * bits).div_ceil(8)).unwrap_or(u64::MAX)
        }
        Type::Tuple(types) | Type::Future(types) => {
            types.iter().map(device_bytes).fold(0, u64::saturating_add)
        }
        _ => 0,
    }
}
