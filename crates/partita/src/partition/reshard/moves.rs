//! The steps that may lead from a layout towards a target.

use super::super::layout::{DimLayout, Layout};
use super::permute::{arrangements, reorder};
use super::step::Step;
use super::units::Units;
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;

/// Where a value is to go.
pub(super) struct Goal<'a> {
    pub(super) mesh: &'a Mesh,
    /// The global shape.
    pub(super) shape: &'a [i64],
    pub(super) to: &'a Layout,
    /// What is moved in one piece.
    pub(super) units: Units,
}

/// Sizes of blocks to try.
type Blocks = SmallVec<[i64; 2]>;

impl Goal<'_> {
    /// All steps worth trying. Dimensions that lie as they should are left alone, except that shards may change places;
    /// atoms are only added where the target has them.
    pub(super) fn moves(&self, now: &Layout) -> Vec<Step> {
        let mut steps = Vec::new();
        let unfinished: SmallVec<[usize; 4]> =
            (0..self.shape.len()).filter(|d| now.dims[*d] != self.to.dims[*d]).collect();
        let free = self.mesh.all_atoms().minus(now.used()).minus(now.partial_atoms());
        for &dim in &unfinished {
            let have = &now.dims[dim].atoms;
            for kept in (0..have.len()).filter(|k| self.units.starts(have[*k])) {
                let atoms: AtomList = have[kept..].iter().copied().collect();
                for &to in unfinished.iter().filter(|to| **to != dim) {
                    self.all_to_all(now, dim, to, &atoms, &mut steps);
                }
                steps.push(self.gather(now, dim, atoms));
            }
            for atoms in self.additions(dim, free) {
                for block in self.blocks_after(dim, &now.dims[dim], &atoms) {
                    steps.push(Step::Slice { dim, atoms: atoms.clone(), block });
                }
            }
            for block in self.other_blocks(dim, &now.dims[dim]) {
                steps.push(Step::Reblock { dim, block });
            }
        }
        self.reductions(now, &unfinished, &mut steps);
        steps.extend(self.mask(now));
        for atoms in arrangements(self, now) {
            let pattern = reorder(self.mesh, now, &atoms);
            steps.push(Step::Permute { atoms, pattern });
        }
        steps
    }

    /// Gathers the last atoms of a dimension.
    pub(super) fn gather(&self, now: &Layout, dim: usize, atoms: AtomList) -> Step {
        let block = (now.dims[dim].block * self.parts(&atoms)).min(self.shape[dim]);
        Step::Gather { dim, atoms, block }
    }

    fn parts(&self, atoms: &[Atom]) -> i64 {
        self.mesh.size_of(atoms.iter().copied())
    }

    fn all_to_all(&self, now: &Layout, from: usize, to: usize, atoms: &AtomList, steps: &mut Vec<Step>) {
        if !atoms.iter().any(|a| self.to.dims[to].atoms.contains(a)) {
            return;
        }
        let from_block = (now.dims[from].block * self.parts(atoms)).min(self.shape[from]);
        for to_block in self.blocks_after(to, &now.dims[to], atoms) {
            steps.push(Step::AllToAll { from, to, atoms: atoms.clone(), from_block, to_block });
        }
    }

    /// The atoms out of a set that a dimension is to have: all of them in order, then all but the last, and so on.
    fn additions(&self, dim: usize, of: AtomSet) -> impl Iterator<Item = AtomList> {
        let atoms: AtomList = self.to.dims[dim].atoms.iter().copied().filter(|a| of.contains(*a)).collect();
        let ends = |count: &usize| atoms.get(*count).is_none_or(|a| self.units.starts(*a));
        let counts: SmallVec<[usize; 8]> = (1..=atoms.len()).rev().filter(ends).collect();
        counts.into_iter().map(move |count| atoms[..count].iter().copied().collect())
    }

    /// Partial values combined: scattered to dimensions that are to have the atoms, the others everywhere.
    fn reductions(&self, now: &Layout, unfinished: &[usize], steps: &mut Vec<Step>) {
        let Some(partial) = now.partial else { return };
        let combine = partial.combine;
        let open = partial.atoms.minus(self.kept(combine));
        if open.is_empty() {
            return;
        }
        let spare: AtomList = open.minus(self.to.used()).iter().collect();
        for dim in 0..self.shape.len() {
            let wanted = if unfinished.contains(&dim) { open } else { AtomSet::EMPTY };
            let spare = (!spare.is_empty()).then(|| spare.clone());
            for atoms in self.additions(dim, wanted).chain(spare) {
                for block in self.blocks_after(dim, &now.dims[dim], &atoms) {
                    steps.push(Step::ReduceScatter { dim, atoms: atoms.clone(), combine, block });
                }
            }
        }
        steps.push(Step::AllReduce { atoms: open.iter().collect(), combine });
    }

    /// The atoms over which the target is partial too.
    pub(super) fn kept(&self, combine: Combine) -> AtomSet {
        self.to.partial.filter(|p| p.combine == combine).map_or(AtomSet::EMPTY, |p| p.atoms)
    }

    /// Makes a value partial that the target has partial.
    pub(super) fn mask(&self, now: &Layout) -> Option<Step> {
        let wanted = self.to.partial?;
        let atoms = wanted.atoms.minus(now.partial_atoms());
        let fits = now.partial.is_none_or(|p| p.combine == wanted.combine);
        let free = atoms.intersection(now.used()).is_empty();
        (fits && free && !atoms.is_empty()).then_some(Step::Mask { atoms, combine: wanted.combine })
    }

    /// The blocks that a dimension can have when atoms are added at its end: nothing where they do not compose.
    pub(super) fn blocks_after(&self, dim: usize, now: &DimLayout, added: &[Atom]) -> Blocks {
        let (size, parts) = (self.shape[dim], self.parts(added));
        if now.block < size {
            let even = now.block % parts == 0;
            return if even { Blocks::from_iter([now.block / parts]) } else { Blocks::new() };
        }
        // Everything is in the first of the old blocks, so that it can be cut anyhow.
        let atoms: AtomList = now.atoms.iter().chain(added).copied().collect();
        let mut blocks = self.wished_blocks(dim, &atoms);
        blocks.retain(|block| *block * parts >= size);
        if blocks.is_empty() {
            blocks.push((size + parts - 1) / parts);
        }
        blocks
    }

    /// The blocks that lead to the target once atoms split a dimension.
    fn wished_blocks(&self, dim: usize, atoms: &[Atom]) -> Blocks {
        let (to, size) = (&self.to.dims[dim], self.shape[dim]);
        if to.atoms[..] == *atoms {
            return Blocks::from_iter([to.block]);
        }
        let mut blocks = Blocks::new();
        if to.atoms.starts_with(atoms) {
            blocks.push((to.block * self.parts(&to.atoms[atoms.len()..])).min(size));
        }
        if to.parts(self.mesh) == self.parts(atoms) && !blocks.contains(&to.block) {
            blocks.push(to.block);
        }
        blocks
    }

    /// Other blocks for a dimension that is split.
    fn other_blocks(&self, dim: usize, now: &DimLayout) -> Blocks {
        if now.atoms.is_empty() {
            return Blocks::new();
        }
        let mut blocks = self.wished_blocks(dim, &now.atoms);
        let (size, parts) = (self.shape[dim], now.parts(self.mesh));
        if blocks.is_empty() {
            blocks.push((size + parts - 1) / parts);
        }
        blocks.retain(|block| *block != now.block && *block * parts >= size);
        blocks
    }
}
