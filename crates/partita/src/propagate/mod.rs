//! Propagation: from a few shardings to one for every tensor.
//!
//! The program becomes a graph of *slots* (what has one sharding) and *nodes* (what relates them: an op by its rule,
//! an edge of control flow). A worklist runs nodes to a fixed point: by the priorities users gave, and within each
//! by how freely shardings travel: through elementwise ops and reshapes first, through broadcasts last. Atoms are only
//! ever added, so it ends. Each atom on each dimension remembers why it is there.

mod build;
pub mod explain;
mod graph;
#[cfg(test)]
mod properties;
mod rule;
mod schedule;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use graph::{Graph, Node, NodeKind, RuleId};
pub use state::{Reason, SlotId};
pub use step::Direction;

use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::ids::Id;
use crate::ops::CallRules;
use crate::sharding::{DimSharding, Mesh, Sharding};

/// A node of the propagation graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl Id for NodeId {
    fn from_index(index: usize) -> Self {
        NodeId(u32::try_from(index).expect("more than four billion nodes"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sharding for every slot of a program.
pub struct Propagated {
    /// The mesh.
    pub mesh: Mesh,
    /// The graph, with the final state of each slot.
    pub graph: Graph,
    /// How many times a node was run.
    pub steps: u64,
}

impl Propagated {
    /// The sharding of a slot.
    pub fn sharding(&self, slot: SlotId) -> Sharding {
        let slot = self.graph.slot(slot);
        let annotation = slot.annotation.as_deref();
        Sharding {
            dims: slot
                .dims()
                .map(|atoms| DimSharding { atoms: atoms.into(), open: false, priority: 0 })
                .collect(),
            replicated: annotation.map(|a| a.replicated).unwrap_or_default(),
            unreduced: annotation.map(|a| a.unreduced).unwrap_or_default(),
            device: annotation.and_then(|a| a.device),
        }
    }
}

/// Completes the shardings of a program over a mesh.
pub fn propagate(program: &Inlined, mesh: Mesh) -> Result<Propagated, Vec<Diagnostic>> {
    propagate_with(program, mesh, &CallRules::default())
}

/// Completes the shardings of a program over a mesh, with rules for custom calls that are not known here.
pub fn propagate_with(
    program: &Inlined,
    mesh: Mesh,
    calls: &CallRules,
) -> Result<Propagated, Vec<Diagnostic>> {
    Ok(complete(Graph::build(program, &mesh, calls)?, mesh))
}

/// Completes the shardings of a graph over the mesh it was built for: a search builds it once and completes copies that it annotated.
pub fn complete(mut graph: Graph, mesh: Mesh) -> Propagated {
    let steps = schedule::run(&mesh, &mut graph);
    Propagated { mesh, graph, steps }
}
