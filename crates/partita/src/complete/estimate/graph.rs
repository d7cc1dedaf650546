//! The strategy graph: every kind of operation and every kind of tensor decides for itself.
//!
//! A plan of classes splits a dimension everywhere or nowhere. Here each kind of tensor may lie in any way, and each kind of operation may split
//! any of its factors over each axis: a node for each, with the work that is left for one device as the cost of an operation, and an
//! edge wherever an operation uses, makes or adds up to a tensor, with what is sent between the two. Every plan of classes is a choice in this
//! graph that costs as much as the quick judge says or less, so that a bound of the graph is a bound of all of them.

use super::bound::Relaxation;
use super::node::{self, Chosen, Node, Ways};
use super::{Estimator, Sizes};
use crate::complete::assignment::Assignment;
use crate::complete::cut::{Cut, WIDTH, parts};
use crate::complete::space::views::{Place, ViewFactor};
use crate::complete::space::{KindId, TensorKind};
use crate::ops::rule::Kind;
use partita_solve as solver;
use smallvec::SmallVec;
use std::ops::Range;

/// Costs are whole numbers of this part of a second.
pub(super) const TICK: f64 = 1e-9;

/// A graph with more costs than this is large: the more there are, the longer a move takes.
const LARGE: usize = 1_000_000;

/// A strategy graph.
pub struct StrategyGraph {
    problem: solver::Problem,
    /// How the tensors of each kind may lie.
    cuts: Vec<Vec<Cut>>,
}

/// What the best choice in a graph was found to be.
pub struct Solved {
    /// How the tensors of each kind lie.
    pub cuts: Vec<Cut>,
    /// What it costs in the graph, in seconds.
    pub cost: f64,
    /// Nothing in the graph costs less.
    pub lower_bound: f64,
    /// Whether it fits memory.
    pub fits: bool,
}

/// Which factor each axis splits in an operation.
pub(super) type Strategy = SmallVec<[Option<u8>; 4]>;

impl Estimator<'_> {
    /// The strategy graph of the program, in which tensors keep what is fixed, where programs hold `memory` times what the quick judge thinks, and
    /// sending counts this many times. Nothing where it would have more than `most` costs.
    pub fn strategy_graph(
        &self,
        fixed: &Assignment,
        memory: f64,
        sending: f64,
        most: usize,
    ) -> Option<StrategyGraph> {
        let least = self.cuts(fixed);
        let cuts: Vec<Vec<Cut>> =
            self.space.kinds.iter().zip(&least).map(|(kind, least)| self.ways_to_cut(kind, *least)).collect();
        let mut held: Vec<u64> = vec![0; cuts.len()];
        let whole = |kind: KindId| self.space.kind(kind).bytes();
        for (kind, n) in self.arguments.iter().chain(self.snapshots.fullest(&whole)) {
            held[kind.0 as usize] += n;
        }
        let mut nodes: Vec<solver::Node> = Vec::with_capacity(cuts.len() + self.nodes.len());
        for ((kind, ways), held) in self.space.kinds.iter().zip(&cuts).zip(held) {
            let bytes = |cut: &Cut| (node::local_bytes(kind, *cut, &self.sizes) * held) as i64;
            nodes.push(solver::Node {
                interval: (0, 1),
                costs: vec![0; ways.len()],
                usages: ways.iter().map(bytes).collect(),
            });
        }
        let mut edges = Vec::new();
        let mut size = 0;
        for node in &self.nodes {
            let strategies = self.strategies(node);
            let number = nodes.len() as u32;
            let entries = |(kind, _): (KindId, Link)| strategies.len() * cuts[kind.0 as usize].len();
            size += links(node).into_iter().map(entries).sum::<usize>();
            if size > most {
                return None;
            }
            let OpCosts { work, links } = self.op_costs(node, &strategies, &cuts, sending);
            nodes.push(solver::Node { interval: (0, 0), costs: work, usages: vec![0; strategies.len()] });
            for (kind, costs) in links {
                if costs.iter().any(|cost| *cost > 0) {
                    edges.push(solver::Edge { nodes: (number, kind.0), costs });
                }
            }
        }
        let limit = (self.machine.memory as f64 / memory) as i64;
        let problem = solver::Problem::new(nodes, edges, limit).ok()?;
        Some(StrategyGraph { problem, cuts })
    }

    /// Costs of operations of a kind that may be split by these strategies, where tensors may be cut in these ways and sending counts this many times.
    pub(super) fn op_costs(
        &self,
        node: &Node,
        strategies: &[Strategy],
        cuts: &[Vec<Cut>],
        sending: f64,
    ) -> OpCosts {
        let work = strategies.iter().map(|s| ticks(self.work(node, s))).collect();
        let to_kind = |(kind, link): (KindId, Link)| {
            let ways = &cuts[kind.0 as usize];
            // Most strategies differ in what is nothing to this tensor.
            let mut known: SmallVec<[(Strategy, Range<usize>); 4]> = SmallVec::new();
            let mut costs: Vec<i64> = Vec::with_capacity(strategies.len() * ways.len());
            for strategy in strategies {
                let seen = self.seen(node, link, kind, strategy);
                if let Some((_, same)) = known.iter().find(|(other, _)| *other == seen) {
                    costs.extend_from_within(same.clone());
                    continue;
                }
                let start = costs.len();
                let cost = |cut| ticks(sending * node.times * self.sent(node, link, kind, &seen, cut));
                costs.extend(ways.iter().map(|cut| cost(*cut)));
                known.push((seen, start..costs.len()));
            }
            (kind, costs)
        };
        OpCosts { work, links: links(node).into_iter().map(to_kind).collect() }
    }

    /// The ways in which tensors of a kind may lie that split at least what is fixed.
    pub fn ways_to_cut(&self, kind: &TensorKind, least: Cut) -> Vec<Cut> {
        let mut found = vec![least];
        for (axis, &size) in split_axes(&self.sizes).filter(|(axis, _)| least.dim(*axis).is_none()) {
            for n in 0..found.len() {
                for (dim, class) in kind.classes.iter().enumerate().take(WIDTH) {
                    let relevant = class.is_some_and(|class| self.space.class(class).relevant);
                    if relevant && kind.shape[dim] >= size * parts(&self.sizes, found[n].of(dim)) {
                        let mut cut = found[n];
                        cut.add(dim, axis);
                        found.push(cut);
                    }
                }
            }
        }
        found
    }

    /// The ways in which operations of a kind may be split.
    fn strategies(&self, node: &Node) -> Vec<Strategy> {
        let mut found: Vec<Strategy> = vec![SmallVec::from_elem(None, self.sizes.len())];
        for (axis, &size) in split_axes(&self.sizes) {
            for n in 0..found.len() {
                for (number, factor) in node.view.factors.iter().enumerate() {
                    let before = found[n].iter().zip(&self.sizes).filter(|(f, _)| **f == Some(number as u8));
                    let parts: i64 = before.map(|(_, size)| size).product();
                    if self.may_split(node, factor) && (factor.size == 0 || factor.size >= size * parts) {
                        let mut next = found[n].clone();
                        next[axis] = Some(number as u8);
                        found.push(next);
                    }
                }
            }
        }
        found
    }

    /// Whether some tensor that has a factor may be split along it.
    pub(super) fn may_split(&self, node: &Node, factor: &ViewFactor) -> bool {
        let relevant = |kind: KindId, dim: usize| {
            let class = self.space.kind(kind).classes.get(dim).copied().flatten();
            class.is_some_and(|class| self.space.class(class).relevant)
        };
        let splits = |place: &Place| {
            let kind = node.tensors[usize::from(place.tensor)];
            place.leads && kind.is_some_and(|kind| relevant(kind, usize::from(place.dim)))
        };
        factor.kind != Kind::Whole && factor.places.iter().any(splits)
    }

    /// Seconds of the work that is left for one device.
    fn work(&self, node: &Node, strategy: &Strategy) -> f64 {
        let split = strategy.iter().zip(&self.sizes);
        let left = split.fold(node.work, |work, (number, size)| work.split(factor(node, *number), *size));
        node.times * left.seconds()
    }

    /// The part of a strategy that matters to a tensor: the axes that split a factor along which it is moved or combined.
    fn seen(&self, node: &Node, link: Link, kind: KindId, strategy: &Strategy) -> Strategy {
        let matters = |number: &u8| {
            let factor = &node.view.factors[usize::from(*number)];
            match link {
                Link::Has(t) => factor.places.iter().any(|p| usize::from(p.tensor) == t && p.leads),
                Link::AddsTo => node.combines(Some(factor)).iter().any(|sum| sum.kind == kind),
            }
        };
        strategy.iter().map(|number| number.filter(matters)).collect()
    }

    /// What is sent once between an operation and a tensor, in seconds.
    fn sent(&self, node: &Node, link: Link, kind: KindId, strategy: &Strategy, cut: Cut) -> f64 {
        let ways = Ways { space: self.space, machine: &self.machine, sizes: &self.sizes };
        let chosen: Chosen<'_> =
            split_axes(&self.sizes).map(|(axis, _)| (axis, factor(node, strategy[axis]))).collect();
        let Link::Has(tensor) = link else {
            let combined = |(axis, factor): &(usize, Option<&ViewFactor>)| -> f64 {
                let sums = node.combines(*factor).into_iter().filter(|sum| sum.kind == kind);
                sums.map(|sum| ways.combined(&sum, *axis, cut)).sum()
            };
            return chosen.iter().map(combined).sum();
        };
        ways.moved(node, &chosen, tensor, cut)
    }
}

/// Costs of operations of a kind, in ticks.
pub(super) struct OpCosts {
    /// Work that is left for one device, by strategy.
    pub(super) work: Vec<i64>,
    /// Communication with each kind of tensor, a row of ways to cut it for each strategy.
    pub(super) links: Vec<(KindId, Vec<i64>)>,
}

/// How an operation and a tensor belong together.
#[derive(Clone, Copy)]
enum Link {
    /// It is one of its operands and results.
    Has(usize),
    /// Partial results add up to it.
    AddsTo,
}

/// The tensors that an operation is linked to.
fn links(node: &Node) -> Vec<(KindId, Link)> {
    let has = node.tensors.iter().enumerate().filter_map(|(t, kind)| Some(((*kind)?, Link::Has(t))));
    let mut links: Vec<(KindId, Link)> = has.collect();
    let mut sums: Vec<KindId> =
        node.view.factors.iter().flat_map(|f| node.combines(Some(f))).map(|sum| sum.kind).collect();
    sums.sort_unstable();
    sums.dedup();
    links.extend(sums.into_iter().map(|kind| (kind, Link::AddsTo)));
    links
}

impl StrategyGraph {
    /// Looks for the best choice, with so many moves of local search, fewer where it is large; gives what it found, and what no choice can be below.
    pub fn solve(&self, moves: u64, deadline: Option<std::time::Instant>, seed: u64) -> Solved {
        let costs: usize = self.problem.edges().iter().map(|edge| edge.costs.len()).sum();
        let moves = Some(moves * LARGE as u64 / costs.max(LARGE) as u64);
        let limits = solver::Limits { deadline, moves, threads: 2, seed, ..solver::Limits::default() };
        let outcome = solver::solve(&self.problem, limits, |_| {});
        let picked = self.cuts.iter().zip(&outcome.solution);
        Solved {
            cuts: picked.map(|(ways, n)| ways[*n as usize]).collect(),
            cost: outcome.cost as f64 * TICK,
            lower_bound: outcome.lower_bound as f64 * TICK,
            fits: outcome.feasible,
        }
    }

    /// What it costs where tensors lie like this, and every operation does what is best for it then. Nothing where the graph has no such way for a tensor.
    pub fn cost_of(&self, cuts: &[Cut]) -> Option<f64> {
        let way = |(ways, cut): (&Vec<Cut>, &Cut)| ways.iter().position(|way| way == cut);
        let chosen: Vec<usize> = self.cuts.iter().zip(cuts).map(way).collect::<Option<_>>()?;
        let operations = &self.problem.nodes()[self.cuts.len()..];
        let mut costs: Vec<Vec<i64>> = operations.iter().map(|node| node.costs.clone()).collect();
        for edge in self.problem.edges() {
            let (operation, tensor) = (edge.nodes.0 as usize - self.cuts.len(), edge.nodes.1 as usize);
            for (cost, row) in costs[operation].iter_mut().zip(edge.costs.chunks(self.cuts[tensor].len())) {
                *cost += row[chosen[tensor]];
            }
        }
        let least = costs.iter().map(|costs| costs.iter().copied().min().unwrap_or(0));
        Some(least.sum::<i64>() as f64 * TICK)
    }

    /// What bounds plans in it.
    pub fn relaxation(&self) -> Relaxation {
        Relaxation::new(&self.problem, &self.cuts, TICK)
    }

    /// How many nodes and edges there are.
    pub fn size(&self) -> (usize, usize) {
        (self.problem.nodes().len(), self.problem.edges().len())
    }
}

/// The axes that split something, with their sizes.
pub(super) fn split_axes(sizes: &Sizes) -> impl Iterator<Item = (usize, &i64)> {
    sizes.iter().enumerate().filter(|(_, size)| **size > 1)
}

fn factor(node: &Node, number: Option<u8>) -> Option<&ViewFactor> {
    number.map(|n| &node.view.factors[usize::from(n)])
}

/// Rounded down, so that a bound stays one.
fn ticks(seconds: f64) -> i64 {
    (seconds / TICK) as i64
}
