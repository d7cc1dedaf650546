//! A tree search over plans: UCT, in which plans that are reached in several ways are one.

use super::moves::{self, Move};
use crate::assignment::Assignment;
use crate::estimate::{Estimate, Estimator};
use crate::space::{ClassId, Space};
use rustc_hash::FxHashMap;

/// How much what was seldom looked at is preferred.
const CURIOSITY: f64 = 0.3;

struct Node {
    plan: Assignment,
    estimate: Estimate,
    /// What it costs.
    cost: f64,
    /// The least cost below it.
    best: f64,
    visits: u32,
    /// Decisions that were not tried yet, the most promising last.
    untried: Vec<Move>,
    children: Vec<usize>,
    /// Whether everything below was looked at.
    complete: bool,
}

/// The plans that were looked at.
pub(super) struct Tree<'s> {
    space: &'s Space,
    decisions: Vec<ClassId>,
    nodes: Vec<Node>,
    known: FxHashMap<Assignment, usize>,
    limit: u64,
    random: u64,
}

impl<'s> Tree<'s> {
    pub(super) fn new(
        space: &'s Space,
        root: Assignment,
        estimator: &mut Estimator<'_>,
        seed: u64,
    ) -> Tree<'s> {
        let mut tree = Tree {
            space,
            decisions: space.decisions(),
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
            if let Some(next) = self.nodes[at].untried.pop() {
                let plan = next.apply(&self.nodes[at].plan, self.space);
                if let Some(&known) = self.known.get(&plan) {
                    if !self.nodes[at].children.contains(&known) {
                        self.nodes[at].children.push(known);
                    }
                    self.settle(&path);
                    continue;
                }
                let (child, estimate) = self.add(plan, estimator);
                self.nodes[at].children.push(child);
                path.push(child);
                self.settle(&path);
                for &node in &path {
                    self.nodes[node].visits += 1;
                }
                return Some((estimate, self.nodes[0].best));
            }
            match self.choose(at) {
                Some(child) => path.push(child),
                None => {
                    self.nodes[at].complete = true;
                    self.settle(&path);
                    path.pop();
                    if path.is_empty() {
                        return None;
                    }
                }
            }
        }
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
        let mut untried = moves::open(self.space, &self.decisions, estimator.sizes(), &plan);
        // Classes with the most work are tried first; the seed turns the order of what is left.
        untried.reverse();
        if self.random > 1 && !untried.is_empty() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            let turn = (self.random % untried.len() as u64) as usize;
            untried.rotate_left(turn);
        }
        let complete = untried.is_empty();
        self.known.insert(plan.clone(), self.nodes.len());
        self.nodes.push(Node {
            plan,
            estimate,
            cost,
            best: cost,
            visits: 1,
            untried,
            children: Vec::new(),
            complete,
        });
        (self.nodes.len() - 1, estimate)
    }

    /// The child to look below next.
    fn choose(&self, at: usize) -> Option<usize> {
        let node = &self.nodes[at];
        let total = f64::from(node.visits).ln().max(0.0);
        let score = |child: usize| {
            let child = &self.nodes[child];
            self.nodes[0].best / child.best + CURIOSITY * (total / f64::from(child.visits)).sqrt()
        };
        let open = node.children.iter().copied().filter(|c| !self.nodes[*c].complete);
        open.max_by(|a, b| score(*a).total_cmp(&score(*b)).then(b.cmp(a)))
    }

    /// Tells the plans of a path what is below them.
    fn settle(&mut self, path: &[usize]) {
        for &at in path.iter().rev() {
            let node = &self.nodes[at];
            let best = node.children.iter().map(|c| self.nodes[*c].best).fold(node.cost, f64::min);
            let done = node.untried.is_empty() && node.children.iter().all(|c| self.nodes[*c].complete);
            let node = &mut self.nodes[at];
            node.best = best;
            node.complete = done;
        }
    }
}
