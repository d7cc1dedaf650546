//! What running an op on shards changes in its attributes.

use crate::ir::{Attr, Attrs, OpRef, TensorType, names};

/// An op and the types its operands and results have on one device.
pub struct Local<'a> {
    /// The op, with its global types.
    pub op: OpRef<'a>,
    /// The types of the operands' shards.
    pub operands: &'a [TensorType],
    /// The types of the results' shards.
    pub results: &'a [TensorType],
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
        let whole = starts[d] == 0
            && limits[d] == global.shape[d]
            && global.shape[d] == local.op.result_tensor(0).shape[d];
        if whole { local.operands[0].shape[d] } else { limits[d] }
    });
    Some(with(local, names::LIMIT_INDICES, Attr::i64s(limits)))
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
    Some(attrs)
}

fn with(local: &Local<'_>, name: crate::ir::Sym, attr: Attr) -> Attrs {
    let mut attrs = local.op.op().attrs.clone();
    if attrs.get(name) != Some(&attr) {
        attrs.set(name, attr);
    }
    attrs
}
