//! What propagation knows of each tensor while it runs.

use super::NodeId;
use crate::ir::ids::{Id, IdVec};
use crate::sharding::{Atom, AtomList, AtomSet, Sharding};
use smallvec::SmallVec;

/// Something that has one sharding: a value, or several values that must agree (the carries of a loop, the
/// members of a sharding group).
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
        from: u8,
        /// When: a running number.
        step: u32,
    },
}

/// The state of one slot.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) dims: SmallVec<[AtomList; 4]>,
    pub(super) reasons: SmallVec<[SmallVec<[Reason; 4]>; 4]>,
    pub(super) open: SmallVec<[bool; 4]>,
    /// Atoms of all dimensions.
    pub(super) used: AtomSet,
    /// Atoms that must not be added: replicated, unreduced, manual, or of a dimension whose turn has not come.
    pub(super) barred: AtomSet,
    /// What the program says, where it says something.
    pub(super) annotation: Option<Box<Sharding>>,
}

impl Slot {
    pub(super) fn open(rank: usize) -> Slot {
        Slot {
            dims: SmallVec::from_elem(AtomList::new(), rank),
            reasons: SmallVec::from_elem(SmallVec::new(), rank),
            open: SmallVec::from_elem(true, rank),
            used: AtomSet::EMPTY,
            barred: AtomSet::EMPTY,
            annotation: None,
        }
    }

    /// Takes over what the program says, as far as its priority has come.
    pub(super) fn annotate(&mut self, sharding: &Sharding, priority: u32) {
        self.barred = self.barred.union(sharding.replicated).union(sharding.unreduced);
        for (d, dim) in sharding.dims.iter().enumerate() {
            if dim.priority <= priority {
                self.dims[d] = dim.atoms.clone();
                self.reasons[d] = dim.atoms.iter().map(|_| Reason::Annotation).collect();
                self.open[d] = dim.open;
            } else {
                self.open[d] = false;
                self.barred = dim.atoms.iter().fold(self.barred, |mut set, a| {
                    set.insert(*a);
                    set
                });
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
            self.dims[d] = dim.atoms.clone();
            self.reasons[d] = dim.atoms.iter().map(|_| Reason::Annotation).collect();
            self.open[d] = dim.open;
        }
        self.used = self.dims.iter().flatten().copied().collect();
        self.annotation = Some(annotation);
    }

    /// Replaces the atoms of a dimension by a longer list that starts with them.
    pub(super) fn extend(&mut self, dim: usize, atoms: &[Atom], mut reason: impl FnMut(usize) -> Reason) {
        let old = self.dims[dim].len();
        for (i, atom) in atoms.iter().enumerate().skip(old) {
            self.used.insert(*atom);
            self.dims[dim].push(*atom);
            self.reasons[dim].push(reason(i));
        }
    }
}

/// The states of all slots.
pub(super) type Slots = IdVec<SlotId, Slot>;
