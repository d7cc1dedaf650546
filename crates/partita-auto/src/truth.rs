//! The full judge: a plan applied, propagated and partitioned, and the program that comes of it measured.

use crate::assignment::Assignment;
use crate::cut::{Cut, axes};
use crate::machine::Machine;
use crate::space::{KindId, Space};
use crate::subject::Subject;
use partita::Diagnostic;
use partita::ir::{Id, ValueId};
use partita::ledger::{Ledger, device_bytes};
use partita::ops::Spread;
use partita::optimise::{Options, Target, optimise};
use partita::partition::{Partitioned, partition};
use partita::propagate::{Propagated, SlotId, complete};
use partita::sharding::{DimSharding, Mesh, Sharding};
use partita::simulate::{placement, simulate};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a plan comes to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Seconds of a step.
    pub seconds: f64,
    /// Seconds of it that a device computes.
    pub compute: f64,
    /// Seconds that its collectives take; some may run beside computing.
    pub communication: f64,
    /// The most bytes a device holds.
    pub memory: u64,
    /// Bytes that a device sends in rings.
    pub ring_bytes: u64,
    /// How many collectives there are.
    pub collectives: u64,
    /// How often they run.
    pub executions: u64,
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
    /// Whether every kind of tensor lies beyond them as the strategy graph says.
    pub by_tensor: bool,
    /// How the kinds of tensors lie.
    pub cuts: Vec<Cut>,
    /// What it costs.
    pub cost: Cost,
    /// How arguments lie, where something is said of them: by number.
    pub arguments: Vec<(usize, Sharding)>,
    /// How results lie: by number.
    pub results: Vec<(usize, Sharding)>,
    /// How values on the way lie, where propagation would leave them otherwise.
    pub constraints: Vec<(ValueId, Sharding)>,
    /// The lines of the program that send the most, with bytes in rings.
    pub lines: Vec<(String, u64)>,
}

/// So many lines that send the most are kept.
const LINES: usize = 8;

/// Propagation may leave this part of all bytes split less than the plan says before values are constrained.
const ASTRAY: f64 = 0.05;

/// Kinds of values with less than this part of all bytes are left where propagation puts them.
const SMALL: f64 = 0.002;

/// Constraints stay in a plan where they bring its cost down to this part.
const WORTH_SAYING: f64 = 0.99;

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
    /// Applies a plan that splits the kinds of tensors like this, and measures what comes of it. The plan is that of some decisions, or
    /// says of every kind of tensor by itself how it lies.
    pub fn judge(
        &self,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let mut judged = Judged {
            assignment: assignment.clone(),
            by_tensor,
            cuts: cuts.to_vec(),
            cost: Cost::default(),
            arguments: Vec::new(),
            results: Vec::new(),
            constraints: Vec::new(),
            lines: Vec::new(),
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
        (judged.cost, judged.lines) = self.measure(&found)?;
        let astray = self.astray(&found, cuts, by_tensor);
        let constraints = self.constraints(astray, cuts);
        if constraints.is_empty() {
            return Ok(judged);
        }
        for (value, sharding) in &constraints {
            if let Some(slot) = self.subject.graph.value_slot(*value) {
                graph.annotate(slot, sharding);
            }
        }
        let (cost, lines) = self.measure(&complete(graph, self.subject.mesh.clone()))?;
        if cost.rank(self.machine.memory) < WORTH_SAYING * judged.cost.rank(self.machine.memory) {
            (judged.cost, judged.lines) = (cost, lines);
            judged.constraints = constraints;
        }
        Ok(judged)
    }

    /// Values that propagation left otherwise than the plan has them, by kind. Those of a plan of decisions are in other places where an axis is missing: all of the kind
    /// that has most of them, where they are many. Those of other plans are where any dimension differs: all of the kinds that are not small.
    fn astray(&self, found: &Propagated, cuts: &[Cut], exactly: bool) -> Vec<(KindId, Vec<ValueId>)> {
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
                let first = |axis: usize| self.subject.mesh.axes()[axis].atoms().next();
                let splits = |axis: usize, dim: usize| {
                    first(axis).is_none_or(|atom| found.graph.dimension(slot, dim).0.contains(&atom))
                };
                let dims = 0..found.graph.rank(slot);
                let lies = match exactly {
                    true => (0..self.subject.mesh.axes().len())
                        .filter(|axis| first(*axis).is_some())
                        .all(|axis| cut.dim(axis) == dims.clone().find(|d| splits(axis, *d))),
                    false => axes(cut.all()).all(|axis| dims.clone().any(|d| splits(axis, d))),
                };
                if found.graph.annotation(slot).is_none() && !lies {
                    let entry = lost.entry(kind).or_default();
                    entry.0 += bytes;
                    entry.1.push(value);
                }
            }
        }
        let astray: f64 = lost.values().map(|l| l.0).sum();
        let mut lost: Vec<_> = lost.into_iter().collect();
        lost.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        match exactly {
            true => lost.retain(|(_, (bytes, _))| *bytes >= SMALL * total),
            false => lost.truncate(usize::from(astray >= ASTRAY * total)),
        }
        lost.into_iter().map(|(kind, (_, values))| (kind, values)).collect()
    }

    /// Values with the shardings that a plan has for them. What is said of a value is said of all copies of it, where its function is called several times: nothing is,
    /// where they should lie differently.
    fn constraints(&self, astray: Vec<(KindId, Vec<ValueId>)>, cuts: &[Cut]) -> Vec<(ValueId, Sharding)> {
        let mut found = Vec::new();
        let mut done: FxHashSet<ValueId> = FxHashSet::default();
        for (kind, values) in astray {
            let cut = cuts[kind.0 as usize];
            let sharding = sharding(&self.subject.mesh, cut, self.space.kind(kind).shape.len());
            let lies_so = |value: &ValueId| {
                let slot = self.subject.graph.value_slot(*value);
                let kind = slot.and_then(|slot| self.space.slot_kinds[slot.index()]);
                kind.is_some_and(|kind| cuts[kind.0 as usize] == cut)
            };
            for value in values {
                let copies = self.subject.copies(value);
                if copies.iter().all(lies_so) {
                    let all = copies.iter().copied().chain([value]).filter(|value| done.insert(*value));
                    found.extend(all.map(|value| (value, sharding.clone())));
                }
            }
        }
        found
    }

    /// What comes of a plan: the program of one device after the passes that run by default.
    fn measure(&self, found: &Propagated) -> Result<(Cost, Vec<(String, u64)>), Diagnostic> {
        let mut partitioned = partition(self.subject.program, found)?;
        let Machine { profile, memory, .. } = self.machine;
        let place = |partitioned: &Partitioned| placement(&partitioned.program(), profile, None);
        let target = Target { profile: profile.clone(), placement: place(&partitioned)?, memory: *memory };
        optimise(&mut partitioned, &Options::for_target(target));
        let ledger = Ledger::new(&partitioned, self.subject.program);
        let total = ledger.total();
        let simulation = simulate(&partitioned.program(), profile, &place(&partitioned)?);
        let cost = Cost {
            seconds: simulation.step_seconds,
            compute: simulation.compute_seconds,
            communication: simulation.communication_seconds,
            memory: simulation.peak_memory,
            ring_bytes: total.ring_bytes,
            collectives: total.count,
            executions: total.executions,
        };
        Ok((cost, lines(&ledger)))
    }
}

/// The lines of a program that send the most.
fn lines(ledger: &Ledger) -> Vec<(String, u64)> {
    let mut sums: FxHashMap<&str, u64> = FxHashMap::default();
    for entry in &ledger.entries {
        *sums.entry(entry.location.as_deref().unwrap_or("no line")).or_default() += entry.ring_bytes;
    }
    let mut lines: Vec<(&str, u64)> = sums.into_iter().filter(|(_, bytes)| *bytes > 0).collect();
    lines.sort_by_key(|(line, bytes)| (std::cmp::Reverse(*bytes), *line));
    lines.into_iter().take(LINES).map(|(line, bytes)| (line.to_string(), bytes)).collect()
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
