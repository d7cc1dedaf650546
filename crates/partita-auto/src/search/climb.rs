//! From the best plan to better ones near it, by the full judge.
//!
//! The quick judge knows no order of operations and no propagation, so the best plan by its figures is not always the best there is. What is
//! near the best that was judged in full is judged too, what the quick judge thinks best first, and the search goes on from what is better: first with a
//! decision more, less or another, then with one sort of tensors that lies otherwise, and each time with axes in each other's place.

use super::moves::{self, Move};
use super::trials::{Candidate, ROUND, Trials};
use crate::truth::Judged;
use partita::complete::Cut;
use partita::complete::Estimator;
use partita::complete::{Assignment, Store};
use partita::complete::{KindId, TensorKind};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// What the quick judge takes for so many times as expensive as the plan it is near is not looked at.
const FAR: f64 = 1.5;

/// A plan is better if it costs at most this part.
const BETTER: f64 = 0.999;

/// So many sorts of tensors, those with the most bytes, may lie otherwise, and none that has less than this part of them.
const SORTS: usize = 32;
const SMALL: f64 = 0.002;

/// A plan near another.
struct Near {
    assignment: Assignment,
    cuts: Vec<Cut>,
    by_tensor: bool,
    /// Whether all of it may be otherwise.
    whole: bool,
}

impl Trials<'_, '_, '_> {
    /// Goes on from the best plans as long as plans may be judged and there are better ones near them.
    pub(super) fn climb(&mut self, estimator: &mut Estimator<'_>, fixed: &Assignment) {
        let decided = |plan: &Judged| !plan.by_tensor;
        while self.step(&decided, estimator, &|trials, estimator, base| {
            trials.other_decisions(estimator, fixed, &base.assignment)
        }) {}
        let least = estimator.cuts(fixed);
        while self.step(&|_| true, estimator, &|_, estimator, base| {
            other_cuts(estimator, fixed, &base.cuts, &least)
        }) {}
    }

    /// Judges what is near the best plan until something is better, and says whether something is.
    fn step(
        &mut self,
        allowed: &dyn Fn(&Judged) -> bool,
        estimator: &mut Estimator<'_>,
        near: &dyn Fn(&Self, &Estimator<'_>, &Judged) -> Vec<Near>,
    ) -> bool {
        let limit = estimator.memory_limit();
        if self.is_over() {
            return false;
        }
        let Some(base) = self.best(allowed).cloned() else { return false };
        let far = FAR * estimator.estimate_cuts(&base.cuts).cost(u64::MAX);
        let mut found = Vec::new();
        for Near { assignment, cuts, by_tensor, whole } in near(self, estimator, &base) {
            let estimate = estimator.estimate_cuts(&cuts);
            let cost = estimate.cost(u64::MAX);
            if cost <= far && !self.was_judged(&cuts) {
                found.push((!whole, Candidate { assignment, cuts, by_tensor, estimate, cost }));
            }
        }
        // What changes all of a plan comes first: there is little of it, and no steps on the way to it are better.
        found.sort_by(|a, b| (a.0, a.1.cost).partial_cmp(&(b.0, b.1.cost)).unwrap_or(Ordering::Equal));
        let known = base.cost.rank(limit);
        let mut found = found.into_iter();
        while !self.is_over() {
            let mut round: Vec<Candidate> = Vec::new();
            while round.len() < ROUND {
                let Some((_, candidate)) = found.next() else { break };
                if self.is_new(&candidate.cuts) {
                    round.push(candidate);
                }
            }
            if round.is_empty() {
                return false;
            }
            // A plan that cannot be partitioned is none.
            self.judge_all(round);
            if self.best(allowed).is_some_and(|best| best.cost.rank(limit) < BETTER * known) {
                return true;
            }
        }
        false
    }

    /// Plans with a decision more, less or another than one has.
    fn other_decisions(&self, estimator: &Estimator<'_>, fixed: &Assignment, plan: &Assignment) -> Vec<Near> {
        let space = self.judge.space();
        let decisions = space.decisions();
        let open = |plan: &Assignment| moves::open(space, &decisions, estimator.sizes(), plan);
        let mut found: Vec<Assignment> = open(plan).into_iter().map(|next| next.apply(plan, space)).collect();
        let swaps: Vec<Assignment> =
            swaps(estimator.sizes()).map(|(a, b)| swapped(plan, a, b).canonical(space)).collect();
        for (axis, without) in less(fixed, plan) {
            let without = without.canonical(space);
            let instead = open(&without).into_iter().filter(|next| next.axis() == axis);
            found.extend(instead.map(|next| next.apply(&without, space)));
            found.push(without);
        }
        found.sort();
        found.dedup();
        let near = |assignment: Assignment, whole| {
            let cuts = estimator.cuts(&assignment);
            Near { assignment, cuts, by_tensor: false, whole }
        };
        let swaps = swaps.into_iter().filter(|plan| plan.extends(fixed, space)).map(|plan| near(plan, true));
        swaps.chain(found.into_iter().map(|plan| near(plan, false))).collect()
    }
}

/// Plans without one of the decisions that are not fixed, with the axis that it was over.
fn less(fixed: &Assignment, plan: &Assignment) -> Vec<(u8, Assignment)> {
    let mut found = Vec::new();
    for (n, entry) in plan.split.iter().enumerate().filter(|(_, entry)| !fixed.split.contains(entry)) {
        let mut without = plan.clone();
        without.split.remove(n);
        found.push((entry.1, without));
    }
    for (axis, store) in plan.store.iter().enumerate().filter(|(axis, store)| **store > fixed.store[*axis]) {
        let mut without = plan.clone();
        without.store[axis] = if *store == Store::Parameters { Store::State } else { Store::Whole };
        found.push((axis as u8, without));
    }
    found
}

/// Axes of different sizes.
fn swaps(sizes: &[i64]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..sizes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.filter(|(a, b)| sizes[*a] != sizes[*b])
}

/// A plan with two axes in each other's place.
fn swapped(plan: &Assignment, a: usize, b: usize) -> Assignment {
    let mut plan = plan.clone();
    plan.store.swap(a, b);
    for (_, axis) in &mut plan.split {
        *axis = match usize::from(*axis) {
            n if n == a => b as u8,
            n if n == b => a as u8,
            _ => *axis,
        };
    }
    plan
}

/// Plans in which axes are in each other's place, or tensors of one sort, those with dimensions of the same classes that lie alike, lie otherwise than a plan has them.
fn other_cuts(estimator: &Estimator<'_>, fixed: &Assignment, base: &[Cut], least: &[Cut]) -> Vec<Near> {
    let space = estimator.space();
    let mut sorts: FxHashMap<_, (u64, Vec<KindId>)> = FxHashMap::default();
    for (n, kind) in space.kinds.iter().enumerate() {
        let sort = sorts.entry((&kind.classes, base[n])).or_default();
        sort.0 = sort.0.saturating_add(kind.bytes().saturating_mul(kind.count as u64));
        sort.1.push(KindId(n as u32));
    }
    let mut sorts: Vec<(u64, Vec<KindId>)> = sorts.into_values().collect();
    let all: f64 = sorts.iter().map(|(bytes, _)| *bytes as f64).sum();
    sorts.retain(|(bytes, _)| *bytes as f64 >= SMALL * all);
    sorts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let swap = |(a, b): (usize, usize)| {
        let kinds = space.kinds.iter().zip(base).zip(least);
        let one = |((kind, cut), least): ((&TensorKind, &Cut), &Cut)| {
            let new = cut.swapped(a, b);
            if estimator.ways_to_cut(kind, *least).contains(&new) { new } else { *cut }
        };
        Near { assignment: fixed.clone(), cuts: kinds.map(one).collect(), by_tensor: true, whole: true }
    };
    let mut found: Vec<_> = swaps(estimator.sizes()).map(swap).collect();
    for (_, kinds) in sorts.into_iter().take(SORTS) {
        let ways = |kind: KindId| estimator.ways_to_cut(space.kind(kind), least[kind.0 as usize]);
        let able: Vec<(KindId, Vec<Cut>)> = kinds.into_iter().map(|kind| (kind, ways(kind))).collect();
        let mut all: Vec<Cut> = able.iter().flat_map(|(_, ways)| ways.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for cut in all {
            let mut cuts = base.to_vec();
            for (kind, _) in able.iter().filter(|(_, ways)| ways.contains(&cut)) {
                cuts[kind.0 as usize] = cut;
            }
            found.push(Near { assignment: fixed.clone(), cuts, by_tensor: true, whole: false });
        }
    }
    found
}

impl Move {
    /// The axis that it is over.
    fn axis(self) -> u8 {
        match self {
            Move::Split(_, axis) | Move::Store(axis, _) => axis,
        }
    }
}
