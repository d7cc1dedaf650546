//! Where ops look up: which dimensions of their first operand they reach at places that are computed.

use crate::ir::{OpRef, names};

/// A dimension of the first operand that is read or written from a computed index on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookup {
    /// The dimension.
    pub dim: usize,
    /// How many indices from there.
    pub window: i64,
    /// Where the index stands.
    pub index: IndexPlace,
    /// What happens at the index.
    pub access: LookupAccess,
}

/// Where an index stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexPlace {
    /// It is an operand, a scalar.
    Operand(usize),
    /// It is one component of the index vectors in an operand.
    Component {
        /// The operand.
        operand: usize,
        /// The dimension along which the components stand; the rank where each vector is one number.
        along: usize,
        /// Which component.
        at: i64,
    },
}

/// What happens at a computed index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupAccess {
    /// The window is moved inside the dimension and read; the dimension of the result that holds it, where there is one.
    Read(Option<usize>),
    /// The window is moved inside the dimension and written.
    Write,
    /// What is outside of the dimension is left out.
    WriteInside,
}

/// What a row says: all dimensions that are looked up.
pub type Lookups = fn(OpRef<'_>) -> Vec<Lookup>;

/// It looks nothing up.
pub fn none(_: OpRef<'_>) -> Vec<Lookup> {
    Vec::new()
}

/// One scalar index for each dimension.
pub fn dynamic_slice(op: OpRef<'_>) -> Vec<Lookup> {
    let sizes = op.ints(names::SLICE_SIZES);
    let from = op.operand_tensor(0);
    let looked_up = (0..from.rank()).filter(|d| sizes[*d] != from.shape[*d]);
    let lookup = |dim| Lookup {
        dim,
        window: sizes[dim],
        index: IndexPlace::Operand(1 + dim),
        access: LookupAccess::Read(Some(dim)),
    };
    looked_up.map(lookup).collect()
}

/// One scalar index for each dimension, behind the update.
pub fn dynamic_update_slice(op: OpRef<'_>) -> Vec<Lookup> {
    let (into, update) = (op.operand_tensor(0), op.operand_tensor(1));
    let looked_up = (0..into.rank()).filter(|d| update.shape[*d] != into.shape[*d]);
    let lookup = |dim| Lookup {
        dim,
        window: update.shape[dim],
        index: IndexPlace::Operand(2 + dim),
        access: LookupAccess::Write,
    };
    looked_up.map(lookup).collect()
}

/// The components of the index vectors, for the dimensions that are not taken whole.
pub fn gather(op: OpRef<'_>) -> Vec<Lookup> {
    let Some(dims) = op.gather_dims() else { return Vec::new() };
    let (from, sizes) = (op.operand_tensor(0), op.ints(names::SLICE_SIZES));
    let taken = |d: i64| !dims.collapsed_slice_dims.contains(&d) && !dims.operand_batching_dims.contains(&d);
    let mut found = Vec::new();
    for (at, &dim) in dims.start_index_map.iter().enumerate() {
        let d = dim as usize;
        if sizes[d] == from.shape[d] && taken(dim) {
            continue;
        }
        let place = (0..dim).filter(|d| taken(*d)).count();
        let result = taken(dim).then(|| dims.offset_dims[place] as usize);
        found.push(Lookup {
            dim: d,
            window: sizes[d],
            index: IndexPlace::Component { operand: 1, along: dims.index_vector_dim as usize, at: at as i64 },
            access: LookupAccess::Read(result),
        });
    }
    found
}

/// The components of the index vectors, each with the window that is written from there on.
pub fn scatter(op: OpRef<'_>) -> Vec<Lookup> {
    let Some(dims) = op.scatter_dims() else { return Vec::new() };
    let (inputs, updates) = (op.results().len(), op.operand_tensor(op.results().len() + 1));
    let outside = |d: i64| dims.inserted_window_dims.contains(&d) || dims.input_batching_dims.contains(&d);
    let window = |dim: i64| {
        // The window of a dimension stands in the updates in the order of the dimensions that have one.
        let place = (0..dim).filter(|d| !outside(*d)).count();
        let window = dims.update_window_dims.get(place).and_then(|d| updates.shape.get(*d as usize));
        if outside(dim) { Some(1) } else { window.copied() }
    };
    let lookup = |(at, dim): (usize, &i64)| {
        let index =
            IndexPlace::Component { operand: inputs, along: dims.index_vector_dim as usize, at: at as i64 };
        let (dim, window) = (*dim as usize, window(*dim)?);
        Some(Lookup { dim, window, index, access: LookupAccess::WriteInside })
    };
    dims.scatter_dims_to_operand_dims.iter().enumerate().filter_map(lookup).collect()
}
