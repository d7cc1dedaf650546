//! Choices of cuts that the cost model over the kinds of a space prefers to the propagated ones.

use super::choices::{self, Choice};
use super::cut::Cut;
use super::estimate::{Estimate, Estimator};
use super::machine::Machine;
use super::space::Space;
use super::subject::Subject;
use crate::ir::Id;
use crate::propagate::{Propagated, SlotId};
use crate::sharding::apply::Effort;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Propagation's answer stands where the cost model has it within this factor of the best.
const GATE: f64 = 1.005;

/// Solutions whose estimates differ by less than this are alike: only one of them is partitioned.
const ALIKE: f64 = 0.01;

/// What the cost model prefers over the kinds of a space.
#[derive(Default)]
pub(super) struct Solutions {
    /// The choices, most of them to be tried first.
    pub(super) found: Vec<Solution>,
    /// The estimate of the propagated cuts.
    pub(super) before: Estimate,
    /// Some graph was too large to be solved.
    pub(super) exhausted: bool,
}

/// Choices of values to cut, in two forms.
#[derive(Clone)]
pub(super) struct Solution {
    /// The values that are cut, and those that weights are gathered to before loops where there are any.
    pub(super) choices: Vec<Choice>,
    /// The same with weights as they come, where that is another choice.
    pub(super) open: Option<Vec<Choice>>,
}

/// Kinds of tensors with the cuts that propagation gives them.
pub(super) struct Cuttable {
    pub(super) space: Space,
    propagated: Vec<Cut>,
}

impl Cuttable {
    pub(super) fn new(space: Space, propagated: &Propagated) -> Cuttable {
        Cuttable { propagated: cuts_of(&space, propagated), space }
    }

    /// Solves the strategy graph once for each weight of sending beside computing; gives what is better than the propagated cuts.
    pub(super) fn solve(
        &self,
        subject: &Subject<'_>,
        machine: &Machine,
        weights: &[f64],
        effort: Effort,
    ) -> Solutions {
        let mut estimator = Estimator::new(subject, &self.space, machine.clone());
        let solve = |sending: &f64| (*sending, estimator.improve_by_axis(&self.propagated, *sending, effort));
        let solved: Vec<_> = weights.par_iter().map(solve).collect();
        let before = estimator.estimate_cuts(&self.propagated);
        let (mut solutions, mut estimates) = (Solutions { before, ..Solutions::default() }, Vec::new());
        for (sending, cuts) in solved {
            let Some(cuts) = cuts else {
                solutions.exhausted = true;
                continue;
            };
            let after = estimator.estimate_cuts(&cuts);
            let cost = |estimate: &Estimate| estimate.compute + sending * estimate.communication;
            if cost(&before) <= GATE * cost(&after) || estimates.iter().any(|other| are_alike(other, &after))
            {
                continue;
            }
            estimates.push(after);
            solutions.found.push(Solution::new(&self.space, subject, &cuts));
        }
        solutions
    }
}

impl Solution {
    fn new(space: &Space, subject: &Subject<'_>, cuts: &[Cut]) -> Solution {
        let open = choices::choices(subject, space, cuts);
        let closed = choices::gathered_before_loops(subject, space, cuts);
        if closed.is_empty() {
            return Solution { choices: open, open: None };
        }
        Solution { choices: [closed, open.clone()].concat(), open: Some(open) }
    }
}

fn are_alike(a: &Estimate, b: &Estimate) -> bool {
    let alike = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.max(b);
    alike(a.compute, b.compute)
        && alike(a.communication, b.communication)
        && alike(a.memory as f64, b.memory as f64)
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
