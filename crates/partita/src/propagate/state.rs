//! What propagation knows of each tensor while it runs.

use super::NodeId;
use crate::ir::ids::{Id, IdVec};
use crate::sharding::{Atom, AtomList, AtomSet, Sharding};
use smallvec::SmallVec;

/// Something that has one sharding: a value, or several values that must agree (the carries of a loop, the
/// members of a sharding group, an argument and the result that takes its memory).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotId(u32);

impl Id for SlotId {
    fn from_index(index: usize) -> Self {
        SlotId(u32::try_from(index).expect("more than four billion slots"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why an atom splits a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The program says so.
    Annotation,
    /// It came through a node, along a factor, from another tensor of the node.
    Through {
        /// The node.
        node: NodeId,
        /// The factor of its rule.
        factor: u8,
        /// Which tensor of the node it came from.
        from: u16,
        /// When: a running number.
        step: u32,
    },
}

/// The state of one slot.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) dims: SmallVec<[AtomList; 4]>,
    /// One for each atom, dimension by dimension. Most tensors of most programs have none for long.
    reasons: Vec<Reason>,
    pub(super) open: SmallVec<[bool; 8]>,
    /// Atoms of all dimensions.
    pub(super) used: AtomSet,
    /// Atoms that must not be added: replicated, unreduced, manual, or of a dimension whose turn has not come.
    pub(super) barred: AtomSet,
    /// What the program says, where it says something.
    pub(super) annotation: Option<Box<Sharding>>,
}

impl Slot {
    pub(super) fn open(rank: usize, barred: AtomSet) -> Slot {
        Slot {
            dims: SmallVec::from_elem(AtomList::new(), rank),
            reasons: Vec::new(),
            open: SmallVec::from_elem(true, rank),
            used: AtomSet::EMPTY,
            barred,
            annotation: None,
        }
    }

    /// Takes over what the program says, as far as its priority has come.
    pub(super) fn annotate(&mut self, sharding: &Sharding, priority: u32) {
        self.barred = self.barred.union(sharding.replicated).union(sharding.unreduced);
        for (d, dim) in sharding.dims.iter().enumerate() {
            if dim.priority <= priority {
                self.set(d, &dim.atoms);
                self.open[d] = dim.open;
            } else {
                self.open[d] = false;
                dim.atoms.iter().for_each(|a| self.barred.insert(*a));
            }
        }
        self.used = self.dims.iter().flatten().copied().collect();
        self.annotation = Some(Box::new(sharding.clone()));
    }

    /// Lets the dimensions of a priority take part.
    pub(super) fn admit(&mut self, priority: u32) {
        let Some(annotation) = self.annotation.take() else { return };
        for (d, dim) in annotation.dims.iter().enumerate().filter(|(_, dim)| dim.priority == priority) {
            dim.atoms.iter().for_each(|a| self.barred.remove(*a));
            self.set(d, &dim.atoms);
            self.open[d] = dim.open;
        }
        self.used = self.dims.iter().flatten().copied().collect();
        self.annotation = Some(annotation);
    }

    /// Gives a dimension the atoms that the program names.
    fn set(&mut self, dim: usize, atoms: &[Atom]) {
        let start = self.first_reason(dim);
        let old = start..start + self.dims[dim].len();
        self.reasons.splice(old, atoms.iter().map(|_| Reason::Annotation));
        self.dims[dim] = atoms.iter().copied().collect();
    }

    /// Replaces the atoms of a dimension by a longer list that starts with them.
    pub(super) fn extend(&mut self, dim: usize, atoms: &[Atom], mut reason: impl FnMut(Atom) -> Reason) {
        let old = self.dims[dim].len();
        let start = self.first_reason(dim);
        let new = &atoms[old..];
        self.used = new.iter().copied().collect::<AtomSet>().union(self.used);
        self.dims[dim].extend_from_slice(new);
        self.reasons.splice(start + old..start + old, new.iter().map(|a| reason(*a)));
    }

    /// Why each atom of a dimension is there.
    pub(super) fn reasons(&self, dim: usize) -> &[Reason] {
        let start = self.first_reason(dim);
        &self.reasons[start..start + self.dims[dim].len()]
    }

    fn first_reason(&self, dim: usize) -> usize {
        self.dims[..dim].iter().map(|d| d.len()).sum()
    }
}

/// The states of all slots.
pub(super) type Slots = IdVec<SlotId, Slot>;
