//! How a tensor lies on the devices: which atoms split each dimension, into what blocks, and over which atoms it is
//! still to be combined.

use crate::ir::TensorType;
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;

/// The layout of a tensor.
///
/// A dimension of size `n` that is split into blocks of `b` has, at coordinate `c` along its atoms, the indices from
/// `c·b` up to `(c+1)·b` as far as they are below `n`; what stands in the rest of the block is undefined. At the boundary of a
/// program blocks are *canonical*, `ceil(n / parts)`; inside, gathering a part of the atoms or a reshape may leave others.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    /// Each dimension.
    pub dims: SmallVec<[DimLayout; 4]>,
    /// What is left to combine before the elements are what they stand for.
    pub partial: Option<Partial>,
}

/// How one dimension lies.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DimLayout {
    /// The atoms that split it, major to minor.
    pub atoms: AtomList,
    /// How many indices a shard holds, padding included; the size of the dimension where nothing splits it.
    pub block: i64,
}

/// Each device along these atoms holds a part; combined they are the value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Partial {
    /// How they are combined.
    pub combine: Combine,
    /// The atoms.
    pub atoms: AtomSet,
}

impl DimLayout {
    /// A dimension of this size that nothing splits.
    pub fn whole(size: i64) -> DimLayout {
        DimLayout { atoms: AtomList::new(), block: size }
    }

    /// A dimension of this size split by atoms, in canonical blocks.
    pub fn canonical(mesh: &Mesh, size: i64, atoms: AtomList) -> DimLayout {
        let parts = mesh.size_of(atoms.iter().copied());
        DimLayout { atoms, block: (size + parts - 1) / parts }
    }

    /// Into how many parts it is split.
    pub fn parts(&self, mesh: &Mesh) -> i64 {
        mesh.size_of(self.atoms.iter().copied())
    }

    /// Whether some shard of a dimension of this size has padding.
    pub fn is_padded(&self, mesh: &Mesh, size: i64) -> bool {
        self.block * self.parts(mesh) != size
    }
}

impl Layout {
    /// Every device holds everything.
    pub fn replicated(shape: &[i64]) -> Layout {
        Layout { dims: shape.iter().map(|&n| DimLayout::whole(n)).collect(), partial: None }
    }

    /// The layout of a sharding, given the atoms of each dimension, in canonical blocks.
    pub fn of<'a>(mesh: &Mesh, shape: &[i64], sharding: impl IntoIterator<Item = &'a [Atom]>) -> Layout {
        let dims = shape.iter().zip(sharding);
        Layout {
            dims: dims.map(|(&n, atoms)| DimLayout::canonical(mesh, n, atoms.into())).collect(),
            partial: None,
        }
    }

    /// All atoms that split some dimension.
    pub fn used(&self) -> AtomSet {
        self.dims.iter().flat_map(|d| d.atoms.iter().copied()).collect()
    }

    /// The atoms over which it is still to be combined.
    pub fn partial_atoms(&self) -> AtomSet {
        self.partial.map_or(AtomSet::EMPTY, |p| p.atoms)
    }

    /// Whether every device holds everything.
    pub fn is_replicated(&self) -> bool {
        self.partial.is_none() && self.dims.iter().all(|d| d.atoms.is_empty())
    }

    /// The same without anything left to combine.
    pub fn reduced(&self) -> Layout {
        Layout { dims: self.dims.clone(), partial: None }
    }

    /// The layout of a value that is to come to lie so, as long as parts of it over some atoms are not combined.
    pub(super) fn pending(&self, mesh: &Mesh, shape: &[i64], partial: Partial) -> Layout {
        let kept = |(dim, &size): (&DimLayout, &i64)| {
            let atoms = dim.atoms.iter().copied().filter(|a| !partial.atoms.contains(*a)).collect();
            DimLayout::canonical(mesh, size, atoms)
        };
        Layout { dims: self.dims.iter().zip(shape).map(kept).collect(), partial: Some(partial) }
    }

    /// The type of one shard.
    pub fn local(&self, ty: &TensorType) -> TensorType {
        TensorType { elem: ty.elem, shape: self.dims.iter().map(|d| d.block).collect() }
    }
}
