//! What can be said of indices before they are computed: `x[arange(n), j]` looks up nothing along its first dimension, each batch has its
//! own row; and an index that is brought between zero and zero is zero.

use crate::ir::attr::{Comparison, EnumAttr};
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::lookup::{IndexPlace, Lookup};
use crate::value::{Scalar, Tensor};
use smallvec::SmallVec;

/// How far values are followed back.
const MAX_STEPS: u32 = 16;

/// What is known of the indices of an op.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct KnownIndices {
    /// The dimensions of the first operand that are looked up at the index's own place, each with the dimension of the indices along
    /// which that is so.
    pub(crate) own: SmallVec<[(usize, usize); 2]>,
    /// The dimensions of the first operand whose index is zero.
    pub(crate) zero: SmallVec<[usize; 2]>,
}

/// Looks at the indices of an op.
pub(crate) fn known_indices(op: OpRef<'_>) -> KnownIndices {
    let mut found = KnownIndices::default();
    // Only a dimension without a window of its own is free to go with the indices.
    let (single, batches, to, operand, along) = match (op.gather_dims(), op.scatter_dims()) {
        (Some(dims), _) => {
            let batches = &dims.start_indices_batching_dims;
            (&dims.collapsed_slice_dims, batches, &dims.start_index_map, 1, dims.index_vector_dim)
        }
        (_, Some(dims)) => {
            let (batches, to) = (&dims.scatter_indices_batching_dims, &dims.scatter_dims_to_operand_dims);
            (&dims.inserted_window_dims, batches, to, op.results().len(), dims.index_vector_dim)
        }
        _ => return found,
    };
    let along = along as usize;
    for (at, &dim) in to.iter().enumerate() {
        if component_is_zero(op.module, op.operands()[operand], along, at) {
            found.zero.push(dim as usize);
        }
    }
    for Lookup { dim, window, index, .. } in (op.def().lookups)(op) {
        let IndexPlace::Component { operand, along, at } = index else { continue };
        if window != 1 || !single.contains(&(dim as i64)) {
            continue;
        }
        let Some(value) = component(op.module, op.operands()[operand], along, at) else { continue };
        let Some(place) = place_along(op.module, value, MAX_STEPS) else { continue };
        let sizes = (op.operand_tensor(0).shape[dim], op.operand_tensor(operand).shape.get(place).copied());
        // A batch that has a dimension of the operand to itself already walks along a diagonal.
        let free = !batches.contains(&(place as i64)) && !found.own.iter().any(|(_, p)| *p == place);
        if place != along && sizes.1 == Some(sizes.0) && free {
            found.own.push((dim, place));
        }
    }
    found
}

/// Whether one component of index vectors is zero, or is brought between zero and zero.
fn component_is_zero(module: &Module, indices: ValueId, along: usize, at: usize) -> bool {
    if constant_component(module, indices, along, at, MAX_STEPS) == Some(0) {
        return true;
    }
    let Some(op) = module.made_by(indices).filter(|op| op.kind() == OpKind::Clamp) else { return false };
    let end = |n: usize| constant_component(module, op.operands()[n], along, at, MAX_STEPS);
    end(0) == Some(0) && end(2) == Some(0)
}

/// What a value is at one index along a dimension, where it is the same along all others.
pub(crate) fn constant_component(
    module: &Module,
    value: ValueId,
    along: usize,
    at: usize,
    steps: u32,
) -> Option<i64> {
    let op = module.made_by(value)?;
    let steps = steps.checked_sub(1)?;
    if let Some(Attr::Elements(tensor)) = op.attr(names::VALUE) {
        return match tensor.as_splat() {
            Some(splat) => Some(splat.as_i64()),
            None if tensor.shape().len() == 1 && along == 0 => {
                (at < tensor.len()).then(|| tensor.get(at).as_i64())
            }
            None => None,
        };
    }
    let of = |n: usize| constant_component(module, *op.operands().get(n)?, along, at, steps);
    match op.kind() {
        OpKind::BroadcastInDim => {
            let dims = op.ints(names::BROADCAST_DIMENSIONS);
            let from = dims.iter().position(|d| *d == along as i64);
            let repeated = |d: usize| op.operand_tensor(0).shape[d] == 1;
            let (along, at) = match from {
                Some(d) if repeated(d) => (d, 0),
                Some(d) => (d, at),
                None => (usize::MAX, 0),
            };
            constant_component(module, op.operands()[0], along, at, steps)
        }
        OpKind::Minimum => Some(of(0)?.min(of(1)?)),
        OpKind::Maximum => Some(of(0)?.max(of(1)?)),
        _ => None,
    }
}

/// One component of index vectors, where it stands alone somewhere.
fn component(module: &Module, indices: ValueId, along: usize, at: i64) -> Option<ValueId> {
    let ty = module.tensor_type(indices)?;
    if along == ty.rank() || ty.shape.get(along) == Some(&1) {
        return Some(indices);
    }
    let op = module.made_by(indices).filter(|op| op.kind() == OpKind::Concatenate)?;
    if op.int(names::DIMENSION) != Some(along as i64) {
        return None;
    }
    let mut start = 0;
    for &operand in op.operands() {
        let size = *module.tensor_type(operand)?.shape.get(along)?;
        if at == start && size == 1 {
            return Some(operand);
        }
        start += size;
    }
    None
}

/// The dimension along which each element of a value is its own index.
fn place_along(module: &Module, value: ValueId, steps: u32) -> Option<usize> {
    let op = module.made_by(value)?;
    let steps = steps.checked_sub(1)?;
    if let Some(Attr::Elements(tensor)) = op.attr(names::VALUE) {
        return constant_place(tensor);
    }
    let of = |n: usize| place_along(module, *op.operands().get(n)?, steps);
    match op.kind() {
        OpKind::Iota => usize::try_from(op.int(names::IOTA_DIMENSION)?).ok(),
        OpKind::Convert => {
            let place = of(0)?;
            let (from, to) = (op.operand_tensor(0), op.result_tensor(0));
            // All indices must fit the types on the way.
            let fits = |elem: Elem| match elem {
                Elem::Int(bits) | Elem::Uint(bits) => bits >= 32 || from.shape[place] <= 1 << (bits - 1),
                _ => false,
            };
            (fits(from.elem) && fits(to.elem)).then_some(place)
        }
        OpKind::BroadcastInDim => {
            let place = of(0)?;
            let to = *op.ints(names::BROADCAST_DIMENSIONS).get(place)? as usize;
            (op.operand_tensor(0).shape[place] == op.result_tensor(0).shape[to]).then_some(to)
        }
        OpKind::Reshape => {
            let place = of(0)?;
            let (from, to) = (&op.operand_tensor(0).shape, &op.result_tensor(0).shape);
            let real =
                |shape: &Shape| -> Vec<usize> { (0..shape.len()).filter(|d| shape[*d] != 1).collect() };
            let (a, b) = (real(from), real(to));
            let same = a.iter().map(|d| from[*d]).eq(b.iter().map(|d| to[*d]));
            b.get(a.iter().position(|d| *d == place)?).copied().filter(|_| same)
        }
        OpKind::Select => {
            let taken = if never(module, op.operands()[0], steps)? { 2 } else { return None };
            of(taken)
        }
        _ => None,
    }
}

/// The dimension along which each element of a constant is its own index.
fn constant_place(tensor: &Tensor) -> Option<usize> {
    // Long lists of indices are not written out as constants; a dimension of one index says nothing.
    const MAX_ELEMENTS: usize = 1 << 16;
    if tensor.len() > MAX_ELEMENTS || !tensor.elem().is_int() {
        return None;
    }
    let shape = tensor.shape();
    (0..shape.len()).find(|&dim| {
        let inner = shape[dim + 1..].iter().product::<i64>() as usize;
        let index = |i: usize| (i / inner.max(1)) as i64 % shape[dim].max(1);
        shape[dim] > 1 && (0..tensor.len()).all(|i| tensor.get(i).as_i64() == index(i))
    })
}

/// Whether a predicate is false everywhere: an index is never below zero.
fn never(module: &Module, value: ValueId, steps: u32) -> Option<bool> {
    let op = module.made_by(value)?;
    let steps = steps.checked_sub(1)?;
    match op.kind() {
        OpKind::BroadcastInDim | OpKind::Reshape => never(module, op.operands()[0], steps),
        OpKind::Compare => {
            let below =
                op.enumeration(names::COMPARISON_DIRECTION) == Some(EnumAttr::Comparison(Comparison::Lt));
            let index = place_along(module, op.operands()[0], steps).is_some();
            Some(below && index && is_zero(module, op.operands()[1], steps))
        }
        _ => None,
    }
}

fn is_zero(module: &Module, value: ValueId, steps: u32) -> bool {
    let Some(op) = module.made_by(value) else { return false };
    match (op.attr(names::VALUE), op.kind()) {
        (Some(Attr::Elements(tensor)), _) => tensor.as_splat().map(Scalar::as_i64) == Some(0),
        (_, OpKind::BroadcastInDim | OpKind::Convert) if steps > 0 => {
            is_zero(module, op.operands()[0], steps - 1)
        }
        _ => false,
    }
}
