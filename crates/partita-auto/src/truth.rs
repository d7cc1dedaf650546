//! The full judge: a plan applied, propagated and partitioned, and the program that comes of it measured.

use crate::assignment::Assignment;
use crate::cut::{Cut, axes};
use crate::estimate::Estimator;
use crate::machine::Machine;
use crate::space::{KindId, Space};
use crate::subject::Subject;
use partita::Diagnostic;
use partita::ir::{Id, Module, OpId, RegionId, ValueId};
use partita::ledger::{Ledger, Memory, device_bytes};
use partita::ops::{Flow, Spread, trip_count};
use partita::partition::{Partitioned, partition};
use partita::propagate::{Propagated, SlotId, complete};
use partita::sharding::{DimSharding, Mesh, Sharding};
use rustc_hash::FxHashMap;

/// What a plan comes to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Seconds of a step.
    pub seconds: f64,
    /// Seconds of it that a device computes.
    pub compute: f64,
    /// Seconds of it that a device sends.
    pub communication: f64,
    /// The most bytes a device holds.
    pub memory: u64,
    /// Bytes that a device sends in rings.
    pub ring_bytes: u64,
    /// How many collectives there are.
    pub collectives: u64,
}

impl Cost {
    /// What plans are compared by: those that fit first, then the faster ones.
    pub fn rank(&self, limit: u64) -> f64 {
        let over = self.memory.saturating_sub(limit) as f64 / limit.max(1) as f64;
        if over > 0.0 { self.seconds * (100.0 + 100.0 * over) } else { self.seconds }
    }
}

/// A plan that was judged in full.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The decisions.
    pub assignment: Assignment,
    /// What it costs.
    pub cost: Cost,
    /// How arguments lie, where something is said of them: by number.
    pub arguments: Vec<(usize, Sharding)>,
    /// How results lie: by number.
    pub results: Vec<(usize, Sharding)>,
    /// How values on the way lie, where propagation would leave them otherwise.
    pub constraints: Vec<(ValueId, Sharding)>,
}

/// Propagation may leave this part of all bytes split less than the plan says before values are constrained.
const ASTRAY: f64 = 0.05;

/// Judges plans in full.
pub struct Judge<'a, 'p> {
    /// The program.
    pub subject: &'a Subject<'p>,
    /// Its decision space.
    pub space: &'a Space,
    /// The machine.
    pub machine: &'a Machine,
}

impl Judge<'_, '_> {
    /// Applies a plan and measures what comes of it.
    pub fn judge(&self, estimator: &Estimator<'_>, assignment: &Assignment) -> Result<Judged, Diagnostic> {
        let cuts = estimator.cuts(assignment);
        let mut judged = Judged {
            assignment: assignment.clone(),
            cost: Cost::default(),
            arguments: Vec::new(),
            results: Vec::new(),
            constraints: Vec::new(),
        };
        let mut graph = self.subject.graph.clone();
        let wanted = |slot: Option<SlotId>| -> Option<(SlotId, Sharding)> {
            let slot = slot.filter(|s| self.subject.graph.annotation(*s).is_none())?;
            let kind = self.space.slot_kinds[slot.index()]?;
            let cut = cuts[kind.0 as usize];
            Some((slot, sharding(&self.subject.mesh, cut, self.subject.graph.rank(slot))))
        };
        for (n, &argument) in self.subject.arguments.iter().enumerate() {
            if let Some((slot, sharding)) = wanted(self.subject.graph.value_slot(argument)) {
                graph.annotate(slot, &sharding);
                judged.arguments.push((n, sharding));
            }
        }
        for (n, &slot) in self.subject.graph.result_slots().iter().enumerate() {
            if let Some((slot, sharding)) = wanted(slot) {
                graph.annotate(slot, &sharding);
                judged.results.push((n, sharding));
            }
        }
        let found = complete(graph.clone(), self.subject.mesh.clone());
        judged.cost = self.measure(&found)?;
        let constraints = self.astray(&found, &cuts);
        if constraints.is_empty() {
            return Ok(judged);
        }
        for (value, sharding) in &constraints {
            if let Some(slot) = self.subject.graph.value_slot(*value) {
                graph.annotate(slot, sharding);
            }
        }
        let cost = self.measure(&complete(graph, self.subject.mesh.clone()))?;
        if cost.rank(self.machine.memory) < judged.cost.rank(self.machine.memory) {
            judged.cost = cost;
            judged.constraints = constraints;
        }
        Ok(judged)
    }

    /// Values that the plan means to be split and that propagation left whole: those of the kind that has most of them.
    fn astray(&self, found: &Propagated, cuts: &[Cut]) -> Vec<(ValueId, Sharding)> {
        let module = self.subject.module();
        let mut total = 0.0;
        let mut lost: FxHashMap<KindId, (f64, Vec<ValueId>)> = FxHashMap::default();
        for op in module.ops.ids().filter(|op| self.subject.executions[*op] > 0) {
            let op = module.op(op);
            if !matches!(op.def().spread, Spread::Rule(..)) {
                continue;
            }
            for value in op.results() {
                let Some(slot) = found.graph.value_slot(value) else { continue };
                let Some(kind) = self.space.slot_kinds[slot.index()] else { continue };
                let bytes = device_bytes(module.type_of(value)) as f64;
                total += bytes;
                let cut = cuts[kind.0 as usize];
                let atoms = |axis: usize| self.subject.mesh.axes()[axis].atoms();
                let has = |axis: usize| {
                    let mut dims = (0..found.graph.rank(slot)).flat_map(|d| found.graph.dimension(slot, d).0);
                    atoms(axis).next().is_none_or(|atom| dims.any(|a| *a == atom))
                };
                if found.graph.annotation(slot).is_none() && !axes(cut.all()).all(has) {
                    let entry = lost.entry(kind).or_default();
                    entry.0 += bytes;
                    entry.1.push(value);
                }
            }
        }
        let astray: f64 = lost.values().map(|l| l.0).sum();
        if astray < ASTRAY * total {
            return Vec::new();
        }
        let worst = lost.into_iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0).then(b.0.cmp(&a.0)));
        let Some((kind, (_, values))) = worst else { return Vec::new() };
        let rank = self.space.kind(kind).shape.len();
        let sharding = sharding(&self.subject.mesh, cuts[kind.0 as usize], rank);
        values.into_iter().map(|value| (value, sharding.clone())).collect()
    }

    fn measure(&self, found: &Propagated) -> Result<Cost, Diagnostic> {
        let partitioned = partition(self.subject.program, found)?;
        Ok(measure(&partitioned, self.subject, self.machine))
    }
}

/// The sharding that a cut of a tensor is.
pub fn sharding(mesh: &Mesh, cut: Cut, rank: usize) -> Sharding {
    let mut sharding = Sharding::replicated(rank);
    for (d, dim) in sharding.dims.iter_mut().enumerate() {
        let atoms = axes(cut.of(d)).flat_map(|axis| mesh.axes()[axis].atoms()).collect();
        *dim = DimSharding { atoms, ..DimSharding::default() };
    }
    sharding
}

/// What a partitioned program costs.
fn measure(partitioned: &Partitioned, subject: &Subject<'_>, machine: &Machine) -> Cost {
    let ledger = Ledger::new(partitioned, subject.program);
    let mesh = &partitioned.mesh;
    let mut cost = Cost { memory: Memory::new(&partitioned.module).peak, ..Cost::default() };
    for entry in &ledger.entries {
        let along = entry.axes.iter().map(|a| machine.bandwidth[mesh.atom_axis(*a)]);
        let slowest = along.fold(f64::INFINITY, f64::min);
        let speed = if slowest.is_finite() { slowest } else { machine.bandwidth.first().copied().unwrap_or(1.0) };
        cost.communication += entry.ring_bytes as f64 / speed
            + machine.start * entry.executions.unwrap_or(1) as f64;
        cost.ring_bytes = cost.ring_bytes.saturating_add(entry.ring_bytes);
        cost.collectives += 1;
    }
    if let Some(body) = partitioned.module.funcs.iter().next().and_then(|f| f.body) {
        cost.compute = computing(&partitioned.module, body, 1.0, &mut Vec::new(), machine);
    }
    cost.seconds = cost.compute + cost.communication;
    cost
}

/// Seconds that the operations of a region compute.
fn computing(module: &Module, region: RegionId, times: f64, loops: &mut Vec<OpId>, machine: &Machine) -> f64 {
    let mut sum = 0.0;
    for &id in &module.regions[region].ops {
        let op = module.op(id);
        if let Spread::Rule(_, flow) = op.def().spread {
            let results: f64 = op.result_types().map(|t| device_bytes(t) as f64).sum();
            sum += times
                * match flow {
                    Flow::Elementwise | Flow::Broadcast => 0.5 * results / machine.memory_bandwidth,
                    Flow::PassThrough => 0.25 * results / machine.memory_bandwidth,
                    Flow::Forward | Flow::Ordinary => {
                        let work = (op.def().work)(op);
                        f64::max(work.flops / machine.matrix, work.bytes / machine.memory_bandwidth)
                    }
                };
            continue;
        }
        let is_loop = matches!(op.def().spread, Spread::Loop);
        if is_loop {
            loops.push(id);
        }
        let trips = if is_loop { trip_count(module, loops).unwrap_or(1) } else { 1 };
        for &inner in op.regions() {
            sum += computing(module, inner, times * trips as f64, loops, machine);
        }
        if is_loop {
            loops.pop();
        }
    }
    sum
}
