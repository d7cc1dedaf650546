//! What running an op on shards changes in its attributes.

use crate::ir::{Attr, Attrs, Elem, OpRef, TensorType, names};
use crate::ops::ordered::Direction;
use crate::ops::sharding::reduce::running;
use crate::value::{Scalar, Tensor};

/// An op and the types its operands and results have on one device.
pub struct Local<'a> {
    /// The op, with its global types.
    pub op: OpRef<'a>,
    /// The types of the operands' shards.
    pub operands: &'a [TensorType],
    /// The types of the results' shards.
    pub results: &'a [TensorType],
    /// Dimensions of operands that are there as the windows on this device reach them.
    pub reached: &'a [Reached],
}

/// A dimension of an operand of which a device has what its windows reach, ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The operand.
    pub operand: usize,
    /// The dimension.
    pub dim: usize,
    /// What is left to pad before it: less than the distance between two elements.
    pub low: i64,
    /// What is left to pad behind it.
    pub high: i64,
}

impl Local<'_> {
    /// What windows reach of a dimension of the first operand, where it is split along them.
    fn reached(&self, dim: usize) -> Option<&Reached> {
        self.reached.iter().find(|r| r.operand == 0 && r.dim == dim)
    }

    /// The padding of windows, as rows of two, with the rows of split dimensions replaced.
    fn padding(&self, rows: usize, dim_of: impl Fn(usize) -> usize) -> Attr {
        let given = match self.op.attr(names::PADDING) {
            Some(Attr::Elements(tensor)) if tensor.len() == 2 * rows => tensor.to_i64s(),
            _ => vec![0; 2 * rows],
        };
        let mut padding = given;
        for row in 0..rows {
            if let Some(reached) = self.reached(dim_of(row)) {
                padding[2 * row] = reached.low;
                padding[2 * row + 1] = reached.high;
            }
        }
        padding_rows(&padding)
    }
}

/// Padding as the attribute holds it, two numbers for each dimension.
fn padding_rows(padding: &[i64]) -> Attr {
    let ty = TensorType::new(Elem::Int(64), [padding.len() as i64 / 2, 2]);
    Attr::Elements(Box::new(Tensor::from_fn(ty, |i| Scalar::Int(padding[i]))))
}

/// What a row says: the attributes for shards; nothing where the op cannot run on shards.
pub type Localise = fn(&Local<'_>) -> Option<Attrs>;

/// The attributes hold no sizes of dimensions that may be split.
pub fn unchanged(local: &Local<'_>) -> Option<Attrs> {
    Some(local.op.op().attrs.clone())
}

/// Sizes are operands: it runs whole.
pub fn impossible(_: &Local<'_>) -> Option<Attrs> {
    None
}

/// Dimensions that are taken whole end where the shard ends.
pub fn slice(local: &Local<'_>) -> Option<Attrs> {
    let global = local.op.operand_tensor(0);
    let (starts, limits) = (local.op.ints(names::START_INDICES), local.op.ints(names::LIMIT_INDICES));
    let limits = (0..global.rank()).map(|d| {
        if local.reached(d).is_some() {
            return local.operands[0].shape[d];
        }
        let whole = starts[d] == 0
            && limits[d] == global.shape[d]
            && global.shape[d] == local.op.result_tensor(0).shape[d];
        if whole { local.operands[0].shape[d] } else { limits[d] }
    });
    let mut attrs = with(local, names::LIMIT_INDICES, Attr::i64s(limits));
    let starts = (0..global.rank()).map(|d| if local.reached(d).is_some() { 0 } else { starts[d] });
    attrs.set(names::START_INDICES, Attr::i64s(starts));
    Some(attrs)
}

/// The sizes are those of the result.
pub fn dynamic_slice(local: &Local<'_>) -> Option<Attrs> {
    Some(with(local, names::SLICE_SIZES, Attr::i64s(local.results[0].shape.iter().copied())))
}

/// Windows that are taken whole are as large as the shard.
pub fn gather(local: &Local<'_>) -> Option<Attrs> {
    let global = local.op.operand_tensor(0);
    let sizes = local.op.ints(names::SLICE_SIZES);
    let sizes = sizes
        .iter()
        .enumerate()
        .map(|(d, &size)| if size == global.shape[d] { local.operands[0].shape[d] } else { size });
    Some(with(local, names::SLICE_SIZES, Attr::i64s(sizes)))
}

/// The new dimensions are the first ones of the result.
pub fn broadcast(local: &Local<'_>) -> Option<Attrs> {
    let new = local.results[0].rank() - local.operands[0].rank();
    Some(with(local, names::BROADCAST_SIZES, Attr::i64s(local.results[0].shape[..new].iter().copied())))
}

/// Padding is as the windows on this device reach it.
pub fn reduce_window(local: &Local<'_>) -> Option<Attrs> {
    let rank = local.op.operand_tensor(0).rank();
    let mut attrs = match local.reached.is_empty() {
        true => local.op.op().attrs.clone(),
        false => with(local, names::PADDING, local.padding(rank, |d| d)),
    };
    let mut sizes = local.op.ints(names::WINDOW_DIMENSIONS).to_vec();
    // Windows that run along a dimension are as long as the shard, and so is their padding.
    for dim in 0..rank {
        let (size, local_size) = (local.op.operand_tensor(0).shape[dim], local.operands[0].shape[dim]);
        let Some(direction) = running(local.op, dim).filter(|_| size != local_size) else { continue };
        sizes[dim] = local_size;
        let Some(Attr::Elements(padding)) = attrs.get(names::PADDING) else { continue };
        let mut padding = padding.to_i64s();
        padding[2 * dim + usize::from(direction == Direction::Backward)] = local_size - 1;
        attrs.set(names::PADDING, padding_rows(&padding));
    }
    if sizes != local.op.ints(names::WINDOW_DIMENSIONS) {
        attrs.set(names::WINDOW_DIMENSIONS, Attr::i64s(sizes));
    }
    Some(attrs)
}

/// Padding is as the windows on this device reach it.
pub fn select_and_scatter(local: &Local<'_>) -> Option<Attrs> {
    let rank = local.op.operand_tensor(0).rank();
    Some(match local.reached.is_empty() {
        true => local.op.op().attrs.clone(),
        false => with(local, names::PADDING, local.padding(rank, |d| d)),
    })
}

/// As many are ranked as the results hold.
pub fn top_k(local: &Local<'_>) -> Option<Attrs> {
    let k = local.results.first()?.shape.last().copied()?;
    Some(with(local, names::K, Attr::i64(k)))
}

/// Split dimensions are padded between their elements only: what is around them is there.
pub fn pad(local: &Local<'_>) -> Option<Attrs> {
    let mut attrs = local.op.op().attrs.clone();
    for (name, end) in [(names::EDGE_PADDING_LOW, 0), (names::EDGE_PADDING_HIGH, 1)] {
        let given = local.op.ints(name);
        let padding = given.iter().enumerate().map(|(d, &given)| match local.reached(d) {
            Some(reached) => [reached.low, reached.high][end],
            None => given,
        });
        attrs.set(name, Attr::i64s(padding));
    }
    Some(attrs)
}

/// So many groups as the shards hold.
pub fn convolution(local: &Local<'_>) -> Option<Attrs> {
    let dims = local.op.conv_dims()?;
    let (input, kernel, output) = (&local.operands[0], &local.operands[1], &local.results[0]);
    let count = |of: &TensorType, dim: i64, by: &TensorType, other: i64| {
        let (all, each) = (of.shape[dim as usize], by.shape[other as usize]);
        if each == 0 { 1 } else { (all / each).max(1) }
    };
    let features = count(input, dims.input_feature, kernel, dims.kernel_input_feature);
    let batches = count(input, dims.input_batch, output, dims.output_batch);
    let mut attrs = with(local, names::FEATURE_GROUP_COUNT, Attr::i64(features));
    attrs.set(names::BATCH_GROUP_COUNT, Attr::i64(batches));
    if !local.reached.is_empty() {
        let place = |spatial: usize| dims.input_spatial[spatial] as usize;
        attrs.set(names::PADDING, local.padding(dims.input_spatial.len(), place));
    }
    Some(attrs)
}

fn with(local: &Local<'_>, name: crate::ir::Sym, attr: Attr) -> Attrs {
    let mut attrs = local.op.op().attrs.clone();
    if attrs.get(name) != Some(&attr) {
        attrs.set(name, attr);
    }
    attrs
}
