//! The strategy graph solved one mesh axis at a time.
//!
//! A joint graph grows with the product of what each axis may split. Here one axis decides while the others stay as they are, sweep after
//! sweep, so that meshes of many axes take time in proportion to their number.

use super::Estimator;
use super::graph::{Strategy, split_axes};
use super::node::{Node, Ways};
use crate::complete::cut::{Cut, WIDTH, parts};
use crate::complete::space::{Freedom, KindId, TensorKind};
use smallvec::SmallVec;

/// Sweeps over all axes, at most.
const SWEEPS: usize = 3;

/// An axis is settled where its best choice costs this part of the present one at least.
const SETTLED: f64 = 0.9999;

/// Steps of the solver for each axis.
const STEPS: u32 = 40;

/// A choice this close to the lower bound is good enough: the cost model is not more exact, and propagation's answer stands where it is this close.
const GAP: f64 = 0.004;

/// Entries of cost tables that the graph of one axis may have.
const MOST: usize = 4_000_000;

impl Estimator<'_> {
    /// Improves a choice of cuts axis by axis; kinds that are pinned keep theirs, and sending counts this many times. Nothing where a graph is too large.
    pub fn improve_by_axis(&self, start: &[Cut], sending: f64) -> Option<Vec<Cut>> {
        let axes: SmallVec<[usize; WIDTH]> = split_axes(&self.sizes).map(|(axis, _)| axis).collect();
        let mut cuts = start.to_vec();
        let mut split: Vec<Strategy> = self.nodes.iter().map(|node| self.response(node, &cuts)).collect();
        let mut least = f64::INFINITY;
        // Axes in a row, up to the last one, that had nothing to improve: with all others as they are, each is at its best.
        let mut settled = 0;
        for &axis in axes.iter().cycle().take(SWEEPS * axes.len()) {
            let kinds = self.space.kinds.iter().zip(&cuts);
            let ways: Vec<Vec<Cut>> = kinds.map(|(kind, now)| self.ways_along(kind, *now, axis)).collect();
            let strategies = |n: usize, node: &Node| self.strategies_along(node, &split[n], axis);
            let graph = self.graph_over(ways, strategies, None, sending, MOST)?;
            let solved = graph.improve_first(STEPS, GAP);
            if solved.cost < SETTLED * least {
                settled = 0;
                least = solved.cost;
                cuts = solved.cuts;
                split = solved.strategies;
            }
            settled += 1;
            if settled == axes.len() {
                break;
            }
        }
        Some(cuts)
    }

    /// The best split of an operation whose tensors are cut like this.
    fn response(&self, node: &Node, cuts: &[Cut]) -> Strategy {
        let ways = Ways { space: self.space, machine: &self.machine, sizes: &self.sizes };
        let cut = |kind: Option<KindId>| kind.map_or(Cut::default(), |kind| cuts[kind.0 as usize]);
        let own: SmallVec<[Cut; 4]> = node.kinds().map(cut).collect();
        let mut strategy: Strategy = SmallVec::from_elem(None, self.sizes.len());
        for (axis, factor) in node.best_response(&ways, &own).0 {
            let number = factor
                .and_then(|factor| node.view.factors.iter().position(|other| std::ptr::eq(other, factor)));
            strategy[axis] = number.map(|n| n as u8);
        }
        strategy
    }

    /// The ways to cut tensors of a kind that differ from the present one along an axis; the present one comes first.
    fn ways_along(&self, kind: &TensorKind, now: Cut, axis: usize) -> Vec<Cut> {
        let mut ways = vec![now];
        let Freedom::Along(axes) = kind.freedom else { return ways };
        let without = now.without(axis);
        if without != now {
            ways.push(without);
        }
        let dims = if axes >> axis & 1 == 1 { kind.classes.len().min(WIDTH) } else { 0 };
        for (dim, class) in kind.classes.iter().enumerate().take(dims) {
            let relevant = class.is_some_and(|class| self.space.class(class).relevant);
            let fits = kind.shape[dim] >= self.sizes[axis] * parts(&self.sizes, without.of(dim));
            let mut cut = without;
            cut.add(dim, axis);
            if relevant && fits && cut != now {
                ways.push(cut);
            }
        }
        ways
    }

    /// The ways to split operations of a kind that differ from the present one along an axis; the present one comes first.
    fn strategies_along(&self, node: &Node, now: &Strategy, axis: usize) -> Vec<Strategy> {
        let mut without = now.clone();
        without[axis] = None;
        let mut found = vec![now.clone()];
        if without != *now {
            found.push(without.clone());
        }
        for (number, factor) in node.view.factors.iter().enumerate() {
            let others = without.iter().zip(&self.sizes).filter(|(f, _)| **f == Some(number as u8));
            let parts: i64 = others.map(|(_, size)| size).product::<i64>() * self.sizes[axis];
            let mut strategy = without.clone();
            strategy[axis] = Some(number as u8);
            if strategy != *now && self.may_split(node, factor) && (factor.size == 0 || factor.size >= parts)
            {
                found.push(strategy);
            }
        }
        found
    }
}
