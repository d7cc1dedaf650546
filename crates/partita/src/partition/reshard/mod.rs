//! From one layout to another, the cheapest way.
//!
//! Layouts are the places of a graph and collectives and cuts the ways between them; [`Planner`] finds the cheapest path and
//! remembers it, [`apply`] writes it. Costs count the bytes that a device sends; what is copied locally, the start of a
//! collective and temporaries larger than both ends weigh little, but decide between equals.

mod apply;
mod bound;
mod moves;
mod permute;
mod price;
mod search;
mod step;
#[cfg(test)]
mod tests;
mod units;

pub(super) use apply::apply;
pub(super) use price::shard_bytes;
pub(super) use step::Step;

use super::emit::Emit;
use super::layout::Layout;
use super::price::Prices;
use crate::ir::{Elem, Shape, TensorType, ValueId};
use crate::sharding::Mesh;
use rustc_hash::FxHashMap;
use search::Search;
use std::sync::{Arc, Mutex, PoisonError};

/// A way from one layout to another.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Where it starts.
    pub(super) from: Layout,
    /// The steps in order.
    pub(super) steps: Vec<Step>,
    /// What it costs, in the units of [`super::price`].
    pub(super) cost: u64,
    /// The bytes that each device sends.
    pub(super) ring_bytes: u64,
    /// Whether the tensor is whole on every device on the way between two layouts that split it.
    pub(super) replicates: bool,
}

/// Paths by type and ends.
#[derive(Debug, Default)]
struct Paths(FxHashMap<(Elem, Shape), PathsOfType>);

/// Paths of one type by their ends.
type PathsOfType = FxHashMap<(Layout, Layout), Arc<Path>>;

impl Paths {
    fn get(&self, ty: &TensorType, from: &Layout, to: &Layout) -> Option<Arc<Path>> {
        let of_type = self.0.get(&(ty.elem, ty.shape.clone()))?;
        of_type.get(&(from.clone(), to.clone())).cloned()
    }

    fn insert(&mut self, ty: &TensorType, to: &Layout, path: Arc<Path>) {
        let of_type = self.0.entry((ty.elem, ty.shape.clone())).or_default();
        of_type.insert((path.from.clone(), to.clone()), path);
    }
}

/// The cheapest paths on one mesh at given prices, found once for all partitions that share them.
#[derive(Debug)]
pub struct PathCache {
    mesh: Mesh,
    prices: Prices,
    known: Mutex<Paths>,
}

impl PathCache {
    /// No paths yet.
    pub fn new(mesh: Mesh, prices: Prices) -> PathCache {
        PathCache { mesh, prices, known: Mutex::default() }
    }

    /// The mesh.
    pub(super) fn mesh(&self) -> &Mesh {
        &self.mesh
    }
}

/// Finds paths on one mesh, each once.
pub(super) struct Planner<'m> {
    shared: &'m PathCache,
    /// The cost model of paths.
    pub(super) prices: Prices,
    /// Paths that this planner was asked for.
    known: Paths,
    /// Costs are lower bounds where a path would have to be searched for.
    bounding: bool,
    /// Some cost was a lower bound.
    bounded: bool,
}

impl<'m> Planner<'m> {
    /// A planner that takes what is known, and adds to it.
    pub(super) fn new(shared: &'m PathCache) -> Self {
        let known = Paths::default();
        Planner { shared, prices: shared.prices, known, bounding: false, bounded: false }
    }

    /// The cheapest path for a value of a global type.
    pub(super) fn plan(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> Arc<Path> {
        self.known_path(ty, from, to).unwrap_or_else(|| {
            let path = Arc::new(Search::new(&self.shared.mesh, self.prices, ty, from, to).run());
            self.remember(ty, to, path)
        })
    }

    /// The cost of the cheapest path. While bounding, a lower bound of it where it is neither known nor seen without a search.
    pub(super) fn cost(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> u64 {
        if from == to {
            return 0;
        }
        if !self.bounding {
            return self.plan(ty, from, to).cost;
        }
        if let Some(path) = self.known_path(ty, from, to) {
            return path.cost;
        }
        let search = Search::new(&self.shared.mesh, self.prices, ty, from, to);
        if let Some(path) = search.immediate() {
            return self.remember(ty, to, Arc::new(path)).cost;
        }
        self.bounded = true;
        search.lower_bound()
    }

    fn known_path(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> Option<Arc<Path>> {
        if let Some(path) = self.known.get(ty, from, to) {
            return Some(path);
        }
        let shared = self.shared.known.lock().unwrap_or_else(PoisonError::into_inner).get(ty, from, to)?;
        self.known.insert(ty, to, shared.clone());
        Some(shared)
    }

    fn remember(&mut self, ty: &TensorType, to: &Layout, path: Arc<Path>) -> Arc<Path> {
        self.known.insert(ty, to, path.clone());
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner).insert(ty, to, path.clone());
        path
    }

    /// Whether some cost was a lower bound since bounding started.
    pub(super) fn has_bounded(&self) -> bool {
        self.bounding && self.bounded
    }

    /// From now on costs are lower bounds of what a search would have to find out.
    pub(super) fn start_bounding(&mut self) {
        (self.bounding, self.bounded) = (true, false);
    }

    /// From now on costs are exact. Returns whether they were not since bounding started.
    pub(super) fn stop_bounding(&mut self) -> bool {
        self.bounding = false;
        self.bounded
    }
}

/// Brings a value of a global type from one layout to another.
pub(super) fn reshard(
    emit: &mut Emit<'_>,
    planner: &mut Planner<'_>,
    value: ValueId,
    ty: &TensorType,
    from: &Layout,
    to: &Layout,
) -> ValueId {
    if from == to {
        return value;
    }
    let path = planner.plan(ty, from, to);
    apply(emit, value, ty, &path)
}
