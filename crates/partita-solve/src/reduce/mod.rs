//! Makes a problem smaller without losing its best solutions.
//!
//! Most nodes of a graph that came from a program follow from others: an op without a choice, a value that must be
//! sharded as its neighbour, a tuple element. What goes in is a [`Problem`]; what comes out is a [`Graph`] whose nodes
//! stand for one or more nodes of the problem. Four rules run until nothing changes:
//!
//! - *support*: a strategy goes that is forbidden with every strategy of a neighbour, or that cannot fit in memory
//!   even when all others hold their least;
//! - *domination*: a strategy goes where another one costs no more whatever the neighbours do, and holds no more memory;
//! - *separable edges* go: what they cost is a sum over the two nodes;
//! - *functions*: a node whose strategy follows from a neighbour's is merged into it.
//!
//! Memory couples all nodes: a cheaper strategy dominates only where it holds no more at any time.

mod dominate;
mod functions;
mod graph;
mod separable;
mod support;

pub use graph::{Graph, Load};

/// The problem has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hopeless {
    /// Something forbidden would have to be picked.
    Forbidden,
    /// Memory would run out.
    Memory,
}

/// Rounds of all rules; each makes the graph smaller, the first ones by far the most.
const ROUNDS: usize = 6;

/// Makes a graph smaller. Where `memory` is false, the limit is not used to drop strategies.
pub fn reduce(graph: &mut Graph, memory: bool) -> Result<(), Hopeless> {
    for _ in 0..ROUNDS {
        let before = graph.size();
        drop_unsupported(graph, memory)?;
        separable::fold(graph);
        dominate::leaves(graph);
        dominate::strategies(graph);
        support::forbidden(graph)?;
        functions::merge(graph);
        if graph.size() == before {
            break;
        }
    }
    // Nodes that are left without a choice lose their edges.
    drop_unsupported(graph, memory)?;
    separable::fold(graph);
    Ok(())
}

fn drop_unsupported(graph: &mut Graph, memory: bool) -> Result<(), Hopeless> {
    support::forbidden(graph)?;
    if memory {
        support::memory(graph)?;
        support::forbidden(graph)?;
    }
    Ok(())
}
