//! The search: which decisions to take.
//!
//! Plans grow one decision at a time, and every one of them is a correct program, so each is judged where it stands. The quick judge orders
//! them in a tree search ([`tree`]); the full judge has the last word on the best few.

mod moves;
mod tree;
mod walk;

pub use moves::Move;

use crate::assignment::Assignment;
use crate::cut::Cut;
use crate::estimate::{Estimate, Estimator};
use crate::ranker::{Lessons, Ranker};
use crate::truth::{Judge, Judged};
use partita::Diagnostic;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tree::Tree;

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Plans that the quick judge looks at.
    pub estimates: usize,
    /// Plans that the full judge looks at.
    pub judgements: usize,
    /// Time.
    pub time: Duration,
    /// What ties are broken by.
    pub seed: u64,
    /// A plan that takes longer by at most this part of the time of the fastest is preferred to it if it has fewer collectives.
    pub margin: f64,
    /// Whether the learned ranker says what is tried first.
    pub ranker: bool,
    /// How many plans a ranker is told about, to learn from.
    pub lessons: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            estimates: 6000,
            judgements: 12,
            time: Duration::from_secs(60),
            seed: 0,
            margin: 0.1,
            ranker: true,
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
    /// The plans that were judged in full, the best first.
    pub plans: Vec<Judged>,
    /// How many plans the quick judge looked at.
    pub estimates: usize,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took.
    pub time: Duration,
    /// What the best choice in the strategy graph costs that was found, and what none can be below, in seconds.
    pub graph: Option<(f64, f64)>,
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
    let limit = estimator.memory_limit();
    let ranker = if limits.ranker { Ranker::built_in() } else { None };
    let root = fixed.clone().canonical(judge.space);
    let mut tree = Tree::new(judge.space, judge.machine, ranker.as_ref(), root, estimator, limits.seed);
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
    let mut plans: Vec<Judged> = Vec::new();
    let (mut tried, mut seen, mut failure) = (Vec::new(), FxHashSet::default(), None);
    // What programs hold beside what the quick judge thinks: learned from those that were judged in full.
    let mut memory = 1.0;
    'rounds: while seen.len() < limits.judgements {
        let over = start.elapsed() > limits.time || stop == Stop::Interrupted;
        if over && !plans.is_empty() {
            break;
        }
        let size = if over { 1 } else { ROUND.min(limits.judgements - seen.len()) };
        let mut round: Vec<(usize, f64, Estimate)> = Vec::new();
        while round.len() < size {
            let Some(next) = tree.best(memory, &tried) else { break };
            tried.push(next.0);
            // Other decisions may come to the same.
            if seen.insert(estimator.cuts(tree.plan(next.0))) {
                round.push(next);
            }
        }
        if round.is_empty() {
            break;
        }
        let cut = |(number, ..): &(usize, f64, Estimate)| {
            let plan = tree.plan(*number);
            (plan, estimator.cuts(plan))
        };
        let cuts: Vec<_> = round.iter().map(cut).collect();
        for (outcome, (_, cost, estimate)) in judge_all(judge, &cuts, false).into_iter().zip(&round) {
            match outcome {
                Ok(judged) => {
                    memory = judged.cost.memory as f64 / estimate.memory.max(1) as f64;
                    let event = Event::Judged { number: plans.len() + 1, estimate: *cost, judged: &judged };
                    let go_on = watch(event);
                    plans.push(judged);
                    if !go_on {
                        stop = Stop::Interrupted;
                        break 'rounds;
                    }
                }
                // A plan that cannot be partitioned is none; there are others.
                Err(error) => failure = Some(error),
            }
        }
    }
    if let (true, Some(error)) = (plans.is_empty(), failure) {
        return Err(error);
    }
    let mut graph = None;
    let ways = if judge.subject.module().ops.len() > MANY { 1 } else { SENDING.len() };
    let mut sending = &SENDING[..ways];
    for _ in 0..TIGHTER {
        let mut solutions = Vec::new();
        for &sending in sending {
            if stop == Stop::Interrupted || start.elapsed() > limits.time {
                break;
            }
            let Some(strategies) = estimator.strategy_graph(fixed, memory, sending) else { break };
            let solved = strategies.solve(MOVES, start + limits.time, limits.seed);
            graph = graph.or(Some((solved.cost, solved.lower_bound)));
            if solved.fits && seen.insert(solved.cuts.clone()) {
                solutions.push(solved);
            }
        }
        let cuts: Vec<_> = solutions.iter().map(|solved| (fixed, solved.cuts.clone())).collect();
        let mut least = f64::INFINITY;
        for (judged, solved) in judge_all(judge, &cuts, true).into_iter().zip(&solutions) {
            // A plan that cannot be partitioned is none.
            let Ok(judged) = judged else { continue };
            least = least.min(judged.cost.memory as f64 / limit.max(1) as f64);
            let event = Event::Judged { number: plans.len() + 1, estimate: solved.cost, judged: &judged };
            if !watch(event) {
                stop = Stop::Interrupted;
            }
            plans.push(judged);
        }
        // Where nothing fits yet, a graph with as much less memory as these plans were too large may have one that does.
        if !least.is_finite() || plans.iter().any(|plan| plan.cost.memory <= limit) {
            break;
        }
        memory *= least * SPARE;
        sending = &SENDING[..1];
    }
    choose(&mut plans, limit, limits.margin);
    Ok(Found { plans, estimates: tree.evaluations(), stop, time: start.elapsed(), graph })
}

/// How much sending counts in the strategy graphs that are solved: as it is, which gives the bound, and less or more, for some of it may take place beside
/// computing, and links may be shared.
const SENDING: [f64; 4] = [1.0, 0.5, 0.25, 2.0];

/// How often strategy graphs are solved where nothing fits memory, each time with less of it, and how much less than what was missing.
const TIGHTER: usize = 4;
const SPARE: f64 = 1.05;

/// Of programs with more operations than this only the first of these graphs is solved: to judge a plan takes long.
const MANY: usize = 20_000;

/// Moves of the local search in the strategy graph: what is left after its reductions and prices needs few.
const MOVES: u64 = 2000;

/// So many plans are judged in full at a time, whatever the number of threads: what is judged next depends on them.
const ROUND: usize = 4;

/// Judges plans in full, on all cores: decisions, and how kinds of tensors are split.
fn judge_all(
    judge: &Judge<'_, '_>,
    plans: &[(&Assignment, Vec<Cut>)],
    by_tensor: bool,
) -> Vec<Result<Judged, Diagnostic>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(plans.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some((plan, cuts)) = plans.get(n) else { return done };
            done.push((n, judge.judge(plan, cuts, by_tensor)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Sorts plans: those that fit by time, but first the one with the fewest collectives of those that take hardly longer than the fastest.
/// Every collective is a moment at which devices wait for each other, for reasons that no simulation knows. A plan that says of every tensor by itself
/// how it lies is harder to read and to change than a few decisions, and has to gain more than the margin twice over.
fn choose(plans: &mut [Judged], limit: u64, margin: f64) {
    let rank = |plan: &Judged| {
        let many = if plan.by_tensor { (1.0 + margin) * (1.0 + margin) } else { 1.0 };
        plan.cost.rank(limit) * many
    };
    plans.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let Some(fastest) = plans.first().map(rank) else { return };
    let near = plans.iter().take_while(|plan| rank(plan) <= fastest * (1.0 + margin)).enumerate();
    if let Some((simplest, _)) = near.min_by_key(|(n, plan)| (plan.cost.executions, *n)) {
        plans[..=simplest].rotate_right(1);
    }
}
