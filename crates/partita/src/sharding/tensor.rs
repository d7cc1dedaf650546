//! The sharding of one tensor.

use super::atoms::AtomList;
use super::mesh::AtomSet;
use smallvec::SmallVec;

/// The sharding of one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DimSharding {
    /// The atoms the dimension is split over, major to minor.
    pub atoms: AtomList,
    /// Whether propagation may add atoms.
    pub open: bool,
    /// When propagation looks at it: low numbers first.
    pub priority: u32,
}

/// The sharding of one tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sharding {
    /// One per dimension.
    pub dims: SmallVec<[DimSharding; 4]>,
    /// Atoms that propagation must not use.
    pub replicated: AtomSet,
    /// Atoms over which the tensor is a partial sum.
    pub unreduced: AtomSet,
    /// The one device that holds all of it, where it is placed so.
    pub device: Option<i64>,
}

impl Sharding {
    /// Nothing is split, anything may be.
    pub fn open(rank: usize) -> Sharding {
        let dim = DimSharding { open: true, ..DimSharding::default() };
        Sharding { dims: SmallVec::from_elem(dim, rank), ..Sharding::default() }
    }

    /// Nothing is split, and nothing may be.
    pub fn replicated(rank: usize) -> Sharding {
        Sharding { dims: SmallVec::from_elem(DimSharding::default(), rank), ..Sharding::default() }
    }

    /// The atoms that split some dimension.
    pub fn used(&self) -> AtomSet {
        self.dims.iter().flat_map(|d| d.atoms.iter().copied()).collect()
    }

    /// Whether no dimension may be split further.
    pub fn is_closed(&self) -> bool {
        self.dims.iter().all(|d| !d.open)
    }
}
