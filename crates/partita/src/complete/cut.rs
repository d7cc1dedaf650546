//! How the tensors of a kind are split: a set of mesh axes for each dimension.

use crate::sharding::{Atom, Mesh, Sharding};
use smallvec::SmallVec;

/// The most axes of a mesh that a search looks at, and the most dimensions of a tensor that it splits.
pub const WIDTH: usize = 8;

/// Axes as bits.
pub type Axes = u8;

/// The axes that split each dimension, eight bits for each. Axes of one dimension are in the order of the mesh.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cut(u64);

impl Cut {
    /// The axes that split a dimension.
    pub fn of(self, dim: usize) -> Axes {
        if dim < WIDTH { (self.0 >> (8 * dim)) as u8 } else { 0 }
    }

    /// The axes that a sharding splits dimensions by; parts of axes are left out.
    pub fn of_sharding(mesh: &Mesh, sharding: &Sharding) -> Cut {
        Cut::of_dims(mesh, sharding.dims.iter().map(|dim| &dim.atoms[..]))
    }

    /// The axes that split dimensions, from the atoms of each; parts of axes are left out.
    pub fn of_dims<'a>(mesh: &Mesh, dims: impl Iterator<Item = &'a [Atom]>) -> Cut {
        let mut cut = Cut::default();
        for (dim, atoms) in dims.enumerate().filter(|(_, atoms)| !atoms.is_empty()) {
            for (n, axis) in mesh.axes().iter().enumerate().filter(|(_, axis)| axis.size > 1) {
                if axis.atoms().all(|atom| atoms.contains(&atom)) {
                    cut.add(dim, n);
                }
            }
        }
        cut
    }

    /// Splits a dimension along an axis as well.
    pub fn add(&mut self, dim: usize, axis: usize) {
        if dim < WIDTH && axis < WIDTH {
            self.0 |= 1 << (8 * dim + axis);
        }
    }

    /// The same with two axes in each other's place.
    pub fn swapped(self, a: usize, b: usize) -> Cut {
        let mut cut = Cut::default();
        for dim in 0..WIDTH {
            for axis in axes(self.of(dim)) {
                cut.add(
                    dim,
                    if axis == a {
                        b
                    } else if axis == b {
                        a
                    } else {
                        axis
                    },
                );
            }
        }
        cut
    }

    /// The same without an axis.
    pub fn without(self, axis: usize) -> Cut {
        let bits = (0..WIDTH).fold(0, |bits, dim| bits | 1 << (8 * dim + axis));
        Cut(self.0 & !bits)
    }

    /// Whether it splits all that another does.
    pub fn contains(self, other: Cut) -> bool {
        self.0 & other.0 == other.0
    }

    /// The axes that split some dimension.
    pub fn all(self) -> Axes {
        (0..WIDTH).fold(0, |set, dim| set | self.of(dim))
    }

    /// The dimension that an axis splits.
    pub fn dim(self, axis: usize) -> Option<usize> {
        (0..WIDTH).find(|dim| self.of(*dim) >> axis & 1 == 1)
    }
}

/// The axes of a set, in order.
pub fn axes(set: Axes) -> impl Iterator<Item = usize> {
    (0..WIDTH).filter(move |axis| set >> axis & 1 == 1)
}

/// The sizes of the axes of a mesh.
pub type Sizes = SmallVec<[i64; WIDTH]>;

/// How many parts a set of axes makes.
pub fn parts(sizes: &[i64], set: Axes) -> i64 {
    axes(set).filter_map(|axis| sizes.get(axis)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_found_where_they_were_put() {
        let mut cut = Cut::default();
        cut.add(0, 1);
        cut.add(3, 0);
        cut.add(3, 2);
        assert_eq!((cut.of(0), cut.of(1), cut.of(3)), (0b10, 0, 0b101));
        assert_eq!(cut.all(), 0b111);
        assert_eq!([0, 1, 2, 3].map(|a| cut.dim(a)), [Some(3), Some(0), Some(3), None]);
        assert_eq!(parts(&[2, 4, 8], cut.of(3)), 16);
        assert_eq!([0, 1, 2].map(|a| cut.swapped(0, 1).dim(a)), [Some(0), Some(3), Some(3)]);
    }
}
