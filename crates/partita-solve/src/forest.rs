//! The best choice for a forest of nodes while all others stay as they are.
//!
//! A program's graph is nearly a tree: a large random part of it has no cycle. For that part the best choice is found
//! exactly, from the leaves to the roots, in time linear in the tables.

use crate::model::{Link, Model};
use crate::random::Random;

/// Not in the forest.
const OUT: u32 = u32::MAX;
/// In the forest, but not yet in a tree.
const UNSEEN: u32 = u32::MAX - 1;

/// Room for forests over one model.
pub struct Forest {
    /// For each node its tree, as a union-find; `OUT` where it stays as it is.
    tree: Vec<u32>,
    /// The nodes, parents before their children.
    order: Vec<u32>,
    /// Each node's link to its parent; `OUT` for roots.
    parent: Vec<u32>,
    /// What each strategy costs with the best choice below it.
    costs: Vec<f64>,
    keys: Vec<(f64, u32)>,
    stack: Vec<u32>,
}

impl Forest {
    /// Room for forests over a model.
    pub fn new(model: &Model) -> Forest {
        Forest {
            tree: vec![OUT; model.len()],
            order: Vec::new(),
            parent: vec![OUT; model.len()],
            costs: vec![0.0; model.unary.len()],
            keys: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Picks a forest among the candidates: nodes are taken in random order where they close no cycle. With a positive
    /// `bias` nodes of many edges come late, with a negative one early.
    pub fn pick(&mut self, model: &Model, candidates: &[u32], bias: f64, random: &mut Random) {
        for &node in &self.order {
            self.tree[node as usize] = OUT;
        }
        self.order.clear();
        self.keys.clear();
        for &node in candidates {
            let degree = model.links(node as usize).len().max(1) as f64;
            self.keys.push((random.unit() * degree.powf(bias), node));
        }
        self.keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for index in 0..self.keys.len() {
            self.try_add(model, self.keys[index].1);
        }
        self.orient(model, random);
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.tree[node as usize] != node {
            let up = self.tree[self.tree[node as usize] as usize];
            self.tree[node as usize] = up;
            node = up;
        }
        node
    }

    fn try_add(&mut self, model: &Model, node: u32) {
        self.stack.clear();
        for link in model.links(node as usize) {
            if self.tree[link.other as usize] != OUT {
                let root = self.find(link.other);
                self.stack.push(root);
            }
        }
        // Two neighbours in one tree would close a cycle.
        self.stack.sort_unstable();
        if self.stack.windows(2).any(|pair| pair[0] == pair[1]) {
            return;
        }
        self.tree[node as usize] = node;
        for index in 0..self.stack.len() {
            self.tree[self.stack[index] as usize] = node;
        }
        self.order.push(node);
    }

    /// Puts parents before their children, from random roots.
    fn orient(&mut self, model: &Model, random: &mut Random) {
        let chosen = std::mem::take(&mut self.order);
        for &node in &chosen {
            self.parent[node as usize] = UNSEEN;
        }
        let start = if chosen.is_empty() { 0 } else { random.below(chosen.len()) };
        for &root in chosen[start..].iter().chain(&chosen[..start]) {
            if self.parent[root as usize] != UNSEEN {
                continue;
            }
            self.parent[root as usize] = OUT;
            self.stack.clear();
            self.stack.push(root);
            while let Some(node) = self.stack.pop() {
                self.order.push(node);
                for id in model.link_ids(node as usize) {
                    let link = model.link(id as u32);
                    let child = link.other as usize;
                    if self.tree[child] == OUT || self.parent[child] != UNSEEN {
                        continue;
                    }
                    self.parent[child] = model.opposite[id];
                    self.stack.push(link.other);
                }
            }
        }
    }

    /// Gives the forest its best choice under the given costs of strategies; other nodes are left alone.
    pub fn optimise(&mut self, model: &Model, unary: &[f64], choice: &mut [u32]) {
        for &node in &self.order {
            let range = model.strategies(node as usize);
            let width = range.len();
            let costs = &mut self.costs[range.clone()];
            costs.copy_from_slice(&unary[range]);
            for link in model.links(node as usize) {
                if self.tree[link.other as usize] == OUT {
                    let row = model.row(link.other_rows, choice[link.other as usize] as usize, width);
                    for (cost, add) in costs.iter_mut().zip(row) {
                        *cost += add;
                    }
                }
            }
        }
        for &node in self.order.iter().rev() {
            let parent = self.parent[node as usize];
            if parent != OUT {
                send(model, &mut self.costs, node as usize, model.link(parent));
            }
        }
        for &node in &self.order {
            let range = model.strategies(node as usize);
            let width = range.len();
            let costs = &self.costs[range];
            let old = choice[node as usize] as usize;
            let parent = self.parent[node as usize];
            let best = if parent == OUT {
                cheapest(width, old, |own| costs[own])
            } else {
                let link = model.link(parent);
                let row = model.row(link.other_rows, choice[link.other as usize] as usize, width);
                cheapest(width, old, |own| costs[own] + row[own])
            };
            choice[node as usize] = best as u32;
        }
    }
}

/// Adds to a parent's costs what the best choice of a child adds.
fn send(model: &Model, costs: &mut [f64], child: usize, to_parent: Link) {
    let (from, to) = (model.strategies(child), model.strategies(to_parent.other as usize));
    let width = from.len();
    let (low, high) = costs.split_at_mut(from.start.max(to.start));
    let (costs, sums) = if from.start < to.start {
        (&low[from], &mut high[..to.len()])
    } else {
        (&high[..from.len()], &mut low[to])
    };
    for (index, sum) in sums.iter_mut().enumerate() {
        *sum += least_sum(costs, model.row(to_parent.other_rows, index, width));
    }
}

/// The least of the sums of two rows.
pub fn least_sum(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(f64::INFINITY, |least, (a, b)| {
        let sum = a + b;
        if sum < least { sum } else { least }
    })
}

/// The strategy of least cost, the present one among equals.
fn cheapest(width: usize, old: usize, cost: impl Fn(usize) -> f64) -> usize {
    let mut best = old;
    let mut least = cost(old);
    for own in 0..width {
        let cost = cost(own);
        if cost < least {
            (best, least) = (own, cost);
        }
    }
    best
}
