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
use std::rc::Rc;

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

/// The paths of one type that are known, by their ends.
type Paths = FxHashMap<(Layout, Layout), Rc<Path>>;

/// Finds paths on one mesh, each once.
pub(super) struct Planner<'m> {
    mesh: &'m Mesh,
    /// What ways are weighed by.
    pub(super) prices: Prices,
    known: FxHashMap<(Elem, Shape), Paths>,
}

impl<'m> Planner<'m> {
    /// A planner for a mesh.
    pub(super) fn new(mesh: &'m Mesh, prices: Prices) -> Self {
        Planner { mesh, prices, known: FxHashMap::default() }
    }

    /// The cheapest path for a value of a global type.
    pub(super) fn plan(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> Rc<Path> {
        let known = self.known.entry((ty.elem, ty.shape.clone())).or_default();
        let key = (from.clone(), to.clone());
        if let Some(path) = known.get(&key) {
            return path.clone();
        }
        let path = Rc::new(Search::new(self.mesh, self.prices, ty, from, to).run());
        known.insert(key, path.clone());
        path
    }

    /// What the cheapest path costs.
    pub(super) fn cost(&mut self, ty: &TensorType, from: &Layout, to: &Layout) -> u64 {
        if from == to { 0 } else { self.plan(ty, from, to).cost }
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
