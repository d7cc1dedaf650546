//! The cheapest way from one layout to another.

use super::super::layout::{DimLayout, Layout};
use super::super::price::Prices;
use super::bound::Bound;
use super::moves::Goal;
use super::price::{price, reduces_in_collectives, shard_bytes};
use super::step::Step;
use super::units::Units;
use super::{Path, permute};
use crate::ir::TensorType;
use crate::sharding::{AtomList, Mesh};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// After so many layouts a search gives up and takes the way that always leads there.
const MAX_EXPANDED: usize = 256;

/// How many layouts a search that gives up tries to go on from.
const MAX_FINISHED: usize = 16;

/// With more atoms than this only those that stay together are moved.
const MAX_FINE_ATOMS: usize = 7;

/// What is saved by going around padding must be more than one in so many.
const LEAST_SAVING: u64 = 16;

/// What a byte costs by which a temporary is larger than both ends.
const TEMPORARY_BYTE: u64 = 4;

/// By how many times the larger end a temporary may hold, and what it may hold in any case.
const MAX_GROWTH: u64 = 2;
const SMALL_BYTES: u64 = 1 << 20;

/// What a temporary costs that is larger than may be: it is only taken where there is no other way.
const TOO_LARGE: u64 = 1 << 48;

/// A question for a path.
pub(super) struct Search<'a> {
    pub(super) mesh: &'a Mesh,
    prices: Prices,
    pub(super) ty: &'a TensorType,
    pub(super) from: &'a Layout,
    pub(super) to: &'a Layout,
    /// The bytes of the larger end.
    ends: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        mesh: &'a Mesh,
        prices: Prices,
        ty: &'a TensorType,
        from: &'a Layout,
        to: &'a Layout,
    ) -> Self {
        Search { mesh, prices, ty, from, to, ends: shard_bytes(ty, from).max(shard_bytes(ty, to)) }
    }

    /// The cheapest path where it can be seen without a search.
    pub(super) fn immediate(&self) -> Option<Path> {
        if self.from == self.to {
            return Some(self.path(Vec::new()));
        }
        if self.ty.shape.contains(&0) {
            return Some(self.path(vec![Step::Blank(self.to.clone())]));
        }
        self.obvious().filter(|_| !self.gathers_padding()).map(|steps| self.path(steps))
    }

    /// The least that any path costs.
    pub(super) fn lower_bound(&self) -> u64 {
        Bound::new(self.mesh, self.prices, self.ty, self.to).of(self.from)
    }

    /// The cheapest path that is found.
    pub(super) fn run(&self) -> Path {
        if let Some(path) = self.immediate() {
            return path;
        }
        let (mut best, mut below) = match self.obvious() {
            // Ways around the padding take more steps. They have to be worth it.
            Some(steps) => {
                let path = self.path(steps);
                let below = path.cost - path.cost / LEAST_SAVING;
                (path, below)
            }
            None => {
                let path = self.path(self.sure(self.from));
                let below = path.cost;
                (path, below)
            }
        };
        let units = Units::shared(self.mesh, self.from, self.to);
        let moving = self.from.used().union(self.to.used());
        let finer = units.differ(self.mesh, moving) && moving.iter().count() <= MAX_FINE_ATOMS;
        let levels = std::iter::once(units).chain(finer.then(|| Units::atoms(self.mesh)));
        for units in levels {
            if let Some(steps) = self.shortest(units, below) {
                best = self.path(steps);
                below = best.cost;
            }
        }
        best
    }

    fn goal(&self) -> Goal<'_> {
        Goal { mesh: self.mesh, shape: &self.ty.shape, to: self.to, units: Units::atoms(self.mesh) }
    }

    /// Steps with their price, and whether they go through full replication.
    fn path(&self, steps: Vec<Step>) -> Path {
        let mut path = Path { from: self.from.clone(), steps, ..Path::default() };
        let mut now = self.from.clone();
        let split = |layout: &Layout| !layout.used().is_empty();
        for step in &path.steps {
            let price = price(self.mesh, self.ty, &now, step);
            let cost = self.prices.cost_along(price, step.sends_along(&now));
            now = step.after(&now);
            path.ring_bytes = path.ring_bytes.saturating_add(price.ring_bytes);
            path.cost = path.cost.saturating_add(cost).saturating_add(self.temporary(&now));
            path.replicates |= split(self.from) && split(self.to) && !split(&now);
        }
        path
    }

    /// What a layout on the way costs by its size.
    fn temporary(&self, layout: &Layout) -> u64 {
        let bytes = shard_bytes(self.ty, layout);
        let excess = bytes.saturating_sub(self.ends);
        let allowed = self.ends.saturating_mul(MAX_GROWTH).max(SMALL_BYTES);
        let too_large = if bytes > allowed { TOO_LARGE } else { 0 };
        excess.saturating_mul(TEMPORARY_BYTE).saturating_add(too_large)
    }

    /// The best path where it can be seen at once: only cuts, only gathers, or one reduction.
    fn obvious(&self) -> Option<Vec<Step>> {
        let (from, to) = (self.from, self.to);
        if from.partial == to.partial {
            return self.extensions(from, to).or_else(|| self.gathers());
        }
        let partial = from.partial?;
        if !reduces_in_collectives(partial.combine, self.ty.elem) {
            return None;
        }
        let open = partial.atoms.minus(self.goal().kept(partial.combine));
        let all: AtomList = open.iter().collect();
        let reduced = Step::AllReduce { atoms: all, combine: partial.combine };
        if reduced.after(from) == *to {
            return Some(vec![reduced]);
        }
        // All atoms scattered to one dimension.
        let dim = (0..self.ty.rank()).find(|d| from.dims[*d] != to.dims[*d])?;
        let atoms: AtomList = to.dims[dim].atoms.get(from.dims[dim].atoms.len()..)?.iter().copied().collect();
        let block = to.dims[dim].block;
        let composes = atoms.iter().all(|a| open.contains(*a))
            && self.goal().blocks_after(dim, &from.dims[dim], &atoms).contains(&block);
        let scattered = Step::ReduceScatter { dim, atoms, combine: partial.combine, block };
        (composes && scattered.after(from) == *to).then(|| vec![scattered])
    }

    /// The cuts that lead from one layout to another, where nothing else is needed.
    fn extensions(&self, from: &Layout, to: &Layout) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for dim in self.different(from, to) {
            let have = &from.dims[dim].atoms;
            let want = &to.dims[dim].atoms;
            if have.len() >= want.len() || !want.starts_with(have) {
                return None;
            }
            let atoms: AtomList = want[have.len()..].iter().copied().collect();
            let block = to.dims[dim].block;
            let free = atoms.iter().all(|a| !from.used().contains(*a));
            if !free || !self.goal().blocks_after(dim, &from.dims[dim], &atoms).contains(&block) {
                return None;
            }
            steps.push(Step::Slice { dim, atoms, block });
        }
        Some(steps)
    }

    /// Whether gathering sends padding.
    fn gathers_padding(&self) -> bool {
        let gathered = |d: &usize| self.from.dims[*d].atoms.len() > self.to.dims[*d].atoms.len();
        let mut dims = self.different(self.from, self.to).filter(gathered);
        dims.any(|d| self.from.dims[d].is_padded(self.mesh, self.ty.shape[d]))
    }

    /// The gathers that lead to the target, where nothing else is needed.
    fn gathers(&self) -> Option<Vec<Step>> {
        let mut now = self.from.clone();
        let mut steps = Vec::new();
        for dim in self.different(self.from, self.to) {
            let kept = self.to.dims[dim].atoms.len();
            let atoms: AtomList = now.dims[dim].atoms.get(kept..)?.iter().copied().collect();
            if atoms.is_empty() {
                return None;
            }
            let step = self.goal().gather(&now, dim, atoms);
            now = step.after(&now);
            if now.dims[dim] != self.to.dims[dim] {
                return None;
            }
            steps.push(step);
        }
        Some(steps)
    }

    fn different(&self, from: &Layout, to: &Layout) -> impl Iterator<Item = usize> {
        (0..self.ty.rank()).filter(move |d| from.dims[*d] != to.dims[*d])
    }

    /// A path that always exists: combine, gather whatever is not as it should be, cut.
    fn sure(&self, from: &Layout) -> Vec<Step> {
        let goal = self.goal();
        let mut steps = Vec::new();
        let mut now = from.clone();
        let mut add = |now: &mut Layout, step: Step| {
            *now = step.after(now);
            steps.push(step);
        };
        if let Some(partial) = from.partial {
            let open = partial.atoms.minus(goal.kept(partial.combine));
            if !open.is_empty() {
                let atoms = open.iter().collect();
                add(&mut now, Step::AllReduce { atoms, combine: partial.combine });
            }
        }
        for dim in self.different(from, self.to) {
            let (have, want) = (&now.dims[dim], &self.to.dims[dim]);
            let common = permute::shared_prefix(&have.atoms, &want.atoms);
            let kept = if self.stays(dim, have, common) { common } else { 0 };
            if kept < have.atoms.len() {
                let atoms = have.atoms[kept..].iter().copied().collect();
                let step = goal.gather(&now, dim, atoms);
                add(&mut now, step);
            }
        }
        for dim in self.different(from, self.to) {
            let (have, want) = (&now.dims[dim], &self.to.dims[dim]);
            if have != want {
                let atoms = want.atoms[have.atoms.len()..].iter().copied().collect();
                add(&mut now, Step::Slice { dim, atoms, block: want.block });
            }
        }
        if let Some(mask) = goal.mask(&now) {
            add(&mut now, mask);
        }
        steps
    }

    /// Whether a dimension can keep its first atoms on the way to the target: what is left when the others are gathered
    /// is as it should be, or can be cut so.
    fn stays(&self, dim: usize, have: &DimLayout, common: usize) -> bool {
        if common == 0 {
            return true;
        }
        let want = &self.to.dims[dim];
        let block = match have.atoms.len() - common {
            0 => have.block,
            _ => {
                let rest = self.mesh.size_of(have.atoms[common..].iter().copied());
                (have.block * rest).min(self.ty.shape[dim])
            }
        };
        let kept = DimLayout { atoms: have.atoms[..common].iter().copied().collect(), block };
        let added = &want.atoms[common..];
        if added.is_empty() {
            return kept == *want;
        }
        self.goal().blocks_after(dim, &kept, added).contains(&want.block)
    }

    /// The cheapest path below a cost, by A* over layouts. A search that gives up takes the sure way from the most
    /// promising layouts it has seen.
    fn shortest(&self, units: Units, below: u64) -> Option<Vec<Step>> {
        let goal = Goal { mesh: self.mesh, shape: &self.ty.shape, to: self.to, units };
        let bound = Bound::new(self.mesh, self.prices, self.ty, self.to);
        let mut nodes = vec![Node { layout: self.from.clone(), cost: 0, came: None, done: false }];
        let mut known: FxHashMap<Layout, usize> = FxHashMap::default();
        known.insert(self.from.clone(), 0);
        let mut open = BinaryHeap::new();
        open.push(Reverse((bound.of(self.from), 0usize)));
        let mut expanded = 0;
        while let Some(Reverse((estimate, index))) = open.pop() {
            if nodes[index].done {
                continue;
            }
            nodes[index].done = true;
            if nodes[index].layout == *self.to {
                return Some(steps_to(&nodes, index));
            }
            expanded += 1;
            if expanded > MAX_EXPANDED {
                open.push(Reverse((estimate, index)));
                return self.finish(&nodes, open, below);
            }
            let now = nodes[index].layout.clone();
            for step in goal.moves(&now) {
                let next = step.after(&now);
                let price = price(self.mesh, self.ty, &now, &step);
                let cost = nodes[index]
                    .cost
                    .saturating_add(self.prices.cost_along(price, step.sends_along(&now)))
                    .saturating_add(self.temporary(&next));
                if cost >= below {
                    continue;
                }
                let place = known.get(&next).copied();
                if place.is_some_and(|place| nodes[place].cost <= cost) {
                    continue;
                }
                let estimate = cost.saturating_add(bound.of(&next));
                if estimate >= below {
                    continue;
                }
                let place = place.unwrap_or_else(|| {
                    known.insert(next.clone(), nodes.len());
                    nodes.push(Node { layout: next, cost, came: None, done: false });
                    nodes.len() - 1
                });
                let node = &mut nodes[place];
                (node.cost, node.came, node.done) = (cost, Some((index, step)), false);
                open.push(Reverse((estimate, place)));
            }
        }
        None
    }

    /// The cheapest way over one of the most promising layouts, and from there the sure way, if it is below a cost.
    fn finish(
        &self,
        nodes: &[Node],
        mut open: BinaryHeap<Reverse<(u64, usize)>>,
        below: u64,
    ) -> Option<Vec<Step>> {
        let mut best = (below, None);
        for _ in 0..MAX_FINISHED {
            let Some(Reverse((_, index))) = open.pop() else { break };
            let mut steps = steps_to(nodes, index);
            steps.extend(self.sure(&nodes[index].layout));
            let cost = self.path(steps.clone()).cost;
            if cost < best.0 {
                best = (cost, Some(steps));
            }
        }
        best.1
    }
}

struct Node {
    layout: Layout,
    cost: u64,
    came: Option<(usize, Step)>,
    done: bool,
}

fn steps_to(nodes: &[Node], mut index: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((previous, step)) = &nodes[index].came {
        steps.push(step.clone());
        index = *previous;
    }
    steps.reverse();
    steps
}
