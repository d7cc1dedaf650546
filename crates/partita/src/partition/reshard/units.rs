//! Atoms that go together through a search.

use super::super::layout::Layout;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};

/// Runs of atoms that no step takes apart.
pub(super) struct Units {
    /// Atoms that stand behind the one they belong to.
    behind: AtomSet,
    /// The runs, in the order of their first atoms.
    runs: Vec<AtomList>,
}

impl Units {
    /// Every atom alone.
    pub(super) fn atoms(mesh: &Mesh) -> Units {
        let runs = mesh.all_atoms().iter().map(|a| AtomList::from_iter([a])).collect();
        Units { behind: AtomSet::EMPTY, runs }
    }

    /// Atoms that stay neighbours from one layout to another, such as the whole axes of most programs.
    pub(super) fn shared(mesh: &Mesh, from: &Layout, to: &Layout) -> Units {
        let follower = |layout: &Layout, atom: Atom| {
            layout.dims.iter().find_map(|d| {
                let place = d.atoms.iter().position(|a| *a == atom)?;
                Some(d.atoms.get(place + 1).copied())
            })
        };
        // Where a layout does not split by an atom, it does not care who follows, but for the atoms' kind.
        let kind = |layout: &Layout, atom: Atom| layout.partial_atoms().contains(atom);
        let split = from.used().union(to.used());
        let mut next = vec![None; mesh.atom_count()];
        let mut behind = AtomSet::EMPTY;
        for atom in split.iter() {
            let Some(second) = follower(from, atom).or_else(|| follower(to, atom)).flatten() else {
                continue;
            };
            let stays = |layout: &Layout| match follower(layout, atom) {
                Some(found) => found == Some(second),
                None => !layout.used().contains(second) && kind(layout, atom) == kind(layout, second),
            };
            if stays(from) && stays(to) {
                next[usize::from(atom.0)] = Some(second);
                behind.insert(second);
            }
        }
        let heads = mesh.all_atoms().minus(behind);
        let run = |head: Atom| std::iter::successors(Some(head), |a| next[usize::from(a.0)]).collect();
        Units { behind, runs: heads.iter().map(run).collect() }
    }

    /// Whether a list of atoms may be cut before this one.
    pub(super) fn starts(&self, atom: Atom) -> bool {
        !self.behind.contains(atom)
    }

    /// The run that starts with an atom.
    pub(super) fn run(&self, head: Atom) -> &[Atom] {
        self.runs.binary_search_by_key(&head, |run| run[0]).map_or(&[], |place| &self.runs[place])
    }

    /// Whether some two runs of atoms out of a set are of different size, so that smaller ones might do better.
    pub(super) fn differ(&self, mesh: &Mesh, of: AtomSet) -> bool {
        let mut sizes =
            self.runs.iter().filter(|run| of.contains(run[0])).map(|run| mesh.size_of(run.iter().copied()));
        let first = sizes.next();
        sizes.any(|size| Some(size) != first)
    }
}
