//! The steps that may lead from a layout towards a target.

use super::super::layout::{DimLayout, Layout};
use super::permute::{arrangements, reorder, shared_prefix};
use super::step::{Ends, Step};
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
                steps.extend(self.assemble(now, [(dim, atoms.clone())]));
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
        steps.extend(self.assemble_all(now, &unfinished));
        steps.extend(self.exchange(now));
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

    /// Gathers the last atoms of dimensions by adding, where that sends less.
    fn assemble(&self, now: &Layout, ends: impl IntoIterator<Item = (usize, AtomList)>) -> Option<Step> {
        let (mut kept, mut gathered) = (1i64, 1i64);
        let end = |(dim, atoms): (usize, AtomList)| {
            let whole = now.dims[dim].block * self.parts(&atoms);
            let block = whole.min(self.shape[dim]);
            kept = kept.saturating_mul(block);
            gathered = gathered.saturating_mul(whole);
            (dim, atoms, block)
        };
        let ends: Ends = ends.into_iter().map(end).collect();
        (kept < gathered - kept).then_some(Step::Assemble(ends))
    }

    /// Gathers at once by adding what is padded and not to be split.
    fn assemble_all(&self, now: &Layout, unfinished: &[usize]) -> Option<Step> {
        let padded = unfinished.iter().filter(|d| now.dims[**d].is_padded(self.mesh, self.shape[**d]));
        let ends = padded.filter_map(|&d| {
            let atoms = &now.dims[d].atoms[shared_prefix(&now.dims[d].atoms, &self.to.dims[d].atoms)..];
            (!atoms.is_empty()).then(|| (d, atoms.into()))
        });
        let ends: SmallVec<[(usize, AtomList); 4]> = ends.collect();
        if ends.len() < 2 { None } else { self.assemble(now, ends) }
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
            let end = |dim: usize, block: i64| Ends::from_elem((dim, atoms.clone(), block), 1);
            steps.push(Step::AllToAll { from: end(from, from_block), to: end(to, to_block) });
        }
    }

    /// Everything at once that can go straight from one dimension to another, where that is more than one move.
    fn exchange(&self, now: &Layout) -> Option<Step> {
        let set = |lists: &[AtomList]| -> AtomSet { lists.iter().flatten().copied().collect() };
        let kept = |d: usize| shared_prefix(&now.dims[d].atoms, &self.to.dims[d].atoms);
        let rank = self.shape.len();
        let mut leaving: Vec<AtomList> = (0..rank).map(|d| now.dims[d].atoms[kept(d)..].into()).collect();
        let mut coming: Vec<AtomList> = (0..rank).map(|d| self.to.dims[d].atoms[kept(d)..].into()).collect();
        // Atoms leave from the end of a dimension and come to the end of another that loses none, whole runs of them.
        loop {
            let moved = set(&leaving).intersection(set(&coming));
            let before = moved.iter().count();
            for d in 0..rank {
                let stays = leaving[d].iter().rposition(|a| !moved.contains(*a)).map_or(0, |n| n + 1);
                leaving[d] = leaving[d][stays..].into();
                let full = now.dims[d].atoms.len() > kept(d);
                let ends = coming[d].iter().take_while(|a| !full && moved.contains(**a)).count();
                coming[d].truncate(ends);
            }
            if set(&leaving) == set(&coming) && set(&leaving).iter().count() == before {
                break;
            }
        }
        let whole = |lists: &[AtomList]| lists.iter().filter(|l| !l.is_empty()).count();
        if whole(&leaving).max(whole(&coming)) < 2 {
            return None;
        }
        let from = leaving.into_iter().enumerate().filter(|(_, atoms)| !atoms.is_empty());
        let from = from.map(|(d, atoms)| {
            let block = (now.dims[d].block * self.parts(&atoms)).min(self.shape[d]);
            (d, atoms, block)
        });
        let to = coming.into_iter().enumerate().filter(|(_, atoms)| !atoms.is_empty());
        let to = to.map(|(d, atoms)| {
            let block = self.blocks_after(d, &now.dims[d], &atoms).first().copied()?;
            Some((d, atoms, block))
        });
        Some(Step::AllToAll { from: from.collect(), to: to.collect::<Option<Ends>>()? })
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
        // What can be cut further by the atoms that are missing, so that the target's block comes of it.
        let to = &self.to.dims[dim];
        let beside =
            |a: &[Atom], b: &[Atom]| self.mesh.size_of(a.iter().copied().filter(|atom| !b.contains(atom)));
        let finest = (to.block - 1) / beside(&now.atoms, &to.atoms) + 1;
        let divisible = finest * beside(&to.atoms, &now.atoms);
        if !blocks.contains(&divisible) {
            blocks.push(divisible);
        }
        blocks.retain(|block| *block != now.block && *block * parts >= size);
        blocks
    }
}
