//! Completion by cost: the shardings between the annotations of a program, chosen by what they cost program-wide.
//!
//! Propagation comes first: its answer is the incumbent. Where the cost model over kinds of tensors sees something better, the kinds are cut as the strategy
//! graph says, which is completed by propagation again, and the finished programs are compared. So the result is never worse than propagation's by these measures.

use super::choices::Choice;
use super::comparison::Comparison;
use super::cut::WIDTH;
use super::machine::Machine;
use super::measured::{Measured, least_compute};
use super::solutions::{Cuttable, Solution};
use super::space::Space;
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::partition::Partitioned;
use crate::propagate::{self, Propagated};
use crate::sharding::Mesh;
use crate::sharding::apply::{Completion, Effort};

/// Weight of sending beside computing in the graphs that are solved first, and those with more than the usual effort.
const SENDING: [f64; 1] = [4.0];
const MORE_SENDING: [f64; 5] = [4.0, 1.0, 16.0, 2.0, 0.5];

/// The weight that is tried next where work is replicated.
const SENDING_LESS: [f64; 1] = [1.0];

/// Weights that are tried last where programs send less but are refused for what they hold or compute.
const SENDING_LITTLE: [f64; 2] = [0.25, 0.1];

/// Work is replicated where a device computes so many times its part of it: where nothing better was found, and where something was.
const REPLICATED: f64 = 1.06;
const STILL_REPLICATED: f64 = 1.2;

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
    pub(super) fn propagated(shardings: Propagated) -> Completed {
        Completed::by_choices(shardings, Vec::new())
    }

    pub(super) fn by_choices(shardings: Propagated, choices: Vec<Choice>) -> Completed {
        Completed { shardings, decision: None, exhausted: false, choices, partitioned: None }
    }
}

/// A decision by cost beside what else there is.
pub struct Decision {
    /// The program that was chosen.
    pub chosen: Measured,
    /// The program that propagation alone gives.
    pub propagated: Alternative,
    /// The second best program by cost, where another one improves on propagation's too.
    pub second: Option<Alternative>,
    /// The programs that were partitioned and compared, propagation's among them.
    pub compared: usize,
}

impl Decision {
    /// The best program that was not chosen.
    pub fn runner_up(&self) -> &Alternative {
        self.second.as_ref().unwrap_or(&self.propagated)
    }
}

/// A program that was not chosen.
pub struct Alternative {
    /// Its communication, peak memory and compute time.
    pub figures: Measured,
    /// Its shardings.
    pub shardings: Propagated,
}

/// Completes the shardings of a program over a mesh, weighed on the machine's devices.
pub fn complete(
    program: &Inlined,
    mesh: Mesh,
    method: Completion,
    machine: &Machine,
) -> Result<Completed, Vec<Diagnostic>> {
    match method {
        Completion::Propagate => Ok(Completed::propagated(propagate::propagate(program, mesh)?)),
        Completion::Cost(effort) => Ok(by_cost(&Subject::new(program, mesh)?, machine, effort)),
    }
}

/// Completes the shardings of a program that was read with all its layers, weighed on the machine's devices.
pub fn by_cost(subject: &Subject<'_>, machine: &Machine, effort: Effort) -> Completed {
    let propagated = propagate::complete(subject.graph.clone(), subject.mesh.clone());
    if !subject.has_annotation() {
        return Completed::propagated(propagated);
    }
    if subject.mesh.axes().len() > WIDTH {
        return Completed { exhausted: true, ..Completed::propagated(propagated) };
    }
    // Coarse kinds keep tensors of one type together, fine ones let a weight and its gradient differ.
    let coarse = Cuttable::new(Space::between_annotations(subject, &propagated), &propagated);
    let solve = |kinds: &Cuttable, weights: &[f64]| kinds.solve(subject, machine, weights, effort);
    let least = least_compute(subject, machine);
    let mut weights = if effort > Effort::USUAL { &MORE_SENDING[..] } else { &SENDING };
    let mut solutions = solve(&coarse, weights);
    if solutions.found.is_empty() && solutions.before.compute > REPLICATED * least {
        weights = &SENDING_LESS;
        solutions = solve(&coarse, weights);
    }
    // Where coarse kinds leave nothing to improve, fine ones do not either.
    if solutions.found.is_empty() {
        return Completed { exhausted: solutions.exhausted, ..Completed::propagated(propagated) };
    }
    let fine = Cuttable::new(coarse.space.by_source(subject), &propagated);
    let of_fine = solve(&fine, weights);
    let exhausted = solutions.exhausted || of_fine.exhausted;
    solutions.found.extend(of_fine.found);
    let (first, mut others) = forms(solutions.found);
    let mut comparison = Comparison::new(subject, machine, propagated, first);
    let solve_both = |weights: &[f64]| -> Vec<Solution> {
        let (coarse, fine) = rayon::join(|| solve(&coarse, weights), || solve(&fine, weights));
        [coarse.found, fine.found].concat()
    };
    if weights != SENDING_LESS
        && comparison.best().is_some_and(|best| best.compute > STILL_REPLICATED * least)
    {
        let (first, open) = forms(solve_both(&SENDING_LESS));
        comparison.add(first);
        others.extend(open);
    }
    if comparison.lacks_thrift() {
        let thrifty = solve_both(&SENDING_LITTLE);
        others.extend(thrifty.into_iter().flat_map(|Solution { choices, open }| [Some(choices), open]));
        comparison.add(others.into_iter().flatten().collect());
    }
    Completed { exhausted, ..comparison.completed() }
}

/// The two forms of solutions apart.
fn forms(solutions: Vec<Solution>) -> (Vec<Vec<Choice>>, Vec<Option<Vec<Choice>>>) {
    solutions.into_iter().map(|Solution { choices, open }| (choices, open)).unzip()
}
