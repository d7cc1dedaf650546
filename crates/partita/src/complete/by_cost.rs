//! Completion by cost: the shardings between the annotations of a program, chosen by what they cost program-wide.
//!
//! Propagation comes first: its answer is the incumbent. Where the cost model over kinds of tensors sees something better, the kinds are cut as the strategy
//! graph says, which is completed by propagation again, and the finished programs are compared. So the result is never worse than propagation's by these measures.

use super::choices::Choice;
use super::comparison::Comparison;
use super::cut::WIDTH;
use super::machine::Machine;
use super::measured::Measured;
use super::solutions::{Cuttable, Solution};
use super::space::Space;
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::partition::Partitioned;
use crate::propagate::{self, Propagated};
use crate::sharding::Mesh;
use crate::sharding::apply::Completion;

/// Weights of sending beside computing in the graphs that are solved: each finds programs that the other misses.
const SENDING: [f64; 2] = [4.0, 1.0];

/// Weights that are tried where programs send less but are refused for what they hold or compute.
const SENDING_LESS: [f64; 2] = [0.25, 0.1];

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
    if !subject.has_annotation() {
        return Ok(Completed::propagated(propagated));
    }
    if subject.mesh.axes().len() > WIDTH {
        return Ok(Completed { exhausted: true, ..Completed::propagated(propagated) });
    }
    // Coarse kinds keep tensors of one type together, fine ones let a weight and its gradient differ.
    let coarse = Cuttable::new(Space::between_annotations(&subject, &propagated), &propagated);
    let mut solutions = coarse.solve(&subject, machine, &SENDING);
    // Where coarse kinds leave nothing to improve, fine ones do not either.
    if solutions.found.is_empty() {
        return Ok(Completed { exhausted: solutions.exhausted, ..Completed::propagated(propagated) });
    }
    let fine = Cuttable::new(coarse.space.by_source(&subject), &propagated);
    let of_fine = fine.solve(&subject, machine, &SENDING);
    let exhausted = solutions.exhausted || of_fine.exhausted;
    solutions.found.extend(of_fine.found);
    let (first, mut others): (Vec<_>, Vec<_>) =
        solutions.found.into_iter().map(|Solution { choices, open }| (choices, open)).unzip();
    let mut comparison = Comparison::new(program, &subject, machine, propagated, first);
    if comparison.lacks_thrift() {
        let thrifty = [&coarse, &fine].map(|kinds| kinds.solve(&subject, machine, &SENDING_LESS).found);
        others.extend(
            thrifty.into_iter().flatten().flat_map(|Solution { choices, open }| [Some(choices), open]),
        );
        comparison.add(others.into_iter().flatten().collect());
    }
    Ok(Completed { exhausted, ..comparison.completed() })
}
