//! A tree search over plans: UCT with priors, in which plans that are reached in several ways are one.

use super::moves::{self, Move};
use crate::assignment::Assignment;
use crate::estimate::{Estimate, Estimator};
use crate::machine::Machine;
use crate::ranker::{Lesson, Lessons, Ranker, Surroundings};
use crate::space::{ClassId, Space};
use rustc_hash::FxHashMap;

/// How much what is hoped for and was seldom looked at is preferred.
const CURIOSITY: f64 = 2.0;

/// The part of all hope that decisions share alike, whatever a ranker says.
const DOUBT: f64 = 0.25;

struct Node {
    plan: Assignment,
    estimate: Estimate,
    /// What it costs.
    cost: f64,
    /// The least cost below it.
    best: f64,
    visits: u32,
    /// Decisions that were not tried yet with the hope there is for them, the most promising last; nothing before the first is tried.
    untried: Option<Vec<(f64, Move)>>,
    /// Plans with a decision more, with the hope there was for it.
    children: Vec<(f64, usize)>,
    /// Whether everything below was looked at.
    complete: bool,
}

/// The plans that were looked at.
pub(super) struct Tree<'s> {
    space: &'s Space,
    decisions: Vec<ClassId>,
    surroundings: Surroundings<'s>,
    ranker: Option<&'s Ranker>,
    nodes: Vec<Node>,
    known: FxHashMap<Assignment, usize>,
    limit: u64,
    random: u64,
}

impl<'s> Tree<'s> {
    pub(super) fn new(
        space: &'s Space,
        machine: &'s Machine,
        ranker: Option<&'s Ranker>,
        root: Assignment,
        estimator: &mut Estimator<'_>,
        seed: u64,
    ) -> Tree<'s> {
        let decisions = space.decisions();
        let mut tree = Tree {
            space,
            surroundings: Surroundings::new(space, machine, estimator.sizes(), &decisions),
            ranker,
            decisions,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            limit: estimator.memory_limit(),
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        };
        tree.add(root, estimator);
        tree
    }

    /// Whether there is nothing left to look at.
    pub(super) fn is_complete(&self) -> bool {
        self.nodes[0].complete
    }

    /// How many plans were looked at.
    pub(super) fn evaluations(&self) -> usize {
        self.nodes.len()
    }

    /// Looks at one more plan; gives what it costs and the least cost so far.
    pub(super) fn step(&mut self, estimator: &mut Estimator<'_>) -> Option<(Estimate, f64)> {
        let mut path = vec![0];
        loop {
            let at = *path.last()?;
            let hope = self.untried(at, estimator.sizes()).last().map(|(hope, _)| *hope);
            if let Some(child) = self.choose(at, hope) {
                path.push(child);
                continue;
            }
            if let Some((hope, next)) = self.untried(at, estimator.sizes()).pop() {
                let plan = next.apply(&self.nodes[at].plan, self.space);
                if let Some(&known) = self.known.get(&plan) {
                    if !self.nodes[at].children.iter().any(|(_, child)| *child == known) {
                        self.nodes[at].children.push((hope, known));
                    }
                    self.settle(&path);
                    continue;
                }
                let (child, estimate) = self.add(plan, estimator);
                self.nodes[at].children.push((hope, child));
                path.push(child);
                self.settle(&path);
                for &node in &path {
                    self.nodes[node].visits += 1;
                }
                return Some((estimate, self.nodes[0].best));
            }
            // Everything below was looked at.
            self.settle(&path);
            path.pop();
            if path.is_empty() {
                return None;
            }
        }
    }

    /// The decisions of a plan that were not tried yet.
    fn untried(&mut self, at: usize, sizes: &[i64]) -> &mut Vec<(f64, Move)> {
        if self.nodes[at].untried.is_none() {
            let hopes = self.hopes(at, sizes);
            self.nodes[at].untried = Some(hopes);
        }
        self.nodes[at].untried.get_or_insert_default()
    }

    /// The decisions that a plan leaves open with the hope there is for each, the most promising last.
    fn hopes(&mut self, at: usize, sizes: &[i64]) -> Vec<(f64, Move)> {
        let node = &self.nodes[at];
        let mut moves = moves::open(self.space, &self.decisions, sizes, &node.plan);
        let alike = 1.0 / moves.len().max(1) as f64;
        let Some(ranker) = self.ranker else {
            // Classes with the most work are tried first; the seed turns the order.
            moves.reverse();
            self.turn(&mut moves);
            return moves.into_iter().map(|next| (alike, next)).collect();
        };
        let scene = self.surroundings.scene(&node.plan, &node.estimate, &moves);
        let scores = ranker.scores(&self.surroundings.edges, &scene);
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = scores.iter().map(|score| f64::from(score - highest).exp()).collect();
        let all: f64 = weights.iter().sum();
        let hope = |weight: f64| DOUBT * alike + (1.0 - DOUBT) * weight / all;
        let mut hopes: Vec<(f64, Move)> = weights.into_iter().map(hope).zip(moves).collect();
        hopes.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        hopes
    }

    /// Turns the order of decisions by the seed.
    fn turn(&mut self, moves: &mut [Move]) {
        if self.random > 1 && !moves.is_empty() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            let turn = (self.random % moves.len() as u64) as usize;
            moves.rotate_left(turn);
        }
    }

    /// What the search found out about the plans that it went on from most often.
    pub(super) fn lessons(&self, count: usize, sizes: &[i64]) -> Lessons {
        let tried = |n: &usize| self.nodes[*n].untried.is_some();
        let mut often: Vec<usize> = (0..self.nodes.len()).filter(tried).collect();
        often.sort_by_key(|n| (std::cmp::Reverse(self.nodes[*n].visits), *n));
        let best = self.nodes.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).map(|node| &node.plan);
        let lesson = |n: usize| {
            let node = &self.nodes[n];
            let moves = moves::open(self.space, &self.decisions, sizes, &node.plan);
            let further = |other: &&Node| other.plan.extends(&node.plan, self.space);
            let further: Vec<&Node> = self.nodes.iter().filter(further).collect();
            let least = |next: &Move| {
                let plan = next.apply(&node.plan, self.space);
                let with = further.iter().filter(|other| other.plan.extends(&plan, self.space));
                with.map(|other| other.cost).fold(f64::INFINITY, f64::min)
            };
            Lesson {
                scene: self.surroundings.scene(&node.plan, &node.estimate, &moves),
                cost: node.cost,
                least: moves.iter().map(least).collect(),
                leads: best.is_some_and(|best| best.extends(&node.plan, self.space)),
            }
        };
        let plans = often.into_iter().take(count).map(lesson).collect();
        Lessons { edges: self.surroundings.edges.clone(), plans }
    }

    /// The plan that costs least of those that `skip` does not name, where programs hold `memory` times what the quick judge thinks.
    pub(super) fn best(&self, memory: f64, skip: &[usize]) -> Option<(usize, f64, Estimate)> {
        let limit = (self.limit as f64 / memory) as u64;
        let cost = |n: usize| {
            let node = &self.nodes[n];
            node.estimate.cost(limit) * moves::simplicity(self.space, &node.plan)
        };
        let left = (0..self.nodes.len()).filter(|n| !skip.contains(n));
        let best = left.map(|n| (cost(n), n)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        Some((best.1, best.0, self.nodes[best.1].estimate))
    }

    /// A plan that was looked at.
    pub(super) fn plan(&self, number: usize) -> &Assignment {
        &self.nodes[number].plan
    }

    fn add(&mut self, plan: Assignment, estimator: &mut Estimator<'_>) -> (usize, Estimate) {
        let estimate = estimator.estimate(&plan);
        let cost = estimate.cost(self.limit) * moves::simplicity(self.space, &plan);
        self.known.insert(plan.clone(), self.nodes.len());
        self.nodes.push(Node {
            plan,
            estimate,
            cost,
            best: cost,
            visits: 1,
            untried: None,
            children: Vec::new(),
            complete: false,
        });
        (self.nodes.len() - 1, estimate)
    }

    /// The child to look below next; none where a decision that was not tried, with so much hope for it, is worth more.
    fn choose(&self, at: usize, untried: Option<f64>) -> Option<usize> {
        let (node, least) = (&self.nodes[at], self.nodes[0].best);
        let total = f64::from(node.visits).sqrt();
        let worth = |best: f64, hope: f64, visits: u32| {
            least / best + CURIOSITY * hope * total / f64::from(1 + visits)
        };
        let known = |&(hope, child): &(f64, usize)| {
            let child = &self.nodes[child];
            worth(child.best, hope, child.visits)
        };
        let open = node.children.iter().filter(|(_, child)| !self.nodes[*child].complete);
        let best = open.max_by(|a, b| known(a).total_cmp(&known(b)).then(b.1.cmp(&a.1)))?;
        // What is not known is taken for as good as what is.
        let new = untried.map(|hope| worth(node.best, hope, 0));
        new.is_none_or(|new| new < known(best)).then_some(best.1)
    }

    /// Tells the plans of a path what is below them.
    fn settle(&mut self, path: &[usize]) {
        for &at in path.iter().rev() {
            let node = &self.nodes[at];
            let best =
                node.children.iter().map(|(_, child)| self.nodes[*child].best).fold(node.cost, f64::min);
            let done = node.untried.as_ref().is_some_and(Vec::is_empty)
                && node.children.iter().all(|(_, child)| self.nodes[*child].complete);
            let node = &mut self.nodes[at];
            node.best = best;
            node.complete = done;
        }
    }
}
