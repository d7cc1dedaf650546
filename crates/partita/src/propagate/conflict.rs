//! Where tensors that one op ties together lie differently in the end, and what keeps them apart.

use super::graph::Graph;
use super::step::{Part, StepNode, atoms_of, project};
use super::{NodeId, Propagated, SlotId};
use crate::sharding::{Atom, AtomList, Mesh};

/// Two tensors of a node that are not split alike along a factor they both have. The op needs one of them moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The node.
    pub node: NodeId,
    /// The factor of its rule.
    pub factor: u8,
    /// One tensor of the node: the first that is split along the factor.
    pub first: u16,
    /// What splits it there.
    pub first_atoms: AtomList,
    /// The other tensor of the node.
    pub second: u16,
    /// What splits that.
    pub second_atoms: AtomList,
    /// Why they do not agree.
    pub cause: Cause,
}

/// Why two tensors are not split alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Both are split, by different axes.
    Different,
    /// The program says that one of them is not split further.
    Closed,
    /// The program keeps the axis from one of them.
    Barred,
    /// The axis splits another dimension of one of them.
    Taken {
        /// Which dimension.
        dim: u8,
    },
    /// Shardings do not travel along the factor, or not in this direction.
    Held,
}

impl Propagated {
    /// All conflicts, node by node. Each dimension of the tensors in them tells by its reasons where it comes from.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        for node in self.graph.nodes.ids() {
            conflicts_of(&self.mesh, &self.graph, node, &mut found);
        }
        found
    }
}

fn conflicts_of(mesh: &Mesh, graph: &Graph, id: NodeId, found: &mut Vec<Conflict>) {
    let rule = &graph.rules[graph.nodes[id].rule as usize];
    let node = StepNode { id, rule, tensors: graph.tensors_of(id) };
    let count = rule.factors.len();
    let mut parts = vec![Part::default(); node.tensors.len() * count];
    for (t, slot) in node.tensors.iter().enumerate() {
        if let Some(slot) = slot {
            project(mesh, &graph.slots, rule, t, *slot, &mut parts[t * count..(t + 1) * count]);
        }
    }
    let atoms = |t: usize, f: usize| atoms_of(&graph.slots, node.tensors, t, parts[t * count + f]);
    for f in 0..count {
        let has = |t: &usize| parts[t * count + f].present;
        let tensors = || (0..node.tensors.len()).filter(has);
        let Some(first) = tensors().max_by_key(|t| (atoms(*t, f).len(), std::cmp::Reverse(*t))) else {
            continue;
        };
        for second in tensors().filter(|t| *t != first) {
            let (a, b) = (atoms(first, f), atoms(second, f));
            if a == b {
                continue;
            }
            let cause = match a.strip_prefix(b).and_then(|rest| rest.first()) {
                Some(next) => missing(graph, node.tensors[second], parts[second * count + f], *next),
                None => Cause::Different,
            };
            found.push(Conflict {
                node: id,
                factor: f as u8,
                first: first as u16,
                first_atoms: a.iter().copied().collect(),
                second: second as u16,
                second_atoms: b.iter().copied().collect(),
                cause,
            });
        }
    }
}

/// Why a tensor does not have an atom along a factor.
fn missing(graph: &Graph, slot: Option<SlotId>, part: Part, atom: Atom) -> Cause {
    let Some(slot) = slot.map(|s| graph.slot(s)) else { return Cause::Held };
    let other = slot.dims.iter().position(|d| d.contains(&atom));
    match other {
        Some(dim) => Cause::Taken { dim: dim as u8 },
        None if slot.barred.contains(atom) => Cause::Barred,
        None if !slot.open[usize::from(part.dim)] => Cause::Closed,
        None => Cause::Held,
    }
}
