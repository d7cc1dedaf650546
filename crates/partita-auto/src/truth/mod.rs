//! The full judge: a plan applied, propagated and partitioned, and the program that comes of it measured.

mod case;
mod sample;

use crate::assignment::Assignment;
use crate::cut::{Cut, axes};
use crate::layers::Layers;
use crate::machine::Machine;
use crate::space::{KindId, Space};
use crate::subject::Subject;
use case::{Case, Outcome, Wanted};
use partita::Diagnostic;
use partita::ir::{Id, ValueId};
use partita::propagate::SlotId;
use partita::sharding::{DimSharding, Mesh, Sharding};
use rustc_hash::FxHashMap;
use sample::Sample;

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
        match &self.shorter {
            Some(shorter) => self.judge_on(&Sample::few(&self.whole, shorter), assignment, cuts, by_tensor),
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
        self.judge_on(&Sample::whole(self.whole), assignment, cuts, by_tensor)
    }

    fn judge_on(
        &self,
        sample: &Sample<'_, '_>,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let (Outcome { cost, mut lines }, constraints) = sample.judge(cuts, by_tensor)?;
        lines.truncate(LINES);
        let (arguments, results) = self.whole.wanted(cuts);
        let of = |list: Vec<Wanted>| list.into_iter().map(|(n, _, sharding)| (n, sharding)).collect();
        Ok(Judged {
            assignment: assignment.clone(),
            by_tensor,
            by_layers: sample.is_of_layers(),
            cuts: cuts.to_vec(),
            cost,
            arguments: of(arguments),
            results: of(results),
            constraints,
            lines,
        })
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
