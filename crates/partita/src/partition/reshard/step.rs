//! The steps of which a way from one layout to another is made.

use super::super::layout::{DimLayout, Layout, Partial};
use super::super::pattern::Pattern;
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, AtomSet};
use smallvec::SmallVec;

/// One step. Blocks are those after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Step {
    /// The last atoms of a dimension are gathered.
    Gather { dim: usize, atoms: AtomList, block: i64 },
    /// Each device keeps its part of what it has.
    Slice { dim: usize, atoms: AtomList, block: i64 },
    /// The last atoms of dimensions are gathered by adding: every device puts its part among zeros. Where most of the shards
    /// are padding that sends less than gathering them.
    Assemble(Ends),
    /// The last atoms of some dimensions become the last ones of others, all in one exchange.
    AllToAll { from: Ends, to: Ends },
    /// Shards change places: the atoms of every dimension after it, and who sends to whom.
    Permute { atoms: SmallVec<[AtomList; 4]>, pattern: Pattern },
    /// The same atoms split a dimension into blocks of another size.
    Reblock { dim: usize, block: i64 },
    /// Partial values are combined over atoms, each device keeping its part of a dimension.
    ReduceScatter { dim: usize, atoms: AtomList, combine: Combine, block: i64 },
    /// Partial values are combined over atoms.
    AllReduce { atoms: AtomList, combine: Combine },
    /// A value that is the same along atoms becomes partial over them.
    Mask { atoms: AtomSet, combine: Combine },
    /// There are no elements: anything of the right type will do.
    Blank(Layout),
}

/// Dimensions, the atoms at the end of each that it loses or gains, and its block after that.
pub(in super::super) type Ends = SmallVec<[(usize, AtomList, i64); 1]>;

impl Step {
    /// The atoms that a step from a layout sends along.
    pub(super) fn sends_along(&self, now: &Layout) -> AtomSet {
        let of_ends = |ends: &Ends| ends.iter().flat_map(|(_, atoms, _)| atoms.iter().copied()).collect();
        match self {
            Step::Gather { atoms, .. }
            | Step::ReduceScatter { atoms, .. }
            | Step::AllReduce { atoms, .. } => atoms.iter().copied().collect(),
            Step::Assemble(ends) => of_ends(ends),
            Step::AllToAll { to, .. } => of_ends(to),
            Step::Permute { pattern, .. } => pattern.atoms().into_iter().collect(),
            Step::Reblock { dim, .. } => now.dims[*dim].atoms.iter().copied().collect(),
            Step::Slice { .. } | Step::Mask { .. } | Step::Blank(_) => AtomSet::EMPTY,
        }
    }

    /// The layout after this step.
    pub(super) fn after(&self, now: &Layout) -> Layout {
        let mut next = now.clone();
        match self {
            Step::Gather { dim, atoms, block } => drop_last(&mut next.dims[*dim], atoms.len(), *block),
            Step::Assemble(ends) => drop_all(&mut next, ends),
            Step::Slice { dim, atoms, block } => append(&mut next.dims[*dim], atoms, *block),
            Step::AllToAll { from, to } => {
                drop_all(&mut next, from);
                to.iter().for_each(|(d, atoms, block)| append(&mut next.dims[*d], atoms, *block));
            }
            Step::Permute { atoms, .. } => {
                next.dims.iter_mut().zip(atoms).for_each(|(dim, atoms)| dim.atoms.clone_from(atoms));
            }
            Step::Reblock { dim, block } => next.dims[*dim].block = *block,
            Step::ReduceScatter { dim, atoms, block, .. } => {
                append(&mut next.dims[*dim], atoms, *block);
                reduce(&mut next, atoms);
            }
            Step::AllReduce { atoms, .. } => reduce(&mut next, atoms),
            Step::Mask { atoms, combine } => {
                next.partial = Some(Partial { combine: *combine, atoms: now.partial_atoms().union(*atoms) });
            }
            Step::Blank(layout) => next.clone_from(layout),
        }
        next
    }
}

fn drop_last(dim: &mut DimLayout, count: usize, block: i64) {
    dim.atoms.truncate(dim.atoms.len() - count);
    dim.block = block;
}

fn drop_all(layout: &mut Layout, ends: &Ends) {
    ends.iter().for_each(|(dim, atoms, block)| drop_last(&mut layout.dims[*dim], atoms.len(), *block));
}

fn append(dim: &mut DimLayout, atoms: &[Atom], block: i64) {
    dim.atoms.extend_from_slice(atoms);
    dim.block = block;
}

fn reduce(layout: &mut Layout, atoms: &[Atom]) {
    if let Some(partial) = &mut layout.partial {
        atoms.iter().for_each(|a| partial.atoms.remove(*a));
        if partial.atoms.is_empty() {
            layout.partial = None;
        }
    }
}
