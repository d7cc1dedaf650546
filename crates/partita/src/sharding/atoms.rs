//! Lists of atoms.

use super::mesh::{Atom, MAX_ATOMS};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// Atoms of one mesh, each at most once, major to minor. Every mesh is small enough for all of its atoms to stand here in place, so
/// that a list is copied as a few words.
#[derive(Clone)]
pub struct AtomList {
    length: u8,
    atoms: [Atom; MAX_ATOMS],
}

impl AtomList {
    /// No atoms.
    pub const fn new() -> AtomList {
        AtomList { length: 0, atoms: [Atom(0); MAX_ATOMS] }
    }

    /// Adds an atom behind the others.
    pub fn push(&mut self, atom: Atom) {
        self.atoms[usize::from(self.length)] = atom;
        self.length += 1;
    }

    /// Adds atoms behind the others.
    pub fn extend_from_slice(&mut self, atoms: &[Atom]) {
        let length = usize::from(self.length);
        self.atoms[length..length + atoms.len()].copy_from_slice(atoms);
        self.length += atoms.len() as u8;
    }

    /// Leaves the first atoms, so many of them.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(u8::try_from(length).unwrap_or(u8::MAX));
    }

    /// Leaves the atoms of which a function says so.
    pub fn retain(&mut self, keep: impl FnMut(&Atom) -> bool) {
        *self = self.iter().copied().filter(keep).collect();
    }
}

impl Default for AtomList {
    fn default() -> Self {
        AtomList::new()
    }
}

impl Deref for AtomList {
    type Target = [Atom];

    fn deref(&self) -> &[Atom] {
        &self.atoms[..usize::from(self.length)]
    }
}

impl DerefMut for AtomList {
    fn deref_mut(&mut self) -> &mut [Atom] {
        &mut self.atoms[..usize::from(self.length)]
    }
}

impl PartialEq for AtomList {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for AtomList {}

impl Hash for AtomList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Few atoms make one word; a byte that no atom is ends the list.
        let words = self.chunks(8);
        words.for_each(|w| state.write_u64(w.iter().fold(0xff, |word, atom| word << 8 | u64::from(atom.0))));
        state.write_u8(self.length);
    }
}

impl fmt::Debug for AtomList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl Extend<Atom> for AtomList {
    fn extend<T: IntoIterator<Item = Atom>>(&mut self, iter: T) {
        iter.into_iter().for_each(|atom| self.push(atom));
    }
}

impl FromIterator<Atom> for AtomList {
    fn from_iter<T: IntoIterator<Item = Atom>>(iter: T) -> Self {
        let mut list = AtomList::new();
        list.extend(iter);
        list
    }
}

impl From<&[Atom]> for AtomList {
    fn from(atoms: &[Atom]) -> Self {
        let mut list = AtomList::new();
        list.extend_from_slice(atoms);
        list
    }
}

impl<'a> IntoIterator for &'a AtomList {
    type Item = &'a Atom;
    type IntoIter = std::slice::Iter<'a, Atom>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for AtomList {
    type Item = Atom;
    type IntoIter = std::iter::Take<std::array::IntoIter<Atom, MAX_ATOMS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.atoms.into_iter().take(usize::from(self.length))
    }
}
