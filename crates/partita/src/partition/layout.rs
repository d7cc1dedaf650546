//! How a tensor lies on the devices: which atoms split each dimension, and into what blocks.

use crate::ir::{Shape, TensorType};
use crate::sharding::{Atom, AtomList, AtomSet, Mesh, Sharding};
use smallvec::SmallVec;

/// The layout of a tensor. Blocks are canonical: dimension `n` over `p` parts has blocks of `ceil(n / p)`, the last
/// ones padded on the right or empty. What stands in the padding is undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    /// The atoms that split each dimension, major to minor.
    pub dims: SmallVec<[AtomList; 4]>,
}

impl Layout {
    /// Every device holds everything.
    pub fn replicated(rank: usize) -> Layout {
        Layout { dims: SmallVec::from_elem(AtomList::new(), rank) }
    }

    /// The layout of a sharding.
    pub fn of(sharding: &Sharding) -> Layout {
        Layout { dims: sharding.dims.iter().map(|d| d.atoms.clone()).collect() }
    }

    /// All atoms that split some dimension.
    pub fn used(&self) -> AtomSet {
        self.dims.iter().flatten().copied().collect()
    }

    /// Into how many parts a dimension is split.
    pub fn parts(&self, mesh: &Mesh, dim: usize) -> i64 {
        mesh.size_of(self.dims[dim].iter().copied())
    }

    /// The block size of a dimension.
    pub fn block(&self, mesh: &Mesh, shape: &[i64], dim: usize) -> i64 {
        let parts = self.parts(mesh, dim);
        (shape[dim] + parts - 1) / parts
    }

    /// Whether a dimension has padding somewhere.
    pub fn is_uneven(&self, mesh: &Mesh, shape: &[i64], dim: usize) -> bool {
        shape[dim] % self.parts(mesh, dim) != 0
    }

    /// The type of one shard.
    pub fn local(&self, mesh: &Mesh, ty: &TensorType) -> TensorType {
        let shape: Shape = (0..ty.rank()).map(|d| self.block(mesh, &ty.shape, d)).collect();
        TensorType { elem: ty.elem, shape }
    }
}

/// Positions in a mesh, row-major over its atoms.
pub struct Positions<'m> {
    mesh: &'m Mesh,
}

impl<'m> Positions<'m> {
    /// The positions of a mesh.
    pub fn new(mesh: &'m Mesh) -> Self {
        Positions { mesh }
    }

    /// How far apart two positions are that differ by one along an atom.
    pub fn stride(&self, atom: Atom) -> i64 {
        let minor = self.mesh.all_atoms().iter().filter(|a| *a > atom);
        self.mesh.size_of(minor)
    }

    /// The coordinate of a position along a list of atoms, major to minor.
    pub fn coordinate(&self, position: i64, atoms: &[Atom]) -> i64 {
        atoms.iter().fold(0, |index, &a| {
            let size = self.mesh.atom_size(a);
            index * size + position / self.stride(a) % size
        })
    }

    /// The device at a position.
    pub fn device(&self, position: i64) -> i64 {
        self.mesh.device_ids().map_or(position, |ids| ids[position as usize])
    }

    /// The groups of devices that differ along these atoms only, each in the order of the atoms.
    pub fn groups(&self, atoms: &[Atom]) -> Vec<Vec<i64>> {
        let size = self.mesh.size_of(atoms.iter().copied());
        let others: Vec<Atom> = self.mesh.all_atoms().minus(atoms.iter().copied().collect()).iter().collect();
        let mut groups = vec![vec![0; size as usize]; (self.mesh.device_count() / size) as usize];
        for position in 0..self.mesh.device_count() {
            let group = self.coordinate(position, &others) as usize;
            groups[group][self.coordinate(position, atoms) as usize] = self.device(position);
        }
        groups
    }
}
