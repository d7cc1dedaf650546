//! From a problem to the best choice that time allows, and a bound on how much better any other can be.
//!
//! 1. The problem is reduced ([`crate::reduce`]).
//! 2. Prices for memory are found, with a lower bound and first choices that fit ([`crate::prices`]). Strategies that no
//!    cheaper choice can have go, which allows more reductions, and so on for a few rounds.
//! 3. What is left is tried exhaustively where it is little ([`crate::branch`]).
//! 4. Threads walk from the best choice ([`crate::local`]) until time is up, and meet now and then.

use crate::branch::Branching;
use crate::closest::closest;
use crate::local::Walk;
use crate::model::Model;
use crate::prices::{Priced, find_prices};
use crate::problem::Problem;
use crate::project::project;
use crate::random::Random;
use crate::reduce::{Graph, reduce};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to stop, and how to search.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Stop then.
    pub deadline: Option<Instant>,
    /// Stop after so many moves of each thread. Without a deadline the same limit and seed give the same solution.
    pub moves: Option<u64>,
    /// How many threads search.
    pub threads: usize,
    /// What random decisions depend on.
    pub seed: u64,
    /// Stop when this is set, from another thread or a signal.
    pub stop: Option<&'a AtomicBool>,
    /// A solution to start from; the result is never worse where it is feasible.
    pub start: Option<&'a [u32]>,
    /// Stop where the best solution costs at most this share more than the lower bound.
    pub gap: f64,
    /// Passes over the model that find prices, in each round.
    pub passes: u32,
    /// Rounds of prices and reductions before each walk.
    pub rounds: usize,
    /// Walks, each after rounds of its own.
    pub walks: usize,
    /// Graphs that branching may look at.
    pub branches: u32,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits {
            deadline: None,
            moves: None,
            threads: 2,
            seed: 0,
            stop: None,
            start: None,
            gap: 0.0,
            passes: PASSES,
            rounds: ROUNDS,
            walks: WALK_SHARES.len(),
            branches: BRANCHES,
        }
    }
}

impl Limits<'_> {
    fn interrupted(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn go_on(&self) -> bool {
        !self.interrupted() && self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// The same limits with a deadline after a share of the time that is left.
    fn share(self, share: f64) -> Self {
        let now = Instant::now();
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(now).mul_f64(share));
        Limits { deadline: left.map(|left| now + left), ..self }
    }
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing can be better.
    Optimal,
    /// The best solution is as close to the bound as was asked for.
    Gap,
    /// No choice fits, whatever is picked.
    Infeasible,
    /// The deadline has come.
    TimeLimit,
    /// All moves were made.
    MoveLimit,
    /// Somebody asked to stop.
    Interrupted,
}

/// What the search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best choice, one strategy per node; where `feasible` is false, the one that comes closest to the limit.
    pub solution: Vec<u32>,
    /// What it costs.
    pub cost: i128,
    /// The most memory it holds at any time.
    pub peak_usage: i128,
    /// Whether it fits, and picks nothing forbidden.
    pub feasible: bool,
    /// Whether it picks something forbidden, because every choice does.
    pub forbidden: bool,
    /// No solution costs less.
    pub lower_bound: i128,
    /// Why the search ended.
    pub stop_reason: StopReason,
    /// Moves of all threads.
    pub moves: u64,
}

/// How far the search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What the best solution so far costs.
    pub cost: Option<i128>,
    /// No solution costs less.
    pub lower_bound: i128,
    /// Moves of all threads so far.
    pub moves: u64,
}

/// Rounds of prices and reductions.
const ROUNDS: usize = 4;
/// Passes in each round.
const PASSES: u32 = 500;
/// Models with more table entries than this get fewer of them where moves are counted, but so many at least.
const LARGE: usize = 1_000_000;
const FEWEST_PASSES: u32 = 50;
/// Passes in a round while nothing fits.
const MOST_PASSES: u32 = 5000;
/// The share of the time left that a round may take.
const ROUND_SHARE: f64 = 0.08;
/// Models with more table entries than this are not branched on: each step would take too long.
const LARGEST_TO_EXHAUST: usize = 200_000;
/// Graphs that branching may look at, and the share of the time left that it may take.
const BRANCHES: u32 = 2000;
const BRANCH_SHARE: f64 = 0.1;
/// The share of the time left, and of all moves, that each walk may take.
const WALK_SHARES: [f64; 3] = [0.15, 0.4, 1.0];
/// Threads meet after so many moves at first, and after more and more later.
const FIRST_CYCLE: u64 = 1000;
const LONGEST_CYCLE: u64 = 50_000;
/// How much costlier choices a walk accepts at first, as a share of the cost: some cycles roam, some settle.
const HEATS: [f64; 4] = [1e-3, 1e-4, 5e-3, 3e-4];

/// Solves a problem as well as the limits allow.
pub fn solve(problem: &Problem, limits: Limits, mut progress: impl FnMut(Progress)) -> Outcome {
    let mut incumbent = Incumbent { problem, best: None };
    if let Some(start) = limits.start.filter(|start| start.len() == problem.nodes().len()) {
        incumbent.offer(start.to_vec());
    }
    let random = Random::new(limits.seed);
    let mut search = Search { problem, limits, incumbent, lower_bound: 0, moves: 0, random };
    let stop_reason = search.run(&mut progress);
    search.outcome(stop_reason)
}

/// The best solution so far.
pub struct Incumbent<'p> {
    problem: &'p Problem,
    best: Option<(i128, Vec<u32>)>,
}

impl Incumbent<'_> {
    /// Keeps a solution if it is feasible and the best so far.
    pub fn offer(&mut self, solution: Vec<u32>) {
        let evaluation = self.problem.evaluate(&solution);
        let better = self.best.as_ref().is_none_or(|(cost, _)| evaluation.cost < *cost);
        if better && self.problem.is_feasible(&evaluation) {
            self.best = Some((evaluation.cost, solution));
        }
    }

    /// What it costs.
    pub fn cost(&self) -> Option<f64> {
        self.best.as_ref().map(|(cost, _)| *cost as f64)
    }

    /// Whether solutions that cost at least `bound` are of no interest, where the best may cost this share more.
    pub fn is_beaten_by(&self, bound: i128, gap: f64) -> bool {
        let close = |cost: i128| cost <= bound || cost as f64 <= bound as f64 * (1.0 + gap);
        self.best.as_ref().is_some_and(|(cost, _)| close(*cost))
    }
}

/// Passes in a round where moves are counted and not seconds: fewer over large models, for each takes longer.
fn affordable(passes: u32, model: &Model) -> u32 {
    let part = LARGE as f64 / model.tables.len().max(LARGE) as f64;
    (f64::from(passes) * part).max(f64::from(FEWEST_PASSES.min(passes))) as u32
}

struct Search<'p> {
    problem: &'p Problem,
    limits: Limits<'p>,
    incumbent: Incumbent<'p>,
    /// No solution better than the incumbent costs less.
    lower_bound: i128,
    moves: u64,
    random: Random,
}

impl Search<'_> {
    fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> StopReason {
        let start = Instant::now();
        let mut graph = Graph::new(self.problem);
        if reduce(&mut graph, true).is_err() {
            return StopReason::Infeasible;
        }
        let reducing = start.elapsed();
        let mut prices: Option<Vec<f64>> = None;
        // A better solution makes more strategies needless: a first walk only prepares the next reductions.
        for share in WALK_SHARES.into_iter().take(self.limits.walks) {
            let (model, priced) = match self.tighten(&mut graph, prices.take(), reducing, progress) {
                Ok(tightened) => tightened,
                Err(reason) => return reason,
            };
            let exported = model.export_prices(&priced.prices);
            if model.tables.len() <= LARGEST_TO_EXHAUST
                && let Some(reason) = self.exhaust(graph.clone(), &exported)
            {
                return reason;
            }
            let phase = self.limits.share(share);
            let phase = Limits {
                moves: self.limits.moves.map(|moves| (moves as f64 * share).ceil() as u64),
                ..phase
            };
            if let Some(reason) = self.walk(&model, priced, phase, progress) {
                return reason;
            }
            prices = Some(exported);
        }
        self.reason_to_stop().unwrap_or(StopReason::MoveLimit)
    }

    /// Rounds of prices and reductions, until the graph gets no smaller.
    fn tighten(
        &mut self,
        graph: &mut Graph,
        mut prices: Option<Vec<f64>>,
        reducing: Duration,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Model, Priced), StopReason> {
        for round in 1.. {
            let model = Model::new(graph);
            let priced = self.price(&model, prices.as_deref());
            progress(self.progress());
            if let Some(reason) = self.is_close() {
                return Err(reason);
            }
            let size = graph.size();
            if round < self.limits.rounds && self.has_time_for(reducing) {
                // Where that leaves nothing, nothing would be as cheap as the best.
                let dropped = graph.drop_strategies(&model, &priced.needless);
                dropped.and_then(|()| reduce(graph, true)).map_err(|_| StopReason::Optimal)?;
            }
            if graph.size() == size {
                return Ok((model, priced));
            }
            prices = Some(model.export_prices(&priced.prices));
        }
        Err(StopReason::TimeLimit)
    }

    /// Whether something that cannot be interrupted leaves most of the time to the search.
    fn has_time_for(&self, duration: Duration) -> bool {
        let left = self.limits.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        !self.limits.interrupted() && left.is_none_or(|left| left > 10 * duration)
    }

    /// Finds prices, a bound and a first choice.
    fn price(&mut self, model: &Model, prices: Option<&[f64]>) -> Priced {
        let start = prices.map_or_else(|| vec![0.0; model.moments()], |prices| model.import_prices(prices));
        let round = self.limits.share(ROUND_SHARE);
        let (known, limits) = (self.incumbent.cost(), self.limits);
        // While nothing fits, there is nothing better to do.
        let passes = if limits.moves.is_some() { affordable(limits.passes, model) } else { limits.passes };
        let go_on = |pass: u32, fits: bool| {
            if fits { pass < passes && round.go_on() } else { pass < MOST_PASSES && limits.go_on() }
        };
        let priced = find_prices(model, start, known, limits.gap, &mut self.random, go_on);
        if let Some((_, choice)) = &priced.choice {
            self.incumbent.offer(model.expand(choice));
        }
        self.lower_bound = self.lower_bound.max(priced.bound);
        priced
    }

    /// Tries everything that is left, where that is not too much.
    fn exhaust(&mut self, graph: Graph, prices: &[f64]) -> Option<StopReason> {
        let limits = self.limits.share(BRANCH_SHARE);
        let mut branching = Branching {
            incumbent: &mut self.incumbent,
            budget: self.limits.branches,
            gap: self.limits.gap,
            random: &mut self.random,
            go_on: || limits.go_on(),
        };
        if !branching.exhaust(graph, Some(prices)) {
            return None;
        }
        let gap = self.limits.gap;
        Some(match &self.incumbent.best {
            None => StopReason::Infeasible,
            Some(_) if gap == 0.0 => StopReason::Optimal,
            Some((cost, _)) => {
                self.lower_bound = self.lower_bound.max((*cost as f64 / (1.0 + gap)) as i128);
                StopReason::Gap
            }
        })
    }

    /// Walks until the phase is over; gives a reason where that is the end of the search.
    fn walk(
        &mut self,
        model: &Model,
        priced: Priced,
        phase: Limits,
        progress: &mut dyn FnMut(Progress),
    ) -> Option<StopReason> {
        let best = self.incumbent.best.as_ref();
        let best = best.and_then(|(_, solution)| project(model, solution, &mut self.random));
        let found = priced.choice.map(|(_, choice)| choice);
        let mut starts: Vec<Vec<u32>> = best.into_iter().chain(found).collect();
        let threads = self.limits.threads.max(1);
        while !starts.is_empty() && starts.len() < threads {
            starts.push(starts[0].clone());
        }
        let mut walks: Vec<Walk> = Vec::new();
        for (index, start) in starts.into_iter().take(threads).enumerate() {
            // Another phase goes other ways.
            let seed = self.random.next().wrapping_add(index as u64);
            walks.push(Walk::new(model, start, priced.memory_costs.clone(), seed));
        }
        let mut cycle = FIRST_CYCLE;
        let mut round = 0;
        loop {
            let made = self.moves / threads as u64;
            let over = !phase.go_on() || phase.moves.is_some_and(|most| made >= most);
            if over || walks.is_empty() || self.reason_to_stop().is_some() {
                return self.reason_to_stop();
            }
            let moves = phase.moves.map_or(cycle, |most| cycle.min(most - made));
            std::thread::scope(|scope| {
                for (index, walk) in walks.iter_mut().enumerate() {
                    let heat = HEATS[(round + index) % HEATS.len()];
                    scope.spawn(move || walk.run(moves, heat, || phase.go_on()));
                }
            });
            self.moves += moves * threads as u64;
            self.meet(model, &mut walks, round);
            progress(self.progress());
            cycle = (cycle + cycle / 4).min(LONGEST_CYCLE);
            round += 1;
        }
    }

    /// Takes over what the walks found; one that is behind goes on from the best, every few rounds.
    fn meet(&mut self, model: &Model, walks: &mut [Walk], round: usize) {
        let best = walks.iter().min_by(|a, b| a.best.0.total_cmp(&b.best.0));
        let Some(best) = best.map(|walk| walk.best.clone()) else { return };
        if self.incumbent.cost().is_none_or(|cost| best.0 < cost) {
            self.incumbent.offer(model.expand(&best.1));
        }
        if round % HEATS.len() == HEATS.len() - 1 {
            for walk in walks.iter_mut().filter(|walk| walk.best.0 > best.0) {
                walk.go_to(best.1.clone());
            }
        }
    }

    /// The reason to stop where nothing much better is left.
    fn is_close(&self) -> Option<StopReason> {
        if self.incumbent.is_beaten_by(self.lower_bound, 0.0) {
            return Some(StopReason::Optimal);
        }
        self.incumbent.is_beaten_by(self.lower_bound, self.limits.gap).then_some(StopReason::Gap)
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        let moves = self.moves / self.limits.threads.max(1) as u64;
        if let Some(reason) = self.is_close() {
            Some(reason)
        } else if self.limits.interrupted() {
            Some(StopReason::Interrupted)
        } else if !self.limits.go_on() {
            Some(StopReason::TimeLimit)
        } else if self.limits.moves.is_some_and(|most| moves >= most) {
            Some(StopReason::MoveLimit)
        } else {
            None
        }
    }

    fn progress(&self) -> Progress {
        let cost = self.incumbent.best.as_ref().map(|(cost, _)| *cost);
        Progress { cost, lower_bound: self.bound(), moves: self.moves }
    }

    /// The bound holds for solutions better than the best, whose own cost is a bound as well.
    fn bound(&self) -> i128 {
        self.incumbent.best.as_ref().map_or(self.lower_bound, |(cost, _)| self.lower_bound.min(*cost))
    }

    fn outcome(self, stop_reason: StopReason) -> Outcome {
        let bound = self.bound();
        let (problem, limits) = (self.problem, self.limits);
        let solution = self.incumbent.best.map(|(_, solution)| solution);
        let solution = solution
            .or_else(|| closest(problem, limits.seed, || limits.go_on()))
            .unwrap_or_else(|| vec![0; problem.nodes().len()]);
        let evaluation = problem.evaluate(&solution);
        Outcome {
            feasible: problem.is_feasible(&evaluation),
            forbidden: evaluation.forbidden,
            cost: evaluation.cost,
            peak_usage: evaluation.peak_usage,
            solution,
            lower_bound: if stop_reason == StopReason::Optimal { evaluation.cost } else { bound },
            stop_reason,
            moves: self.moves,
        }
    }
}
