//! The search: which decisions to take.
//!
//! Plans grow one decision at a time, and every one of them is a correct program, so each is judged where it stands. The quick judge orders
//! them in a tree search ([`tree`]); the full judge has the last word on the best few.

mod moves;
mod tree;

pub use moves::Move;

use crate::assignment::Assignment;
use crate::estimate::{Estimate, Estimator};
use crate::truth::{Judge, Judged};
use partita::Diagnostic;
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
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { estimates: 6000, judgements: 6, time: Duration::from_secs(60), seed: 0 }
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
    let mut tree = Tree::new(judge.space, fixed.clone().canonical(judge.space), estimator, limits.seed);
    // The full judge takes most of the time that there is.
    let quick = limits.time.mul_f64(0.4);
    let stop = loop {
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
    let mut plans: Vec<Judged> = Vec::new();
    let (mut tried, mut failure) = (Vec::new(), None);
    // What programs hold beside what the quick judge thinks: learned from those that were judged in full.
    let mut memory = 1.0;
    while tried.len() < limits.judgements {
        if !plans.is_empty() && (start.elapsed() > limits.time || stop == Stop::Interrupted) {
            break;
        }
        let Some((number, cost, estimate)) = tree.best(memory, &tried) else { break };
        tried.push(number);
        match judge.judge(estimator, tree.plan(number)) {
            Ok(judged) => {
                memory = judged.cost.memory as f64 / estimate.memory.max(1) as f64;
                let go_on = watch(Event::Judged { number: plans.len() + 1, estimate: cost, judged: &judged });
                plans.push(judged);
                if !go_on {
                    break;
                }
            }
            // A plan that cannot be partitioned is none; there are others.
            Err(error) => failure = Some(error),
        }
    }
    if let (true, Some(error)) = (plans.is_empty(), failure) {
        return Err(error);
    }
    let rank = |plan: &Judged| plan.cost.rank(limit) * moves::simplicity(judge.space, &plan.assignment);
    plans.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    Ok(Found { plans, estimates: tree.evaluations(), stop, time: start.elapsed() })
}
