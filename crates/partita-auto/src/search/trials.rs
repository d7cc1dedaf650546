//! The plans that are judged in full: the best that the tree search found, and the best choices in strategy graphs.

use super::tree::Tree;
use super::{Event, GraphCost, Limits};
use crate::truth::{Judge, Judged};
use partita::Diagnostic;
use partita::complete::Assignment;
use partita::complete::Cut;
use partita::complete::{Estimate, Estimator, Solved};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::time::Instant;

/// How much sending counts in the strategy graphs that are solved: as it is, which gives the bound, and less or more, for some of it may take place beside
/// computing, and links may be shared.
const SENDING: [f64; 4] = [1.0, 0.5, 0.25, 2.0];

/// Strategy graphs have so many costs at most, and the one that gives the bound so many.
pub(super) const MOST_COSTS: usize = 4_000_000;
const MOST_COSTS_OF_LARGE: usize = 16_000_000;

/// A search makes no graph with more costs than this for each second that it has.
const COSTS_A_SECOND: f64 = 500_000.0;

/// So many costs, or as many as there is time for in a search with these limits.
pub(super) fn affordable(costs: usize, limits: &Limits) -> usize {
    costs.min((COSTS_A_SECOND * limits.time.as_secs_f64()) as usize)
}

/// Programs hold so many times what the quick judge thinks where any amount of memory will do.
const NO_MEMORY: f64 = 1e-6;

/// How often strategy graphs are solved where nothing fits memory, each time with less of it, and how much less than what was missing.
const TIGHTER: usize = 4;
const SPARE: f64 = 1.05;

/// The part of all plans judged in full that are those of the tree search as it ranks them, and how many at most.
const FIRST: f64 = 0.7;
const MOST_FIRST: usize = 12;

/// Moves of the local search in the strategy graph: what is left after its reductions and prices needs few.
const MOVES: u64 = 2000;

/// So many plans are judged in full at a time, whatever the number of threads: what is judged next depends on them.
pub(super) const ROUND: usize = 4;

/// What the strategy graph says without a limit on memory, which holds with one all the same: what none costs less than, and what a plan costs that splits tensors like this.
pub fn graph_cost(
    estimator: &Estimator<'_>,
    fixed: &Assignment,
    cuts: Option<&[Cut]>,
    deadline: Option<Instant>,
    seed: u64,
) -> Option<GraphCost> {
    let strategies = estimator.strategy_graph(fixed, NO_MEMORY, SENDING[0], MOST_COSTS_OF_LARGE)?;
    let lower_bound = strategies.solve(0, deadline, seed).lower_bound;
    Some(GraphCost { cost: cuts.and_then(|cuts| strategies.cost_of(cuts)), lower_bound })
}

/// A plan that is to be judged in full.
pub(super) struct Candidate {
    pub(super) assignment: Assignment,
    /// How the kinds of tensors lie.
    pub(super) cuts: Vec<Cut>,
    /// Whether the cuts are not those of the decisions alone.
    pub(super) by_tensor: bool,
    /// What the quick judge says of it.
    pub(super) estimate: Estimate,
    pub(super) cost: f64,
}

/// Plans that were judged in full, and what was learned from them.
pub(super) struct Trials<'a, 'j, 'p> {
    pub(super) judge: &'a Judge<'j, 'p>,
    watch: &'a mut dyn FnMut(Event<'_>) -> bool,
    deadline: Option<Instant>,
    /// How many plans may be judged yet.
    left: usize,
    most: usize,
    plans: Vec<Judged>,
    seen: FxHashSet<Vec<Cut>>,
    /// What programs hold beside what the quick judge thinks.
    memory: f64,
    interrupted: bool,
}

impl<'a, 'j, 'p> Trials<'a, 'j, 'p> {
    pub(super) fn new(
        judge: &'a Judge<'j, 'p>,
        watch: &'a mut dyn FnMut(Event<'_>) -> bool,
        deadline: Option<Instant>,
        most: usize,
        interrupted: bool,
    ) -> Self {
        let (plans, seen) = (Vec::new(), FxHashSet::default());
        Trials { judge, watch, deadline, left: most, most, plans, seen, memory: 1.0, interrupted }
    }

    /// Judges the best plans of a tree search. One plan is judged whatever the time.
    pub(super) fn judge_first(
        &mut self,
        tree: &Tree<'_>,
        estimator: &Estimator<'_>,
    ) -> Result<(), Diagnostic> {
        let mut failure = None;
        let mut tried = Vec::new();
        let first = ((FIRST * self.most as f64) as usize).clamp(ROUND, MOST_FIRST).min(self.most);
        while self.left + first > self.most && (self.plans.is_empty() || !self.is_over()) {
            let size = if self.is_over() { 1 } else { ROUND.min(self.left + first - self.most) };
            let mut round = Vec::new();
            while round.len() < size {
                let Some((number, cost, estimate)) = tree.best(self.memory, &tried) else { break };
                tried.push(number);
                let assignment = tree.plan(number).clone();
                let cuts = estimator.cuts(&assignment);
                // Other decisions may come to the same.
                if self.is_new(&cuts) {
                    round.push(Candidate { assignment, cuts, by_tensor: false, estimate, cost });
                }
            }
            if round.is_empty() {
                break;
            }
            failure = self.judge_all(round).or(failure);
        }
        match failure {
            Some(error) if self.plans.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    /// Judges the best choices in strategy graphs, as large as there is time for; gives what the best in the first of them costs, and what none can be below.
    pub(super) fn solve_graphs(
        &mut self,
        estimator: &Estimator<'_>,
        fixed: &Assignment,
        limits: &Limits,
    ) -> Option<GraphCost> {
        let seed = limits.seed;
        let limit = estimator.memory_limit();
        let (mut graph, mut solved_any) = (None, false);
        let mut sending = &SENDING[..if self.left > SENDING.len() { SENDING.len() } else { 1 }];
        for _ in 0..TIGHTER {
            if self.is_over() {
                break;
            }
            let mut round = Vec::new();
            let (memory, deadline) = (self.memory, self.deadline);
            let solve = |sending: &f64| {
                let most = if *sending == SENDING[0] { MOST_COSTS_OF_LARGE } else { MOST_COSTS };
                let strategies =
                    estimator.strategy_graph(fixed, memory, *sending, affordable(most, limits))?;
                Some(strategies.solve(MOVES, deadline, seed))
            };
            let solutions: Vec<_> = sending.par_iter().map(solve).collect();
            for solved in solutions.into_iter().flatten() {
                solved_any = true;
                // Where nothing fits, prices of memory leave no cost to speak of.
                let Solved { cost, lower_bound, .. } = solved;
                graph = graph.or(solved.fits.then_some(GraphCost { cost: Some(cost), lower_bound }));
                if solved.fits && self.is_new(&solved.cuts) {
                    let estimate = Estimate { compute: solved.cost, ..Estimate::default() };
                    let assignment = fixed.clone();
                    round.push(Candidate {
                        assignment,
                        cuts: solved.cuts,
                        by_tensor: true,
                        estimate,
                        cost: solved.cost,
                    });
                }
            }
            let before = self.plans.len();
            // A plan that cannot be partitioned is none.
            self.judge_all(round);
            let held = self.plans[before..].iter().map(|plan| plan.cost.memory).min();
            // Where nothing fits yet, a graph with as much less memory as these plans were too large may have one that does.
            let (Some(held), false) = (held, self.plans.iter().any(|plan| plan.cost.memory <= limit)) else {
                break;
            };
            self.memory = memory * SPARE * held as f64 / limit.max(1) as f64;
            sending = &SENDING[..1];
        }
        let none_fits = graph.is_none() && solved_any && !self.is_late();
        if none_fits { graph_cost(estimator, fixed, None, self.deadline, seed) } else { graph }
    }

    /// Whether no more plans are to be judged.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.is_late()
    }

    /// Whether time is over, or somebody asked to stop.
    fn is_late(&self) -> bool {
        self.interrupted || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Whether a plan that splits tensors like this was not judged yet; it is from now on.
    pub(super) fn is_new(&mut self, cuts: &[Cut]) -> bool {
        !self.was_judged(cuts) && self.seen.insert(cuts.to_vec())
    }

    /// Whether a plan that splits tensors like this was judged, or is about to be.
    pub(super) fn was_judged(&self, cuts: &[Cut]) -> bool {
        self.seen.contains(cuts)
    }

    /// The best plan so far, of those that a test allows.
    pub(super) fn best(&self, allowed: impl Fn(&Judged) -> bool) -> Option<&Judged> {
        let limit = self.judge.machine().memory;
        let plans = self.plans.iter().filter(|plan| allowed(plan));
        plans.min_by(|a, b| a.cost.rank(limit).total_cmp(&b.cost.rank(limit)))
    }

    /// Judges plans in full, on all cores; gives the reason why one of them cannot be partitioned.
    pub(super) fn judge_all(&mut self, mut round: Vec<Candidate>) -> Option<Diagnostic> {
        round.truncate(self.left.max(1));
        let mut failure = None;
        let judge = self.judge;
        let plans = round.par_iter();
        let judged = plans.map(|plan| judge.judge(&plan.assignment, &plan.cuts, plan.by_tensor));
        for (outcome, candidate) in judged.collect::<Vec<_>>().into_iter().zip(&round) {
            self.left = self.left.saturating_sub(1);
            match outcome {
                Ok(judged) => {
                    if candidate.estimate.memory > 0 {
                        self.memory = judged.cost.memory as f64 / candidate.estimate.memory as f64;
                    }
                    let number = self.plans.len() + 1;
                    let event = Event::Judged { number, estimate: candidate.cost, judged: &judged };
                    self.interrupted |= !(self.watch)(event);
                    self.plans.push(judged);
                }
                Err(error) => failure = Some(error),
            }
        }
        failure
    }

    /// All plans, and whether somebody asked to stop.
    pub(super) fn end(self) -> (Vec<Judged>, bool) {
        (self.plans, self.interrupted)
    }
}
