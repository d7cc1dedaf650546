//! The strategy graph of one axis with most operations contracted.
//!
//! An operation splits as is best for the tensors it is linked to. Where these are two at most, its best cost is a table over their ways to be cut, which
//! becomes an edge between them; operations over the same two tensors share the edge. So few operations are left as nodes, and the solver is fast.

use super::graph::{OpCosts, Strategy, TICK};
use crate::complete::cut::Cut;
use crate::complete::space::KindId;
use partita_solve as solver;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Two tensors with more ways between them than this keep the operation as a node.
const LARGEST_EDGE: usize = 64;

/// The most branches of an exhaustive search, which solves small graphs exactly.
const BRANCHES: u32 = 4;

/// A strategy graph without a memory limit, in which tensors may be cut and operations split in the given ways only.
pub(super) struct ContractedGraph {
    problem: solver::Problem,
    /// The part of the cost that no choice changes, in ticks.
    constant: i64,
    /// How the tensors of each kind may be cut.
    cuts: Vec<Vec<Cut>>,
    /// The operations.
    ops: Vec<Arc<Op>>,
}

/// Operations of a kind, with their costs by strategy.
pub(super) struct Op {
    strategies: Vec<Strategy>,
    work: Vec<i64>,
    /// Costs with each tensor that has a choice, a row of ways to cut it for each strategy.
    links: Vec<(KindId, Vec<i64>)>,
}

/// The best choice that was found.
pub(super) struct Improved {
    /// How the tensors of each kind are cut.
    pub(super) cuts: Vec<Cut>,
    /// How the operations of each kind are split.
    pub(super) strategies: Vec<Strategy>,
    /// The cost in seconds before, where every tensor is cut in the first way.
    pub(super) before: f64,
    /// The cost in seconds.
    pub(super) cost: f64,
}

impl Op {
    /// Operations with these costs, where tensors may be cut in these ways. Tensors that make no difference are left out.
    pub(super) fn new(strategies: Vec<Strategy>, costs: OpCosts, cuts: &[Vec<Cut>]) -> Op {
        let mut op = Op { strategies, work: costs.work, links: Vec::new() };
        for (kind, table) in costs.links {
            let ways = cuts[kind.0 as usize].len();
            let rows = table.chunks(ways);
            if rows.clone().all(|row| row.iter().all(|cost| *cost == row[0])) {
                op.work.iter_mut().zip(rows).for_each(|(work, row)| *work += row[0]);
            } else if let Some((_, sum)) = op.links.iter_mut().find(|(other, _)| *other == kind) {
                sum.iter_mut().zip(table).for_each(|(sum, cost)| *sum += cost);
            } else {
                op.links.push((kind, table));
            }
        }
        op
    }

    /// Entries of its cost tables.
    pub(super) fn size(&self) -> usize {
        self.links.iter().map(|(_, table)| table.len()).sum()
    }

    /// Whether it is linked to too much to become a cost of one tensor or an edge between two.
    fn stays(&self, cuts: &[Vec<Cut>]) -> bool {
        let ways = |(kind, _): &(KindId, Vec<i64>)| cuts[kind.0 as usize].len();
        self.links.len() > 2 || self.links.iter().map(ways).product::<usize>() > LARGEST_EDGE
    }

    /// The cheapest strategy and its cost, the first of equals, where the tensors it is linked to are cut in these ways.
    fn best(&self, ways: impl Iterator<Item = usize> + Clone) -> (usize, i64) {
        let cost = |strategy: usize| {
            let linked = self.links.iter().zip(ways.clone());
            let sent = |((_, table), way): (&(KindId, Vec<i64>), usize)| {
                table[strategy * (table.len() / self.work.len()) + way]
            };
            self.work[strategy] + linked.map(sent).sum::<i64>()
        };
        let costs = (0..self.work.len()).map(|strategy| (strategy, cost(strategy)));
        costs.min_by_key(|(_, cost)| *cost).unwrap_or_default()
    }
}

impl ContractedGraph {
    /// The graph of operations over tensors that may be cut in these ways, at these costs of their own.
    pub(super) fn new(cuts: Vec<Vec<Cut>>, own: Vec<Vec<i64>>, ops: Vec<Arc<Op>>) -> Option<ContractedGraph> {
        let mut nodes: Vec<solver::Node> = own.into_iter().map(node).collect();
        let mut between: FxHashMap<(u32, u32), Vec<i64>> = FxHashMap::default();
        let mut edges = Vec::new();
        let mut constant = 0;
        for op in &ops {
            match op.links[..] {
                _ if op.stays(&cuts) => {
                    let number = nodes.len() as u32;
                    nodes.push(node(op.work.clone()));
                    let linked = op.links.iter().map(|(kind, costs)| (kind.0, costs.clone()));
                    edges.extend(linked.map(|(kind, costs)| solver::Edge { nodes: (number, kind), costs }));
                }
                [] => constant += op.best(std::iter::empty()).1,
                [(kind, _)] => {
                    let costs = nodes[kind.0 as usize].costs.iter_mut().enumerate();
                    costs.for_each(|(way, cost)| *cost += op.best([way].into_iter()).1);
                }
                [(a, _), (b, _), ..] => {
                    let (low, high) = (a.0.min(b.0), a.0.max(b.0));
                    let columns = cuts[high as usize].len();
                    let sums = between
                        .entry((low, high))
                        .or_insert_with(|| vec![0; cuts[low as usize].len() * columns]);
                    for (place, sum) in sums.iter_mut().enumerate() {
                        let (first, second) = (place / columns, place % columns);
                        let pair = if a.0 == low { [first, second] } else { [second, first] };
                        *sum += op.best(pair.into_iter()).1;
                    }
                }
            }
        }
        let mut between: Vec<_> = between.into_iter().collect();
        between.sort_unstable_by_key(|(pair, _)| *pair);
        edges.extend(between.into_iter().map(|(nodes, costs)| solver::Edge { nodes, costs }));
        let problem = solver::Problem::new(nodes, edges, i64::MAX).ok()?;
        Some(ContractedGraph { problem, constant, cuts, ops })
    }

    /// Looks for the best choice from the first way of every tensor and operation, by so many steps of the solver, up to a gap to the lower bound.
    pub(super) fn improve_first(&self, steps: u32, gap: f64) -> Improved {
        let mut first = vec![0; self.cuts.len()];
        let nodes = self.ops.iter().filter(|op| op.stays(&self.cuts));
        first.extend(nodes.map(|op| op.best(op.links.iter().map(|_| 0)).0 as u32));
        let seconds = |cost: i128| (cost as i64).saturating_add(self.constant) as f64 * TICK;
        let before = seconds(self.problem.evaluate(&first).cost);
        let limits = solver::Limits {
            moves: Some(u64::from(steps)),
            start: Some(&first),
            gap,
            passes: steps,
            rounds: 2,
            walks: 1,
            branches: BRANCHES,
            threads: 1,
            ..solver::Limits::default()
        };
        let outcome = solver::solve(&self.problem, limits, |_| {});
        let way = |kind: KindId| outcome.solution[kind.0 as usize] as usize;
        let split = |op: &Arc<Op>| {
            let best = op.best(op.links.iter().map(|(kind, _)| way(*kind))).0;
            op.strategies[best].clone()
        };
        Improved {
            cuts: self.cuts.iter().zip(&outcome.solution).map(|(ways, n)| ways[*n as usize]).collect(),
            strategies: self.ops.iter().map(split).collect(),
            before,
            cost: seconds(outcome.cost),
        }
    }
}

/// A node that holds no memory.
fn node(costs: Vec<i64>) -> solver::Node {
    solver::Node { interval: (0, 0), usages: vec![0; costs.len()], costs }
}
