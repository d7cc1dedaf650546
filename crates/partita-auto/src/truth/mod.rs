//! The full judge: a plan applied, propagated and partitioned, and the program that comes of it measured.

mod case;
mod related;
mod sample;

pub use related::Related;

use case::{Case, Outcome, Wanted, measure};
use partita::complete::{Assignment, Choice, Cut, Layers, Machine, Space, Subject, axes, by_cost};
use partita::ir::ValueId;
use partita::sharding::apply::Effort;
use partita::sharding::{DimSharding, Mesh, Sharding};
use partita::{Diagnostic, Errors};
use sample::Sample;
use std::sync::OnceLock;

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
#[derive(Clone, Debug, Default)]
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
    /// Values that completion by cost chose shardings for.
    pub choices: Vec<Choice>,
    /// The lines of the program that send the most, with bytes in rings.
    pub lines: Vec<(String, u64)>,
}

/// So many lines that send the most are kept.
const LINES: usize = 8;

/// Judges plans in full.
pub struct Judge<'a, 'p> {
    /// What plans are made for.
    case: Case<'a, 'p>,
    /// The layers and the program with fewer of them, where plans are made for a few.
    shorter: Option<(&'p Layers, &'a Related<'p>)>,
    /// The whole program then, once it is needed.
    whole: OnceLock<Related<'p>>,
}

impl<'a, 'p> Judge<'a, 'p> {
    /// Judges plans for a program by all that was read of it.
    pub fn new(subject: &'a Subject<'p>, space: &'a Space, machine: &'a Machine) -> Self {
        let case = Case { subject, space, kinds: &space.slot_kinds, machine };
        Judge { case, shorter: None, whole: OnceLock::new() }
    }

    /// Judges plans for a program that was read off a few of its layers by these and by one less.
    pub fn by_layers(mut self, shorter: Option<&'a Related<'p>>) -> Self {
        self.shorter = self.case.subject.layers.zip(shorter);
        self
    }

    /// The program.
    pub fn subject(&self) -> &'a Subject<'p> {
        self.case.subject
    }

    /// Its decision space.
    pub fn space(&self) -> &'a Space {
        self.case.space
    }

    /// The machine.
    pub fn machine(&self) -> &'a Machine {
        self.case.machine
    }

    /// Applies a plan that splits the kinds of tensors like this, and measures what comes of it. The plan is that of some decisions, or
    /// says of every kind of tensor by itself how it lies.
    pub fn judge(
        &self,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let Some((layers, shorter)) = self.shorter else {
            return judge_on(&Sample::whole(self.case), assignment, cuts, by_tensor);
        };
        let short = Case { subject: &shorter.subject, kinds: &shorter.kinds, ..self.case };
        let few = judge_on(&Sample::few(layers, short, self.case), assignment, cuts, by_tensor)?;
        let of = |list: &[Said], n: usize| {
            let place = list.binary_search_by_key(&n, |(n, _)| *n).ok()?;
            Some(list[place].1.clone())
        };
        let longer = &layers.longer;
        let argument = |(n, own): (usize, &Option<usize>)| Some((n, of(&few.arguments, (*own)?)?));
        let arguments: Vec<Said> = longer.arguments.iter().enumerate().filter_map(argument).collect();
        // What takes the memory of an argument lies as that does.
        let result = |(n, own): (usize, &Option<usize>)| match layers.donated.get(&n) {
            Some(argument) => Some((n, of(&arguments, *argument)?)),
            None => Some((n, of(&few.results, (*own)?)?)),
        };
        let results = longer.results.iter().enumerate().filter_map(result).collect();
        Ok(Judged { results, arguments, ..few })
    }

    /// The plan with the arguments and results of another, between which completion by cost decides; nothing where it keeps to propagation.
    pub fn completion(&self, plan: &Judged) -> Result<Option<Judged>, Diagnostic> {
        let Case { subject, machine, .. } = self.case;
        let mut whole = match self.shorter {
            Some(_) => Subject::new(subject.whole, subject.mesh.clone()).map_err(first_of)?,
            None => subject.clone(),
        };
        for (n, sharding) in &plan.arguments {
            if let Some(slot) = whole.graph.value_slot(whole.arguments[*n]) {
                whole.graph.annotate(slot, sharding);
            }
        }
        for (n, sharding) in &plan.results {
            if let Some(slot) = whole.graph.result_slots()[*n] {
                whole.graph.annotate(slot, sharding);
            }
        }
        let completed = by_cost(&whole, machine, Effort::USUAL);
        let Some(partitioned) = completed.partitioned.filter(|_| !completed.choices.is_empty()) else {
            return Ok(None);
        };
        let Outcome { cost, mut lines } =
            measure(subject.whole, &completed.shardings, Some(partitioned), machine, machine.memory)?;
        lines.truncate(LINES);
        let (constraints, choices) = (Vec::new(), completed.choices);
        Ok(Some(Judged {
            by_tensor: false,
            by_layers: false,
            cost,
            constraints,
            choices,
            lines,
            ..plan.clone()
        }))
    }

    /// The same by all of the program, however many layers it has.
    pub fn judge_whole(
        &self,
        assignment: &Assignment,
        cuts: &[Cut],
        by_tensor: bool,
    ) -> Result<Judged, Diagnostic> {
        let Some((layers, _)) = self.shorter else { return self.judge(assignment, cuts, by_tensor) };
        let whole = match self.whole.get() {
            Some(whole) => whole,
            None => {
                let whole = Related::whole(layers, self.case.subject, self.case.space);
                let whole = whole.map_err(first_of)?;
                self.whole.get_or_init(|| whole)
            }
        };
        let case = Case { subject: &whole.subject, kinds: &whole.kinds, ..self.case };
        judge_on(&Sample::whole(case), assignment, cuts, by_tensor)
    }
}

/// The first error of a program that cannot be read, which has one at least.
fn first_of(errors: impl Into<Errors>) -> Diagnostic {
    errors.into().0.swap_remove(0)
}

/// How an argument or a result lies, by number.
type Said = (usize, Sharding);

/// Judges a plan on a sample: how its last program lies, and what the plan costs all of it.
fn judge_on(
    sample: &Sample<'_, '_>,
    assignment: &Assignment,
    cuts: &[Cut],
    by_tensor: bool,
) -> Result<Judged, Diagnostic> {
    let (Outcome { cost, mut lines }, constraints) = sample.judge(cuts, by_tensor)?;
    lines.truncate(LINES);
    let (arguments, results) = sample.longest().wanted(cuts);
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
        choices: Vec::new(),
        lines,
    })
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
