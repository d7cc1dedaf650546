//! The search: which decisions to take.
//!
//! Plans grow one decision at a time, and every one of them is a correct program, so each is judged where it stands. The quick judge orders
//! them in a tree search ([`tree`]); the full judge looks at the best ([`trials`]) and at what is near the best of these ([`climb`]).

mod climb;
mod finalists;
mod moves;
mod tree;
mod trials;
mod walk;

pub use moves::Move;
pub use trials::graph_cost;

use crate::ranker::{Lessons, Ranker};
use crate::truth::{Judge, Judged};
use partita::Diagnostic;
use partita::complete::Assignment;
use partita::complete::{Estimate, Estimator};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use tree::Tree;
use trials::Trials;

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Plans that the quick judge looks at.
    pub estimates: usize,
    /// Plans that the full judge looks at; as many as the size of the program allows where nothing is said.
    pub judgements: Option<usize>,
    /// Time.
    pub time: Duration,
    /// What ties are broken by.
    pub seed: u64,
    /// What it is worth to have none of the collectives of the fastest plan, as a part of its time; to have fewer is worth less.
    pub margin: f64,
    /// Whether the learned ranker says what is tried first.
    pub ranker: bool,
    /// Whether plans of which nothing good can come are left alone.
    pub bounds: bool,
    /// How many plans a ranker is told about, to learn from.
    pub lessons: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            estimates: 6000,
            judgements: None,
            time: Duration::from_secs(60),
            seed: 0,
            margin: 0.25,
            ranker: true,
            bounds: true,
            lessons: 0,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Every plan of the space was looked at.
    Exhausted,
    /// As many plans as the limit allows were looked at.
    Estimates,
    /// The time was over.
    Time,
    /// Somebody asked it to.
    Interrupted,
}

impl Stop {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Exhausted => "exhausted",
            Stop::Estimates => "evaluations",
            Stop::Time => "time",
            Stop::Interrupted => "interrupted",
        }
    }
}

/// What happens while a search runs.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The quick judge looked at a plan.
    Estimated {
        /// How many it looked at.
        number: usize,
        /// What it costs.
        estimate: Estimate,
        /// The least cost so far.
        best: f64,
    },
    /// The full judge looked at a plan.
    Judged {
        /// How many it looked at.
        number: usize,
        /// What the quick judge said.
        estimate: f64,
        /// What came of it.
        judged: &'a Judged,
    },
    /// The quick judge is done, and says what a ranker can learn from it.
    Learned(&'a Lessons),
}

/// What a search found.
pub struct Found {
    /// The best of the plans that were judged in full, the best first, and of the others those in which something lies as in none before.
    pub plans: Vec<Judged>,
    /// How many plans were judged in full.
    pub judged: usize,
    /// How many plans the quick judge looked at.
    pub estimates: usize,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took.
    pub time: Duration,
    /// What the strategy graph says, where it was made.
    pub graph: Option<GraphCost>,
}

/// What choices in a strategy graph cost, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GraphCost {
    /// The best that was found and fits memory.
    pub cost: Option<f64>,
    /// What none can be below.
    pub lower_bound: f64,
}

/// Searches for the best plan that keeps the decisions of `fixed`. `watch` is told what happens and says whether to go on.
pub fn search(
    judge: &Judge<'_, '_>,
    estimator: &mut Estimator<'_>,
    fixed: &Assignment,
    limits: &Limits,
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<Found, Diagnostic> {
    let start = Instant::now();
    let ranker = if limits.ranker { Ranker::built_in() } else { None };
    let root = fixed.clone().canonical(judge.space());
    let mut tree = Tree::new(judge.space(), judge.machine(), ranker.as_ref(), root, estimator, limits);
    // The full judge takes most of the time that there is.
    let quick = limits.time.mul_f64(0.4);
    let mut stop = loop {
        if tree.is_complete() {
            break Stop::Exhausted;
        }
        if tree.evaluations() >= limits.estimates {
            break Stop::Estimates;
        }
        if start.elapsed() > quick {
            break Stop::Time;
        }
        let Some((estimate, best)) = tree.step(estimator) else { break Stop::Exhausted };
        if !watch(Event::Estimated { number: tree.evaluations(), estimate, best }) {
            break Stop::Interrupted;
        }
    };
    if limits.lessons > 0 && !watch(Event::Learned(&tree.lessons(limits.lessons))) {
        stop = Stop::Interrupted;
    }
    let most = limits.judgements.unwrap_or_else(|| affordable(judge.subject().whole.module.ops.len()));
    let deadline = start.checked_add(limits.time);
    let mut trials = Trials::new(judge, watch, deadline, most, stop == Stop::Interrupted);
    trials.judge_first(&tree, estimator)?;
    let graph = trials.solve_graphs(estimator, fixed, limits);
    trials.climb(estimator, fixed);
    let (mut plans, interrupted) = trials.end();
    if interrupted {
        stop = Stop::Interrupted;
    }
    let judged = plans.len();
    if !interrupted {
        let fixed = Judged { assignment: fixed.clone(), cuts: estimator.cuts(fixed), ..Judged::default() };
        finalists::complete(judge, fixed, &mut plans, deadline);
    }
    choose_what_fits(judge, &mut plans, limits.margin, deadline)?;
    keep_telling(&mut plans);
    Ok(Found { plans, judged, estimates: tree.evaluations(), stop, time: start.elapsed(), graph })
}

/// How many plans of a program with so many operations are judged in full where nothing is said: what that takes grows with the program, and what a search
/// may take does not.
fn affordable(ops: usize) -> usize {
    (OPS_JUDGED / ops.max(1)).clamp(5, 300)
}

/// Operations of all programs that are judged in full.
const OPS_JUDGED: usize = 1_200_000;

/// What a plan that says of every tensor by itself how it lies has to gain, and what where only the fastest is asked for.
const BY_TENSOR: f64 = 1.21;
const BY_TENSOR_AT_LEAST: f64 = 1.001;

/// What plans hold that are judged by a few layers is less sure than what they take: the most may be held elsewhere with all of them. Between these parts of what there
/// is, the best is judged again.
const ROOMY: f64 = 0.75;
const TOO_LARGE: f64 = 1.25;

/// Sorts plans, so that the first is known to fit. Where there is no time left to make sure of the best, one comes first that is known to.
fn choose_what_fits(
    judge: &Judge<'_, '_>,
    plans: &mut [Judged],
    margin: f64,
    deadline: Option<Instant>,
) -> Result<(), Diagnostic> {
    let limit = judge.machine().memory;
    let is_sure = |plan: &Judged| {
        let filled = plan.cost.memory as f64 / limit.max(1) as f64;
        !plan.by_layers || !(ROOMY..TOO_LARGE).contains(&filled)
    };
    loop {
        choose(plans, limit, margin);
        let Some(best) = plans.first_mut() else { return Ok(()) };
        if is_sure(best) {
            return Ok(());
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            if let Some(sure) = plans.iter().position(|plan| is_sure(plan) && plan.cost.memory <= limit) {
                plans[..=sure].rotate_right(1);
            }
            return Ok(());
        }
        *best = judge.judge_whole(&best.assignment, &best.cuts, best.by_tensor)?;
    }
}

/// Sorts plans: those that fit by time, but first the one to take, which may be a little slower and have fewer collectives. A plan that says of every tensor by itself
/// how it lies is harder to read and to change than a few decisions, and has to gain a fifth where there is a margin at all.
fn choose(plans: &mut [Judged], limit: u64, margin: f64) {
    let rank = |plan: &Judged| {
        let many = match plan.by_tensor {
            true if margin > 0.0 => BY_TENSOR,
            true => BY_TENSOR_AT_LEAST,
            false => 1.0,
        };
        plan.cost.rank(limit) * many
    };
    plans.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let by_tensor = plans.first().is_some_and(|plan| plan.by_tensor);
    let costs = plans.iter().map(|plan| {
        // What is no faster is not simpler either for saying more.
        let simple = by_tensor || !plan.by_tensor;
        (rank(plan), if simple { plan.cost.executions } else { u64::MAX })
    });
    if let Some(preferred) = preferred(costs, margin) {
        plans[..=preferred].rotate_right(1);
    }
}

/// Of plans by what they cost, the cheapest first, with how often their collectives run: the one to take. At every collective devices wait for each other, for reasons that no
/// simulation knows; it is as if those of the first plan took `margin` of its time on top of what is known.
pub fn preferred(plans: impl Iterator<Item = (f64, u64)>, margin: f64) -> Option<usize> {
    let mut plans = plans.peekable();
    let (first, executions) = *plans.peek()?;
    let waiting = margin * first / executions.max(1) as f64;
    let all = plans.map(|(cost, executions)| (cost + waiting * executions as f64, executions));
    let order = |a: &(f64, u64), b: &(f64, u64)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    all.enumerate().min_by(|a, b| order(&a.1, &b.1)).map(|(n, _)| n)
}

/// So many plans are kept if they differ, and so many in all.
const BEST: usize = 12;
const KEPT: usize = 40;

/// Drops plans that say nothing that better ones do not say: those that are the same, and beyond the best those in which every argument and result lies as in
/// one before.
fn keep_telling(plans: &mut Vec<Judged>) {
    let mut kept: Vec<Judged> = Vec::new();
    let mut known = FxHashSet::default();
    for plan in plans.drain(..) {
        let same = |better: &Judged| {
            better.arguments == plan.arguments
                && better.results == plan.results
                && better.constraints == plan.constraints
                && better.choices == plan.choices
        };
        if kept.len() >= KEPT || kept.iter().any(same) {
            continue;
        }
        let arguments = plan.arguments.iter().map(|(n, sharding)| (true, *n, sharding.clone()));
        let results = plan.results.iter().map(|(n, sharding)| (false, *n, sharding.clone()));
        let new = arguments.chain(results).filter(|entry| known.insert(entry.clone())).count() > 0;
        if kept.len() < BEST || new {
            kept.push(plan);
        }
    }
    *plans = kept;
}

#[cfg(test)]
mod tests {
    use super::preferred;

    #[test]
    fn fewer_collectives_are_worth_a_part_of_the_margin() {
        let taken = |plans: &[(f64, u64)], margin| preferred(plans.iter().copied(), margin);
        // Half of the collectives for a tenth more time, and hardly fewer of them for the same.
        assert_eq!(taken(&[(1.0, 1000), (1.1, 500)], 0.25), Some(1));
        assert_eq!(taken(&[(1.0, 1000), (1.1, 990)], 0.25), Some(0));
        // Nothing is worth more than the margin.
        assert_eq!(taken(&[(1.0, 1000), (1.3, 0)], 0.25), Some(0));
        // Without a margin the fastest, and of those as fast the one with fewer.
        assert_eq!(taken(&[(1.0, 1000), (1.0, 500), (1.001, 0)], 0.0), Some(1));
        assert_eq!(taken(&[], 0.25), None);
    }
}
