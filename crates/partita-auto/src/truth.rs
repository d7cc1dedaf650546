//! The full judge: a plan applied, propagated and partitioned, and the program that comes of it measured.

use crate::assignment::Assignment;
use crate::cut::{Cut, axes};
use crate::layers::Layers;
use crate::machine::Machine;
use crate::space::{KindId, Space};
use crate::subject::Subject;
use partita::Diagnostic;
use partita::ir::{Id, ValueId};
use partita::ledger::{Ledger, device_bytes};
use partita::ops::Spread;
use partita::optimise::{Options, Target, optimise};
use partita::partition::{Partitioned, partition_at};
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
    /// Whether its cost follows from that of a few layers.
    pub by_layers: bool,
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

/// So many of the values of a program may be of another kind than what stands for them in a few of its layers: those of the first and the last.
const OTHERS: f64 = 0.02;

/// Judges plans in full.
pub struct Judge<'a, 'p> {
    whole: Case<'a, 'p>,
    /// The same program with fewer of its layers, where it has many.
    shorter: Option<Shorter<'a>>,
}

/// A program with few of its layers, and with one more.
struct Shorter<'a> {
    layers: &'a Layers,
    subjects: [Subject<'a>; 2],
    kinds: [Vec<Option<KindId>>; 2],
}

impl<'a, 'p> Judge<'a, 'p> {
    /// Judges plans by all of a program.
    pub fn new(subject: &'a Subject<'p>, space: &'a Space, machine: &'a Machine) -> Self {
        Judge { whole: Case { subject, space, kinds: &space.slot_kinds, machine }, shorter: None }
    }

    /// Judges plans by a few of its layers, if these stand for the others: if what has the same place in them is of the same kind.
    pub fn by_layers(mut self, layers: &'a Layers) -> Result<Self, Vec<Diagnostic>> {
        let Case { subject, space, .. } = self.whole;
        let subjects = layers.subjects(subject)?;
        let (mut all, mut others) = (0, 0);
        let kinds = [0, 1].map(|n| {
            let own = &subjects[n];
            let mut kinds = vec![None; own.graph.slot_count()];
            let mut stands_for = |own: Option<SlotId>, slot: Option<SlotId>| {
                let kind = slot.and_then(|slot| space.slot_kinds[slot.index()]);
                if let (Some(own), Some(kind)) = (own, kind) {
                    all += 1;
                    others += usize::from(*kinds[own.index()].get_or_insert(kind) != kind);
                }
            };
            for (value, standing) in layers.standing(n).enumerate() {
                let standing = standing.and_then(|standing| own.graph.value_slot(standing));
                stands_for(standing, subject.graph.value_slot(value));
            }
            let results = own.results.iter().zip(own.graph.result_slots().iter().copied());
            let results: FxHashMap<ValueId, Option<SlotId>> =
                results.map(|(value, slot)| (*value, slot)).collect();
            for (value, slot) in subject.results.iter().zip(subject.graph.result_slots()) {
                let standing = layers.standing(n)[*value].and_then(|standing| *results.get(&standing)?);
                stands_for(standing, *slot);
            }
            kinds
        });
        if others as f64 > OTHERS * all as f64 {
            return Ok(self);
        }
        self.shorter = Some(Shorter { layers, subjects, kinds });
        Ok(self)
    }

    /// The program.
    pub fn subject(&self) -> &'a Subject<'p> {
        self.whole.subject
    }

    /// Its decision space.
    pub fn space(&self) -> &'a Space {
        self.whole.space
    }

    /// The machine.
    pub fn machine(&self) -> &'a Machine {
        self.whole.machine
    }

    /// Applies a plan that splits the kinds of tensors like this, and measures what comes of it. The plan is that of some decisions, or
    /// says of every kind of tensor by itself how it lies.
    pub fn judge(
        &self,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let shorter = self.shorter.as_ref().and_then(|shorter| shorter.judge(&self.whole, cuts, by_tensor));
        match shorter {
            Some(outcome) => Ok(self.judged(outcome?, assignment, cuts, (by_tensor, true))),
            None => self.judge_whole(assignment, cuts, by_tensor),
        }
    }

    /// The same by all of the program, however many layers it has.
    pub fn judge_whole(
        &self,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let outcome = self.whole.judge(cuts, by_tensor, self.whole.machine.memory)?;
        Ok(self.judged(outcome, assignment, cuts, (by_tensor, false)))
    }

    fn judged(
        &self,
        outcome: Outcome,
        assignment: &Assignment,
        cuts: &[Cut],
        (by_tensor, by_layers): (bool, bool),
    ) -> Judged {
        let Outcome { cost, mut lines, constraints } = outcome;
        lines.truncate(LINES);
        let (arguments, results) = self.whole.wanted(cuts);
        let of = |list: Vec<Wanted>| list.into_iter().map(|(n, _, sharding)| (n, sharding)).collect();
        Judged {
            assignment: assignment.clone(),
            by_tensor,
            by_layers,
            cuts: cuts.to_vec(),
            cost,
            arguments: of(arguments),
            results: of(results),
            constraints,
            lines,
        }
    }
}

impl Shorter<'_> {
    /// What comes of a plan, from what comes of it with few layers and with one more; nothing where they do not tell.
    fn judge(
        &self,
        whole: &Case<'_, '_>,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Option<Result<Outcome, Diagnostic>> {
        let limit = whole.machine.memory;
        let judge = |limits: [u64; 2]| -> Result<(Cost, [Outcome; 2]), Diagnostic> {
            let one = |n: usize| {
                let case = Case { subject: &self.subjects[n], kinds: &self.kinds[n], ..*whole };
                case.judge(cuts, by_tensor, limits[n])
            };
            let outcomes = [one(0)?, one(1)?];
            Ok((self.layers.whole(&outcomes[0].cost, &outcomes[1].cost), outcomes))
        };
        let judged = judge([limit; 2]).and_then(|(cost, outcomes)| match cost.memory > limit {
            // As much of each is computed again as of the whole.
            true => {
                let part = limit as f64 / cost.memory as f64;
                judge([0, 1].map(|n| (outcomes[n].cost.memory as f64 * part) as u64))
            }
            false => Ok((cost, outcomes)),
        });
        let (cost, [short, longer]) = match judged {
            Ok(judged) => judged,
            Err(error) => return Some(Err(error)),
        };
        if short.constraints.is_empty() != longer.constraints.is_empty() {
            return None;
        }
        let said: FxHashMap<ValueId, Sharding> = longer.constraints.into_iter().collect();
        let constraint =
            |(value, standing): (ValueId, &Option<ValueId>)| Some((value, said.get(&(*standing)?)?.clone()));
        let constraints = match said.is_empty() {
            true => Vec::new(),
            false => self.layers.standing(1).enumerate().filter_map(constraint).collect(),
        };
        let of_short: FxHashMap<&str, u64> =
            short.lines.iter().map(|(line, bytes)| (&**line, *bytes)).collect();
        let whole_line = |(line, bytes): (String, u64)| {
            let all = self.layers.count(of_short.get(&*line).copied().unwrap_or(0), bytes);
            (line, all)
        };
        let mut lines: Vec<(String, u64)> = longer.lines.into_iter().map(whole_line).collect();
        sort(&mut lines);
        Some(Ok(Outcome { cost, lines, constraints }))
    }
}

/// A program that plans are tried on.
#[derive(Clone, Copy)]
struct Case<'a, 'p> {
    subject: &'a Subject<'p>,
    space: &'a Space,
    /// The kind of each slot.
    kinds: &'a [Option<KindId>],
    machine: &'a Machine,
}

/// What comes of a plan.
struct Outcome {
    cost: Cost,
    /// The lines of the program that send, with bytes in rings, the most first.
    lines: Vec<(String, u64)>,
    /// Values that the plan has to say something of.
    constraints: Vec<(ValueId, Sharding)>,
}

/// An argument or result by number, its slot, and how a plan has it.
type Wanted = (usize, SlotId, Sharding);

impl Case<'_, '_> {
    /// How a plan has arguments and results.
    fn wanted(&self, cuts: &[Cut]) -> (Vec<Wanted>, Vec<Wanted>) {
        let graph = &self.subject.graph;
        let wanted = |(n, slot): (usize, Option<SlotId>)| {
            let slot = slot.filter(|slot| graph.annotation(*slot).is_none())?;
            let cut = cuts[self.kinds[slot.index()]?.0 as usize];
            Some((n, slot, sharding(&self.subject.mesh, cut, graph.rank(slot))))
        };
        let arguments = self.subject.arguments.iter().map(|argument| graph.value_slot(*argument));
        let results = graph.result_slots().iter().copied();
        (arguments.enumerate().filter_map(wanted).collect(), results.enumerate().filter_map(wanted).collect())
    }

    /// Applies a plan, and measures what comes of it on devices with so much memory.
    fn judge(&self, cuts: &[Cut], by_tensor: bool, memory: u64) -> Result<Outcome, Diagnostic> {
        let mut graph = self.subject.graph.clone();
        let (arguments, results) = self.wanted(cuts);
        for (_, slot, sharding) in arguments.iter().chain(&results) {
            graph.annotate(*slot, sharding);
        }
        let found = complete(graph.clone(), self.subject.mesh.clone());
        let (cost, lines) = self.measure(&found, memory)?;
        let plain = Outcome { cost, lines, constraints: Vec::new() };
        let astray = self.astray(&found, cuts, by_tensor);
        let constraints = self.constraints(astray, cuts);
        if constraints.is_empty() {
            return Ok(plain);
        }
        for (value, sharding) in &constraints {
            if let Some(slot) = self.subject.graph.value_slot(*value) {
                graph.annotate(slot, sharding);
            }
        }
        let (cost, lines) = self.measure(&complete(graph, self.subject.mesh.clone()), memory)?;
        let worth_it = cost.rank(memory) < WORTH_SAYING * plain.cost.rank(memory);
        Ok(if worth_it { Outcome { cost, lines, constraints } } else { plain })
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
                let Some(kind) = self.kinds[slot.index()] else { continue };
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
                let kind = slot.and_then(|slot| self.kinds[slot.index()]);
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
    fn measure(&self, found: &Propagated, memory: u64) -> Result<(Cost, Vec<(String, u64)>), Diagnostic> {
        let Machine { profile, prices, .. } = self.machine;
        let mut partitioned = partition_at(self.subject.program, found, *prices)?;
        let place = |partitioned: &Partitioned| placement(&partitioned.program(), profile, None);
        let target = Target { profile: profile.clone(), placement: place(&partitioned)?, memory };
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

/// The lines of a program that send something, the most first.
fn lines(ledger: &Ledger) -> Vec<(String, u64)> {
    let mut sums: FxHashMap<&str, u64> = FxHashMap::default();
    for entry in &ledger.entries {
        *sums.entry(entry.location.as_deref().unwrap_or("no line")).or_default() += entry.ring_bytes;
    }
    let sums = sums.into_iter().filter(|(_, bytes)| *bytes > 0);
    let mut lines: Vec<(String, u64)> = sums.map(|(line, bytes)| (line.to_string(), bytes)).collect();
    sort(&mut lines);
    lines
}

/// Sorts lines by what they send, the most first.
fn sort(lines: &mut [(String, u64)]) {
    lines.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
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
