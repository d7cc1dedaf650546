//! The plans that were looked at, and the walks that find them. Plans that are reached in several ways are one.

use super::Limits;
use super::moves::{self, Move};
use super::trials::{MOST_COSTS, affordable};
use super::walk::Walk;
use crate::ranker::{Lesson, Lessons, Ranker, Surroundings};
use partita::complete::Machine;
use partita::complete::{Assignment, Store};
use partita::complete::{ClassId, Space};
use partita::complete::{Estimate, Estimator, Relaxation};
use rustc_hash::FxHashMap;

/// A plan that was looked at.
pub(super) struct Looked {
    pub(super) plan: Assignment,
    pub(super) estimate: Estimate,
    /// What it costs.
    pub(super) cost: f64,
    /// What it and all plans with further decisions cost at least.
    pub(super) bound: f64,
}

/// The plans that were looked at, and what they are made of.
pub(super) struct Plans<'s> {
    pub(super) space: &'s Space,
    pub(super) surroundings: Surroundings<'s>,
    decisions: Vec<ClassId>,
    sizes: Vec<i64>,
    pub(super) list: Vec<Looked>,
    pub(super) known: FxHashMap<Assignment, usize>,
    /// The least cost of all.
    best: f64,
    limit: u64,
    /// What plans cost at least.
    relaxation: Option<Relaxation>,
}

/// No further decisions are taken where the outcome costs at least so many times as much as the best plan: the full judge may see it otherwise,
/// but not by so much.
const HOPELESS: f64 = 1.05;

impl Plans<'_> {
    /// Decisions that a plan leaves open.
    pub(super) fn open(&self, plan: &Assignment) -> Vec<Move> {
        moves::open(self.space, &self.decisions, &self.sizes, plan)
    }

    /// Looks at a plan.
    fn add(&mut self, plan: Assignment, estimator: &mut Estimator<'_>) {
        let estimate = estimator.estimate(&plan);
        let cost = estimate.cost(self.limit) * moves::simplicity(self.space, &plan);
        let bound = self.relaxation.as_mut().map_or(0.0, |relaxation| {
            // Decisions that follow may split state elsewhere than storage would.
            let whole = Assignment { store: vec![Store::Whole; plan.store.len()], ..plan.clone() };
            relaxation.bound(&estimator.cuts(&whole))
        });
        self.known.insert(plan.clone(), self.list.len());
        self.list.push(Looked { plan, estimate, cost, bound });
        self.best = self.best.min(cost);
    }

    /// Whether nothing that is worth looking at comes of further decisions.
    pub(super) fn is_hopeless(&self, plan: usize) -> bool {
        self.list[plan].bound > HOPELESS * self.best
    }
}

/// A search through plans.
pub(super) struct Tree<'s> {
    plans: Plans<'s>,
    /// They take turns. One goes by work alone: where a ranker is wrong, and sure of it, it finds what that does not hope for.
    walks: Vec<Walk<'s>>,
}

impl<'s> Tree<'s> {
    pub(super) fn new(
        space: &'s Space,
        machine: &'s Machine,
        ranker: Option<&'s Ranker>,
        root: Assignment,
        estimator: &mut Estimator<'_>,
        limits: &Limits,
    ) -> Tree<'s> {
        let decisions = space.decisions();
        let most = affordable(MOST_COSTS, limits);
        let graph = if limits.bounds { estimator.strategy_graph(&root, 1.0, 1.0, most) } else { None };
        let mut plans = Plans {
            space,
            surroundings: Surroundings::new(space, machine, estimator.sizes(), &decisions),
            decisions,
            sizes: estimator.sizes().to_vec(),
            list: Vec::new(),
            known: FxHashMap::default(),
            best: f64::INFINITY,
            limit: estimator.memory_limit(),
            relaxation: graph.map(|graph| graph.relaxation()),
        };
        plans.add(root, estimator);
        let cost = plans.list[0].cost;
        let guided = ranker.map(|ranker| Walk::new(Some(ranker), limits.seed, cost));
        let walks = [Walk::new(None, limits.seed, cost)].into_iter().chain(guided).collect();
        Tree { plans, walks }
    }

    /// Whether there is nothing left to look at.
    pub(super) fn is_complete(&self) -> bool {
        self.walks.iter().any(Walk::is_complete)
    }

    /// How many plans were looked at.
    pub(super) fn evaluations(&self) -> usize {
        self.plans.list.len()
    }

    /// Looks at one more plan; gives what it costs and the least cost so far.
    pub(super) fn step(&mut self, estimator: &mut Estimator<'_>) -> Option<(Estimate, f64)> {
        let number = self.plans.list.len();
        let turn = number % self.walks.len();
        let new = self.walks[turn].advance(&self.plans)?;
        self.plans.add(new.plan.clone(), estimator);
        self.walks[turn].arrive(new, number, &self.plans);
        Some((self.plans.list[number].estimate, self.plans.best))
    }

    /// The plan that costs least of those that `skip` does not name, where programs hold `memory` times what the quick judge thinks.
    pub(super) fn best(&self, memory: f64, skip: &[usize]) -> Option<(usize, f64, Estimate)> {
        let limit = (self.plans.limit as f64 / memory) as u64;
        let cost = |n: usize| {
            let looked = &self.plans.list[n];
            looked.estimate.cost(limit) * moves::simplicity(self.plans.space, &looked.plan)
        };
        let left = (0..self.plans.list.len()).filter(|n| !skip.contains(n));
        let best = left.map(|n| (cost(n), n)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        Some((best.1, best.0, self.plans.list[best.1].estimate))
    }

    /// A plan that was looked at.
    pub(super) fn plan(&self, number: usize) -> &Assignment {
        &self.plans.list[number].plan
    }

    /// What the search found out about the plans that it went on from most often.
    pub(super) fn lessons(&self, count: usize) -> Lessons {
        let Plans { space, surroundings, list, .. } = &self.plans;
        let went_on = |n: usize| self.walks.iter().filter_map(|walk| walk.went_on(n)).max();
        let mut often: Vec<(u32, usize)> = (0..list.len()).filter_map(|n| Some((went_on(n)?, n))).collect();
        often.sort_by_key(|(times, n)| (std::cmp::Reverse(*times), *n));
        let best = list.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).map(|looked| &looked.plan);
        let lesson = |(_, n): (u32, usize)| {
            let looked = &list[n];
            let moves = self.plans.open(&looked.plan);
            let further = |other: &&Looked| other.plan.extends(&looked.plan, space);
            let further: Vec<&Looked> = list.iter().filter(further).collect();
            let least = |next: &Move| {
                let plan = next.apply(&looked.plan, space);
                let with = further.iter().filter(|other| other.plan.extends(&plan, space));
                with.map(|other| other.cost).fold(f64::INFINITY, f64::min)
            };
            Lesson {
                scene: surroundings.scene(&looked.plan, &looked.estimate, &moves),
                cost: looked.cost,
                least: moves.iter().map(least).collect(),
                leads: best.is_some_and(|best| best.extends(&looked.plan, space)),
            }
        };
        let plans = often.into_iter().take(count).map(lesson).collect();
        Lessons { edges: surroundings.edges.clone(), plans }
    }
}
