//! What propagation knows of each tensor while it runs.

use super::NodeId;
use crate::ir::ids::{Id, IdVec};
use crate::sharding::{Atom, AtomSet, Sharding};
use smallvec::SmallVec;
use std::ops::Range;

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
    /// Completion by cost chose it.
    Chosen,
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

/// The state of one slot. Programs have a million of them, so what most have is short: an atom splits one dimension at most, and so those of all dimensions are one list.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Dimension by dimension.
    atoms: SmallVec<[Atom; 16]>,
    /// One for each atom. Most tensors of most programs have none for long.
    reasons: Vec<Reason>,
    dims: SmallVec<[Dim; 8]>,
    /// Atoms of all dimensions.
    pub(super) used: AtomSet,
    /// Atoms that must not be added: replicated, unreduced, manual, or of a dimension whose turn has not come.
    pub(super) barred: AtomSet,
    /// What the program says, where it says something.
    pub(super) annotation: Option<Box<Sharding>>,
}

/// A dimension of a slot.
#[derive(Clone, Copy, Debug)]
struct Dim {
    /// Where its atoms end.
    end: u8,
    /// Whether it may be split further.
    open: bool,
}

impl Slot {
    pub(super) fn open(rank: usize, barred: AtomSet) -> Slot {
        Slot {
            atoms: SmallVec::new(),
            reasons: Vec::new(),
            dims: SmallVec::from_elem(Dim { end: 0, open: true }, rank),
            used: AtomSet::EMPTY,
            barred,
            annotation: None,
        }
    }

    pub(super) fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The atoms of a dimension.
    pub(super) fn dim(&self, dim: usize) -> &[Atom] {
        &self.atoms[self.range(dim)]
    }

    /// The atoms of every dimension.
    pub(super) fn dims(&self) -> impl Iterator<Item = &[Atom]> {
        (0..self.rank()).map(|dim| self.dim(dim))
    }

    /// Whether a dimension may be split further.
    pub(super) fn is_open(&self, dim: usize) -> bool {
        self.dims[dim].open
    }

    /// Takes over what the program says, as far as its priority has come.
    pub(super) fn annotate(&mut self, sharding: &Sharding, priority: u32) {
        self.barred = self.barred.union(sharding.replicated).union(sharding.unreduced);
        for (d, dim) in sharding.dims.iter().enumerate() {
            if dim.priority <= priority {
                self.set(d, &dim.atoms);
                self.dims[d].open = dim.open;
            } else {
                self.dims[d].open = false;
                dim.atoms.iter().for_each(|a| self.barred.insert(*a));
            }
        }
        self.used = self.atoms.iter().copied().collect();
        self.annotation = Some(Box::new(sharding.clone()));
    }

    /// Splits a dimension further by a choice of completion; atoms that are barred or in use are left out.
    pub(super) fn choose(&mut self, dim: usize, atoms: &[Atom]) {
        let free = |atom: &&Atom| !self.used.contains(**atom) && !self.barred.contains(**atom);
        let mut list: SmallVec<[Atom; 16]> = self.dim(dim).into();
        list.extend(atoms.iter().filter(free).copied());
        self.extend(dim, &list, |_| Reason::Chosen);
    }

    /// Keeps propagation from splitting a dimension further.
    pub(super) fn close(&mut self, dim: usize) {
        self.dims[dim].open = false;
    }

    /// Lets the dimensions of a priority take part.
    pub(super) fn admit(&mut self, priority: u32) {
        let Some(annotation) = self.annotation.take() else { return };
        for (d, dim) in annotation.dims.iter().enumerate().filter(|(_, dim)| dim.priority == priority) {
            dim.atoms.iter().for_each(|a| self.barred.remove(*a));
            self.set(d, &dim.atoms);
            self.dims[d].open = dim.open;
        }
        self.used = self.atoms.iter().copied().collect();
        self.annotation = Some(annotation);
    }

    /// Gives a dimension the atoms that the program names.
    fn set(&mut self, dim: usize, atoms: &[Atom]) {
        let old = self.range(dim);
        self.reasons.splice(old.clone(), atoms.iter().map(|_| Reason::Annotation));
        self.atoms.drain(old.clone());
        self.atoms.insert_many(old.start, atoms.iter().copied());
        self.lengthen(dim, atoms.len() as i16 - old.len() as i16);
    }

    /// Replaces the atoms of a dimension by a longer list that starts with them.
    pub(super) fn extend(&mut self, dim: usize, atoms: &[Atom], mut reason: impl FnMut(Atom) -> Reason) {
        let old = self.range(dim);
        let new = &atoms[old.len()..];
        self.used = new.iter().copied().collect::<AtomSet>().union(self.used);
        self.reasons.splice(old.end..old.end, new.iter().map(|a| reason(*a)));
        self.atoms.insert_many(old.end, new.iter().copied());
        self.lengthen(dim, new.len() as i16);
    }

    /// Why each atom of a dimension is there.
    pub(super) fn reasons(&self, dim: usize) -> &[Reason] {
        &self.reasons[self.range(dim)]
    }

    /// Where the atoms of a dimension stand.
    fn range(&self, dim: usize) -> Range<usize> {
        let start = if dim == 0 { 0 } else { self.dims[dim - 1].end };
        usize::from(start)..usize::from(self.dims[dim].end)
    }

    /// A dimension has so many atoms more.
    fn lengthen(&mut self, dim: usize, more: i16) {
        self.dims[dim..].iter_mut().for_each(|dim| dim.end = (i16::from(dim.end) + more) as u8);
    }
}

/// The states of all slots.
pub(super) type Slots = IdVec<SlotId, Slot>;
