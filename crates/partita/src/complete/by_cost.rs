//! Completion by cost: the shardings between the annotations of a program, chosen by what they cost program-wide.
//!
//! Propagation comes first: its answer is the incumbent. Where the cost model over kinds of tensors sees something better, the kinds are cut as the strategy
//! graph says, which is completed by propagation again, and the finished programs are compared. So the result is never worse than propagation's by these measures.

use super::choices::{self, Choice, choices};
use super::cut::Cut;
use super::estimate::{Estimator, Work};
use super::machine::Machine;
use super::space::Space;
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::ir::{Id, Module, OpId, RegionId};
use crate::ledger::{Ledger, Memory};
use crate::ops::{Spread, trip_count};
use crate::optimise::{Options, optimise};
use crate::partition::{Partitioned, partition_at};
use crate::propagate::{self, Propagated, SlotId};
use crate::sharding::Mesh;
use crate::sharding::apply::Completion;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Propagation's answer stands where the cost model has it within this factor of the best.
const GATE: f64 = 1.005;

/// Weights of sending beside computing in the graphs that are solved: each finds programs that the other misses.
const SENDING: [f64; 2] = [4.0, 1.0];

/// Bytes × memory must fall at least to this part of the incumbent's.
const GAIN: f64 = 0.99;

/// Memory may grow to this part of the incumbent's, and further the more bytes are saved: a program that sends a tenth may hold 1.7 times as much.
const MEMORY: f64 = 1.05;
const MEMORY_FOR_BYTES: f64 = 0.2;

/// Computing may grow to this part of the incumbent's.
const COMPUTE: f64 = 1.02;

/// A program that replicates more than the incumbent sends at most this part of its bytes, and counts as if it sent more than it does.
const REPLICATING: f64 = 0.5;
const REPLICATING_COUNTS: f64 = 1.25;

/// Shardings for every tensor of a program, and how they were found.
pub struct Completed {
    /// The shardings, with reasons.
    pub shardings: Propagated,
    /// The decision by cost, where it is not propagation's answer.
    pub decision: Option<Decision>,
    /// The strategy graph was too large to be solved, so that propagation's answer stands.
    pub exhausted: bool,
    /// The choices that the shardings follow from, with the annotations; none where they are propagation's.
    pub choices: Vec<Choice>,
    /// The program partitioned by these shardings at the machine's prices, where the decision needed it; no pass has run over it.
    pub partitioned: Option<Partitioned>,
}

impl Completed {
    fn propagated(shardings: Propagated) -> Completed {
        Completed::by_choices(shardings, Vec::new())
    }

    pub(super) fn by_choices(shardings: Propagated, choices: Vec<Choice>) -> Completed {
        Completed { shardings, decision: None, exhausted: false, choices, partitioned: None }
    }
}

/// A decision by cost beside what propagation alone gives.
pub struct Decision {
    /// The program that was chosen.
    pub chosen: Measured,
    /// The program that propagation gives.
    pub propagated: Measured,
    /// The shardings that propagation gives.
    pub propagated_shardings: Propagated,
    /// The programs that were partitioned and compared, propagation's among them.
    pub compared: usize,
}

/// Figures of a finished per-device program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Bytes that a device sends in rings.
    pub ring_bytes: u64,
    /// Peak memory of a device.
    pub memory: u64,
    /// Seconds of computing by the cost model.
    pub compute: f64,
    /// Operations that are replicated, and values that are replicated on their way to a sharded layout.
    pub replicated: usize,
}

impl Measured {
    /// Returns whether a program may take the place of the incumbent on a machine: where neither holds more than the machine has, or it is not known how much that
    /// is, by bytes, memory and computing, else by what is missing.
    fn improves(&self, incumbent: &Measured, machine: &Machine) -> bool {
        if self.missing(machine) != incumbent.missing(machine) {
            return self.missing(machine) < incumbent.missing(machine);
        }
        let part = |of: fn(&Measured) -> f64| of(self) / of(incumbent).max(f64::MIN_POSITIVE);
        let bytes = part(|m| m.ring_bytes as f64);
        let memory = part(|m| m.memory as f64);
        bytes < 1.0
            && bytes * memory <= GAIN
            && (memory * bytes.powf(MEMORY_FOR_BYTES) <= MEMORY
                || machine.has_known_memory() && self.missing(machine) == 0)
            && part(|m| m.compute) <= COMPUTE
            && (self.replicated <= incumbent.replicated || bytes <= REPLICATING)
    }

    /// Bytes that the program holds and the machine does not have.
    fn missing(&self, machine: &Machine) -> u64 {
        self.memory.saturating_sub(machine.memory)
    }

    /// The figure by which programs that improve on the incumbent are compared: bytes first, memory beside them.
    fn score(&self, incumbent: &Measured) -> f64 {
        let replicating = if self.replicated > incumbent.replicated { REPLICATING_COUNTS } else { 1.0 };
        replicating * self.ring_bytes as f64 * (self.memory as f64).powf(0.25)
    }
}

/// Completes the shardings of a program over a mesh, weighed on the machine's devices.
pub fn complete(
    program: &Inlined,
    mesh: Mesh,
    method: Completion,
    machine: &Machine,
) -> Result<Completed, Vec<Diagnostic>> {
    if method == Completion::Propagate {
        return Ok(Completed::propagated(propagate::propagate(program, mesh)?));
    }
    let subject = Subject::new(program, mesh)?;
    let propagated = propagate::complete(subject.graph.clone(), subject.mesh.clone());
    let Candidates { found: mut candidates, exhausted } = candidates(&subject, &propagated, machine);
    if candidates.is_empty() {
        return Ok(Completed { exhausted, ..Completed::propagated(propagated) });
    }
    let compared = candidates.len() + 1;
    candidates.push(Candidate { shardings: propagated, choices: Vec::new() });
    let finish =
        |candidate: Candidate| (Finished::new(program, &candidate.shardings, machine).ok(), candidate);
    let mut finished: Vec<(Option<Finished>, Candidate)> = candidates.into_par_iter().map(finish).collect();
    let Some((incumbent, Candidate { shardings: propagated, .. })) = finished.pop() else {
        return Err(Vec::new());
    };
    // What cannot be partitioned as propagation has it is reported by the partitioner itself.
    let Some(incumbent) = incumbent else { return Ok(Completed::propagated(propagated)) };
    let figures = incumbent.figures;
    let better = finished
        .into_iter()
        .filter_map(|(finished, candidate)| Some((finished?, candidate)))
        .filter(|(finished, _)| finished.figures.improves(&figures, machine))
        .min_by(|(a, _), (b, _)| {
            let (a, b) = (&a.figures, &b.figures);
            let missing = a.missing(machine).cmp(&b.missing(machine));
            missing.then(a.score(&figures).total_cmp(&b.score(&figures)))
        });
    let Some((Finished { partitioned, figures: chosen }, Candidate { shardings, choices })) = better else {
        let partitioned = Some(incumbent.partitioned);
        return Ok(Completed { partitioned, exhausted, ..Completed::propagated(propagated) });
    };
    let decision = Decision { chosen, propagated: figures, propagated_shardings: propagated, compared };
    Ok(Completed {
        decision: Some(decision),
        partitioned: Some(partitioned),
        ..Completed::by_choices(shardings, choices)
    })
}

/// Shardings that are worth a partition, and the choices they follow from.
struct Candidate {
    shardings: Propagated,
    choices: Vec<Choice>,
}

#[derive(Default)]
struct Candidates {
    found: Vec<Candidate>,
    /// Some graph was too large to be solved.
    exhausted: bool,
}

/// Shardings that the cost model prefers to the propagated ones; none where it sees nothing better.
fn candidates(subject: &Subject<'_>, propagated: &Propagated, machine: &Machine) -> Candidates {
    if !subject.has_annotation() {
        return Candidates::default();
    }
    if subject.mesh.axes().len() > super::cut::WIDTH {
        return Candidates { exhausted: true, ..Candidates::default() };
    }
    // Coarse kinds keep tensors of one type together, fine ones let a weight and its gradient differ.
    let coarse = Space::between_annotations(subject, propagated);
    let fine = coarse.by_source(subject);
    let of_spaces =
        [&fine, &coarse].into_par_iter().map(|space| candidates_in(space, subject, propagated, machine));
    let mut all = Candidates::default();
    for Candidates { found, exhausted } in of_spaces.collect::<Vec<_>>() {
        all.exhausted |= exhausted;
        for candidate in found {
            if !all.found.iter().any(|other| same(&other.shardings, &candidate.shardings)) {
                all.found.push(candidate);
            }
        }
    }
    all
}

/// Shardings that the cost model over the kinds of a space prefers.
fn candidates_in(
    space: &Space,
    subject: &Subject<'_>,
    propagated: &Propagated,
    machine: &Machine,
) -> Candidates {
    let mut all = Candidates::default();
    let mut estimator = Estimator::new(subject, space, machine.clone());
    let start = cuts_of(space, propagated);
    for sending in SENDING {
        let Some(cuts) = estimator.improve_by_axis(&start, sending) else {
            all.exhausted = true;
            continue;
        };
        let mut cost = |cuts: &[Cut]| {
            let estimate = estimator.estimate_cuts(cuts);
            estimate.compute + sending * estimate.communication
        };
        if cost(&start) <= GATE * cost(&cuts) {
            continue;
        }
        let open = choices(subject, space, &cuts);
        let closed = choices::gathered_before_loops(subject, space, &cuts);
        let with_closed = (!closed.is_empty()).then(|| [closed, open.clone()].concat());
        all.found.extend([open].into_iter().chain(with_closed).map(|choices| {
            let shardings = choices::propagated(subject.graph.clone(), &subject.mesh, &choices);
            Candidate { shardings, choices }
        }));
    }
    all
}

/// Returns whether two shardings of a program split every tensor alike.
fn same(a: &Propagated, b: &Propagated) -> bool {
    (0..a.graph.slot_count())
        .map(SlotId::from_index)
        .all(|slot| a.graph.dimensions(slot).eq(b.graph.dimensions(slot)))
}

/// The cut that most tensors of each kind have, by their number.
fn cuts_of(space: &Space, shardings: &Propagated) -> Vec<Cut> {
    let mut votes: Vec<FxHashMap<Cut, usize>> = vec![FxHashMap::default(); space.kinds.len()];
    for (slot, kind) in space.slot_kinds.iter().enumerate() {
        let Some(kind) = kind else { continue };
        let dims = shardings.graph.dimensions(SlotId::from_index(slot));
        *votes[kind.0 as usize].entry(Cut::of_dims(&shardings.mesh, dims)).or_default() += 1;
    }
    let most = |votes: FxHashMap<Cut, usize>| votes.into_iter().max_by_key(|(cut, n)| (*n, *cut));
    let pinned = space.kinds.iter().map(|kind| kind.freedom.pinned());
    let voted = votes.into_iter().map(|votes| most(votes).map_or(Cut::default(), |(cut, _)| cut));
    voted.zip(pinned).map(|(voted, pinned)| pinned.unwrap_or(voted)).collect()
}

/// A program that was partitioned to see what comes of its shardings.
struct Finished {
    /// The per-device program before the passes.
    partitioned: Partitioned,
    /// Its figures after the passes that run by default.
    figures: Measured,
}

impl Finished {
    fn new(program: &Inlined, shardings: &Propagated, machine: &Machine) -> Result<Finished, Diagnostic> {
        let partitioned = partition_at(program, shardings, machine.prices)?;
        let mut optimised = partitioned.clone();
        let memory = machine.has_known_memory().then_some(machine.memory);
        optimise(&mut optimised, &Options::default().within(memory));
        let module = &optimised.module;
        let body = module.funcs.iter().next().and_then(|func| func.body);
        let ledger = Ledger::new(&optimised, program);
        let through_replication = ledger.entries.iter().filter(|entry| entry.replicates).count();
        let figures = Measured {
            ring_bytes: ledger.total().ring_bytes,
            replicated: optimised.replicated.len() + through_replication,
            memory: Memory::new(module).peak,
            compute: body.map_or(0.0, |body| compute(module, body, machine, &mut Vec::new())),
        };
        Ok(Finished { partitioned, figures })
    }
}

/// Seconds of computing in a region, with its loops as often as they run.
fn compute(module: &Module, region: RegionId, machine: &Machine, loops: &mut Vec<OpId>) -> f64 {
    let mut seconds = 0.0;
    for &id in &module.regions[region].ops {
        let op = module.op(id);
        match op.def().spread {
            Spread::Rule(..) => seconds += Work::of(op, machine).seconds(),
            Spread::Loop => {
                loops.push(id);
                let trips = trip_count(module, loops).unwrap_or(1) as f64;
                for &inner in op.regions() {
                    seconds += trips * compute(module, inner, machine, loops);
                }
                loops.pop();
            }
            _ => {
                for &inner in op.regions() {
                    seconds += compute(module, inner, machine, loops);
                }
            }
        }
    }
    seconds
}
