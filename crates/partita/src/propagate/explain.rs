//! Why a tensor is split as it is, and where tensors pull in different directions.

use super::graph::Graph;
use super::state::{Reason, SlotId};
use super::{NodeId, Propagated};
use crate::ir::ids::IdVec;
use crate::ir::{Module, OpId, ValueId};
use crate::ops::CallRules;
use crate::sharding::{Atom, AtomList};
use rustc_hash::FxHashSet;

/// A tensor as it can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tensor {
    /// A value of the inlined program.
    Value(ValueId),
    /// A result of the function.
    Result(usize),
    /// One use of a constant, or what stands between two values.
    Unnamed,
}

/// One step of the way an axis took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The tensor.
    pub tensor: Tensor,
    /// Its dimension.
    pub dim: usize,
    /// The operation that the axis came through; nothing where the tensor is annotated.
    pub op: Option<OpId>,
    /// When it came: a running number.
    pub step: Option<u32>,
    /// The chain starts at a choice of completion by cost, not at an annotation.
    pub chosen: bool,
}

/// The way some atoms of one axis took to a dimension, backwards to the annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The dimension of the tensor that is explained.
    pub dim: usize,
    /// The atoms, major to minor.
    pub atoms: Vec<Atom>,
    /// From the tensor to the annotation.
    pub hops: Vec<Hop>,
}

/// Two tensors of an operation that are split differently along one factor of its rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The node of the graph.
    pub node: NodeId,
    /// The operation.
    pub op: Option<OpId>,
    /// Both sides: the tensor, its dimension and the atoms.
    pub sides: [(Tensor, usize, AtomList); 2],
}

/// Why a value is split as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// One chain for each axis on each dimension.
    pub chains: Vec<Chain>,
    /// Conflicts of the operations on the way.
    pub conflicts: Vec<Conflict>,
}

impl Propagated {
    /// Why a value is split as it is; nothing for one without dimensions.
    pub fn explain(&self, value: ValueId) -> Option<Explanation> {
        let slot = self.graph.value_slot(value)?;
        let names = Names::of(&self.graph, value, slot);
        let mut found = Explanation::default();
        let mut nodes = FxHashSet::default();
        let mut touched = vec![slot];
        for dim in 0..self.graph.rank(slot) {
            for &atom in self.graph.dimension(slot, dim).0 {
                let hops = self.way(&names, slot, atom, &mut touched);
                match found.chains.last_mut() {
                    Some(last) if last.dim == dim && self.continues(last, atom, &hops) => {
                        last.atoms.push(atom)
                    }
                    _ => found.chains.push(Chain { dim, atoms: vec![atom], hops }),
                }
            }
        }
        for slot in touched {
            nodes.extend(self.graph.uses.of(slot).iter().copied());
        }
        let mut nodes: Vec<NodeId> = nodes.into_iter().collect();
        nodes.sort_unstable();
        found.conflicts = nodes.into_iter().flat_map(|n| conflicts_of(&self.graph, &names, n)).collect();
        Some(found)
    }

    /// All places where tensors of one operation are split in ways that do not go together.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let names = Names::all(&self.graph);
        self.graph.nodes.ids().flat_map(|node| conflicts_of(&self.graph, &names, node)).collect()
    }

    /// Whether an atom is the next of the same axis and came the same way.
    fn continues(&self, chain: &Chain, atom: Atom, hops: &[Hop]) -> bool {
        let same_axis =
            chain.atoms.last().is_some_and(|last| self.mesh.atom_axis(*last) == self.mesh.atom_axis(atom));
        let way = |hops: &[Hop]| hops.iter().map(|h| (h.tensor, h.dim, h.op)).collect::<Vec<_>>();
        same_axis && way(&chain.hops) == way(hops)
    }

    /// The way an atom took to a slot, backwards.
    fn way(&self, names: &Names, slot: SlotId, atom: Atom, touched: &mut Vec<SlotId>) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut seen = FxHashSet::default();
        let mut at = Some(slot);
        while let Some(slot) = at {
            // An atom splits at most one dimension of a tensor.
            let Some((dim, reason)) = reason_of(&self.graph, slot, atom) else { break };
            if !seen.insert(slot) {
                break;
            }
            touched.push(slot);
            let tensor = names.of_slot(slot);
            match reason {
                Reason::Annotation | Reason::Chosen => {
                    let chosen = reason == Reason::Chosen;
                    hops.push(Hop { tensor, dim, op: None, step: None, chosen });
                    break;
                }
                Reason::Through { node, from, step, .. } => {
                    let op = self.graph.node(node).op;
                    hops.push(Hop { tensor, dim, op, step: Some(step), chosen: false });
                    at = self.graph.tensors_of(node).get(usize::from(from)).copied().flatten();
                }
            }
        }
        hops
    }
}

fn reason_of(graph: &Graph, slot: SlotId, atom: Atom) -> Option<(usize, Reason)> {
    (0..graph.rank(slot)).find_map(|dim| {
        let (atoms, reasons) = graph.dimension(slot, dim);
        let position = atoms.iter().position(|a| *a == atom)?;
        Some((dim, reasons[position]))
    })
}

/// Dimensions of one factor that are split so that neither goes on where the other ends.
fn conflicts_of(graph: &Graph, names: &Names, node: NodeId) -> Vec<Conflict> {
    let rule = &graph.rules[graph.node(node).rule as usize];
    let tensors = graph.tensors_of(node);
    let mut first: Vec<Option<(Tensor, usize, AtomList)>> = vec![None; rule.factors.len()];
    let mut found = Vec::new();
    for (tensor, slot) in rule.tensors.iter().zip(tensors) {
        let Some(slot) = *slot else { continue };
        for (dim, factors) in tensor.dims.iter().enumerate() {
            let &[factor] = &factors[..] else { continue };
            let atoms = graph.dimension(slot, dim).0;
            if atoms.is_empty() {
                continue;
            }
            let side = (names.of_slot(slot), dim, AtomList::from(atoms));
            match &first[usize::from(factor)] {
                None => first[usize::from(factor)] = Some(side),
                Some(other) if !other.2.starts_with(atoms) && !atoms.starts_with(&other.2) => {
                    let op = graph.node(node).op;
                    found.push(Conflict { node, op, sides: [other.clone(), side] });
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// The names of slots.
struct Names {
    names: IdVec<SlotId, Tensor>,
}

impl Names {
    fn all(graph: &Graph) -> Names {
        let mut names = IdVec::filled(Tensor::Unnamed, graph.slots.len());
        for (n, slot) in graph.results.iter().enumerate() {
            if let Some(slot) = slot {
                names[*slot] = Tensor::Result(n);
            }
        }
        // Several values may have one slot: the first names it.
        for value in graph.values.ids().rev() {
            if let Some(slot) = graph.values[value] {
                names[slot] = Tensor::Value(value);
            }
        }
        Names { names }
    }

    /// Where several values have one slot, the value that is asked about names it.
    fn of(graph: &Graph, value: ValueId, slot: SlotId) -> Names {
        let mut names = Names::all(graph);
        names.names[slot] = Tensor::Value(value);
        names
    }

    fn of_slot(&self, slot: SlotId) -> Tensor {
        self.names[slot]
    }
}

/// The rule of an operation as text, where it has one: its own, or that of its kind or of the code it calls.
pub fn rule_text(module: &Module, op: OpId) -> Option<String> {
    let rule = CallRules::default().rule_of(module.op(op))?;
    rule.ok().map(|rule| rule.to_string())
}
