//! Boxes that are written at places known beforehand.

use super::lookup::IndexPlace;
use super::rule::Combine;
use super::sharding::{combine, iota::constant_component};
use crate::ir::OpRef;
use smallvec::SmallVec;

/// One box of the first operand that an op writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The operand that is written there.
    pub update: usize,
    /// Where the box starts, in each dimension.
    pub starts: SmallVec<[i64; 4]>,
    /// How it is combined with what is there; nothing where it takes its place.
    pub combine: Option<Combine>,
}

/// The box that an op writes, where it writes one, and at a place that is known and inside.
pub(crate) fn written(op: OpRef<'_>) -> Option<Written> {
    let into = op.operand_tensor(0);
    let combine = match op.regions().first() {
        None => None,
        Some(_) if takes_update(op) => None,
        Some(_) => Some(combine(op)?),
    };
    // Every dimension has a window, in order, and there is one place.
    let scattered = op.scatter_dims().is_some_and(|dims| {
        let in_order = dims.update_window_dims.iter().copied().eq(0..into.rank() as i64);
        let one_place = op.operand_tensor(2).rank() == into.rank();
        in_order && one_place && dims.inserted_window_dims.is_empty() && dims.input_batching_dims.is_empty()
    });
    let update = if op.scatter_dims().is_some() { 2 } else { 1 };
    if op.results().len() != 1 || op.scatter_dims().is_some() && !scattered {
        return None;
    }
    let shape = &op.operand_tensor(update).shape;
    let mut starts = SmallVec::from_elem(0, into.rank());
    for lookup in (op.def().lookups)(op) {
        let (operand, along, at) = match lookup.index {
            IndexPlace::Operand(n) => (n, 0, 0),
            IndexPlace::Component { operand, along, at } => (operand, along, at as usize),
        };
        let start = constant_component(op.module, op.operands()[operand], along, at, 8)?;
        if start < 0 || start + shape[lookup.dim] > into.shape[lookup.dim] {
            return None;
        }
        starts[lookup.dim] = start;
    }
    Some(Written { update, starts, combine })
}

/// Whether the region of a scatter gives what is written, whatever was there.
fn takes_update(op: OpRef<'_>) -> bool {
    let region = op.region(0);
    let &[last] = &region.ops[..] else { return false };
    region.args.len() == 2 && *op.module.operands(last) == [region.args.at(1)]
}
