//! The strategy graph solved one mesh axis at a time.
//!
//! A joint graph grows with the product of what each axis may split. Here one axis decides while the others stay as they are, sweep after
//! sweep, so that meshes of many axes take time in proportion to their number.

use super::Estimator;
use super::contracted::{ContractedGraph, Improved, Op};
use super::graph::{Strategy, split_axes};
use super::node::{Node, Ways};
use crate::complete::cut::{Cut, WIDTH, parts};
use crate::complete::space::{ClassId, Freedom, KindId, TensorKind};
use crate::sharding::apply::Effort;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;

/// Sweeps over all axes, at most.
const SWEEPS: usize = 3;

/// An axis is settled where its best choice costs this part of the present one at least.
const SETTLED: f64 = 0.998;

/// Steps of the solver for each axis.
const STEPS: u32 = 15;

/// A choice this close to the lower bound is good enough: the cost model is not more exact, and propagation's answer stands where it is this close.
const GAP: f64 = 0.004;

/// Entries of cost tables that the graph of one axis may have.
const MOST: usize = 4_000_000;

/// Ticks for splitting a tensor along a class of dimensions that no annotation splits along the axis: of equals the one that users expect is taken.
const UNANNOTATED: i64 = 1;

/// Operations of each kind with their costs for one axis, and what they were computed from.
type Known = Vec<Option<Computed>>;

/// Operations of a kind, and what their costs were computed from.
type Computed = (Present, Arc<Op>);

/// How operations of a kind are split at present, and how the tensors they are linked to are cut.
type Present = (Strategy, SmallVec<[Cut; 4]>);

/// Improves a choice, of which the first axis is at its best, axis after axis until none has much to improve.
fn settle(
    first: Improved,
    axes: &[usize],
    sweeps: usize,
    improve: &mut impl FnMut(&Improved, usize) -> Option<Improved>,
) -> Option<Improved> {
    let mut now = first;
    // Axes in a row, up to the last one, that are at their best with all others as they are.
    let mut settled = 1;
    for &axis in axes.iter().cycle().take(sweeps * axes.len()).skip(1) {
        if settled == axes.len() {
            break;
        }
        let improved = improve(&now, axis)?;
        settled = if improved.cost < SETTLED * now.cost { 1 } else { settled + 1 };
        if improved.cost < now.cost {
            now = improved;
        }
    }
    Some(now)
}

impl Estimator<'_> {
    /// Improves a choice of cuts axis by axis; kinds that are pinned keep theirs, and sending counts this many times. Nothing where a graph is too large.
    pub fn improve_by_axis(&self, start: &[Cut], sending: f64, Effort(effort): Effort) -> Option<Vec<Cut>> {
        let axes: SmallVec<[usize; WIDTH]> = split_axes(&self.sizes).map(|(axis, _)| axis).collect();
        let split = self.nodes.iter().map(|node| self.response(node, start)).collect();
        let start =
            Improved { cuts: start.to_vec(), strategies: split, before: f64::INFINITY, cost: f64::INFINITY };
        let steps = STEPS * u32::from(effort);
        let most = MOST.saturating_mul(usize::from(effort));
        let improve = |now: &Improved, axis: usize, known: &mut Known| {
            let graph = self.axis_graph(now, axis, sending, most, known)?;
            Some(graph.improve_first(steps, GAP))
        };
        let first = |axis: &usize| {
            let mut known = vec![None; self.nodes.len()];
            Some((improve(&start, *axis, &mut known)?, known))
        };
        let firsts: Vec<(Improved, Known)> = axes.par_iter().map(first).collect::<Option<_>>()?;
        let (firsts, known): (Vec<Improved>, Vec<Known>) = firsts.into_iter().unzip();
        // The order decides which optimum is reached.
        let from = |(n, first): (usize, Improved)| {
            let mut order: SmallVec<[usize; WIDTH]> = (0..axes.len()).collect();
            order.rotate_left(n);
            let mut known = known.clone();
            let mut improve = |now: &Improved, n: usize| improve(now, axes[n], &mut known[n]);
            settle(first, &order, SWEEPS * usize::from(effort), &mut improve)
        };
        let saving = firsts.into_iter().enumerate().filter(|(_, first)| first.cost < first.before);
        let settled: Vec<Improved> =
            saving.collect::<Vec<_>>().into_par_iter().map(from).collect::<Option<_>>()?;
        let best =
            settled.into_iter().fold(start, |best, other| if other.cost < best.cost { other } else { best });
        Some(best.cuts)
    }

    /// The graph in which one axis decides, as long as it is not too large.
    fn axis_graph(
        &self,
        now: &Improved,
        axis: usize,
        sending: f64,
        most: usize,
        known: &mut Known,
    ) -> Option<ContractedGraph> {
        let kinds = self.space.kinds.iter().zip(&now.cuts);
        let ways: Vec<Vec<Cut>> = kinds.map(|(kind, now)| self.ways_along(kind, *now, axis)).collect();
        let op = |((node, split), known): ((&Node, &Strategy), &mut Option<Computed>)| {
            let present: Present = (split.clone(), self.own_cuts(node, &now.cuts));
            if let Some((_, op)) = known.as_ref().filter(|(of, _)| *of == present) {
                return op.clone();
            }
            let strategies = self.strategies_along(node, split, axis);
            let costs = self.op_costs(node, &strategies, &ways, sending);
            let op = Arc::new(Op::new(strategies, costs, &ways));
            *known = Some((present, op.clone()));
            op
        };
        let ops: Vec<Arc<Op>> = self.nodes.iter().zip(&now.strategies).zip(known).map(op).collect();
        let size: usize = ops.iter().map(|op| op.size()).sum();
        if size > most {
            return None;
        }
        let annotated = self.annotated_along(axis);
        let own = self.space.kinds.iter().zip(&ways).map(|(kind, ways)| {
            let is_annotated = |cut: &Cut| {
                cut.dim(axis)
                    .is_none_or(|dim| kind.classes[dim].is_some_and(|class| annotated.contains(&class)))
            };
            ways.iter().map(|cut| if is_annotated(cut) { 0 } else { UNANNOTATED }).collect()
        });
        let own = own.collect();
        ContractedGraph::new(ways, own, ops)
    }

    /// The classes of dimensions that annotations split along an axis.
    fn annotated_along(&self, axis: usize) -> FxHashSet<ClassId> {
        let class = |kind: &TensorKind| kind.classes[kind.freedom.pinned()?.dim(axis)?];
        self.space.kinds.iter().filter_map(class).collect()
    }

    /// The cuts of the tensors that operations of a kind are linked to.
    fn own_cuts(&self, node: &Node, cuts: &[Cut]) -> SmallVec<[Cut; 4]> {
        let cut = |kind: Option<KindId>| kind.map_or(Cut::default(), |kind| cuts[kind.0 as usize]);
        node.kinds().map(cut).collect()
    }

    /// The best split of an operation whose tensors are cut like this.
    fn response(&self, node: &Node, cuts: &[Cut]) -> Strategy {
        let ways = Ways { space: self.space, machine: &self.machine, sizes: &self.sizes };
        let own = self.own_cuts(node, cuts);
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
