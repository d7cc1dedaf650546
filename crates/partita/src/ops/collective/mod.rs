//! Communication between devices and with the host.

pub(crate) mod groups;
mod stream;

pub use stream::{ASYNC_DONE, ASYNC_START, INFEED, OUTFEED, RECV, SEND};

use super::check::{dimension_in_range, ensure, same_length, tensor_operand, tensor_result};
use super::combiner::verify_combiner;
use super::control::RESULT_ONLY;
use super::def::{
    AttrDef, AttrKind, Count, Eval, OpDef, OpError, Traits, elementwise_work, no_work, optional, required,
};
use crate::interpret::{CollectiveOp, DriverOp};
use crate::ir::{Elem, OpRef, Sym, TensorType, Type, names};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use groups::{Ids, verify_groups, verify_pairs};

const EFFECT: Traits = Traits { effect: true, ..Traits::NONE };

const CHANNEL: AttrDef = optional(names::CHANNEL_HANDLE, AttrKind::Channel);
const GROUPS: AttrDef = required(names::REPLICA_GROUPS, AttrKind::ReplicaGroups);
const GLOBAL_IDS: AttrDef = optional(names::USE_GLOBAL_DEVICE_IDS, AttrKind::Unit);
const DYNAMIC_ROOT: AttrDef = optional(names::HAS_DYNAMIC_ROOT, AttrKind::Unit);

pub static ALL_GATHER: OpDef = OpDef {
    name: "stablehlo.all_gather",
    doc: "Puts the operands of all devices of a group one behind the other.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    attrs: &[required(names::ALL_GATHER_DIM, AttrKind::I64), CHANNEL, GROUPS, GLOBAL_IDS],
    verify: verify_all_gather,
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::AllGather)),
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static ALL_REDUCE: OpDef = OpDef {
    name: "stablehlo.all_reduce",
    doc: "Combines the operands of all devices of a group element by element.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[CHANNEL, GROUPS, GLOBAL_IDS],
    infer: Some(|op| combined_types(op, op.operands().len())),
    verify: |op| {
        verify_groups(op, Ids::EachOnce, false)?;
        global_ids_need_channel(op)
    },
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::AllReduce)),
    work: elementwise_work,
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static ALL_TO_ALL: OpDef = OpDef {
    name: "stablehlo.all_to_all",
    doc: "Splits each operand into parts and gives the n-th part to the n-th device of the group.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    attrs: &[
        CHANNEL,
        required(names::CONCAT_DIMENSION, AttrKind::I64),
        GROUPS,
        required(names::SPLIT_COUNT, AttrKind::I64),
        required(names::SPLIT_DIMENSION, AttrKind::I64),
    ],
    infer: Some(infer_all_to_all),
    verify: |op| {
        let size = verify_groups(op, Ids::EachOnce, true)?;
        let count = op.int(names::SPLIT_COUNT).unwrap_or(0);
        ensure!(count > 0, "`split_count` must be positive, but it is {count}");
        let size = size.unwrap_or(count);
        ensure!(size == count, "`split_count` is {count}, but the groups have {size} devices each");
        Ok(())
    },
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::AllToAll)),
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static COLLECTIVE_BROADCAST: OpDef = OpDef {
    name: "stablehlo.collective_broadcast",
    doc: "Gives the operand of one device of a group to all of them.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    attrs: &[CHANNEL, DYNAMIC_ROOT, GROUPS],
    infer: Some(|op| {
        let count = without_root(op)?;
        Ok(op.operand_types().take(count).cloned().collect())
    }),
    verify: |op| verify_groups(op, Ids::NoneTwice, false).map(|_| ()),
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::Broadcast)),
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static COLLECTIVE_PERMUTE: OpDef = OpDef {
    name: "stablehlo.collective_permute",
    doc: "Sends the operand from each source to its target; devices that are no target get zeros.",
    operands: Count::exactly(1),
    attrs: &[CHANNEL, required(names::SOURCE_TARGET_PAIRS, AttrKind::Elements)],
    infer: Some(|op| Ok(vec![tensor_operand(op, 0)?.clone().into()])),
    verify: verify_pairs,
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::Permute)),
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static COLLECTIVE_REDUCE: OpDef = OpDef {
    name: "stablehlo.collective_reduce",
    doc: "Combines the operands of all devices of a group on one of them; the others get zeros.",
    operands: Count::at_least(1),
    results: Count::at_least(1),
    regions: Count::exactly(1),
    attrs: &[CHANNEL, DYNAMIC_ROOT, GROUPS, GLOBAL_IDS],
    infer: Some(|op| combined_types(op, without_root(op)?)),
    verify: |op| {
        verify_groups(op, Ids::NoneTwice, false)?;
        global_ids_need_channel(op)
    },
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::Reduce)),
    work: elementwise_work,
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static REDUCE_SCATTER: OpDef = OpDef {
    name: "stablehlo.reduce_scatter",
    doc: "Combines the operands of all devices of a group and gives the n-th part to the n-th device.",
    operands: Count::exactly(1),
    regions: Count::exactly(1),
    attrs: &[CHANNEL, GROUPS, required(names::SCATTER_DIMENSION, AttrKind::I64), GLOBAL_IDS],
    verify: verify_reduce_scatter,
    eval: Eval::Driver(DriverOp::Collective(CollectiveOp::ReduceScatter)),
    work: elementwise_work,
    traits: EFFECT,
    spread: Spread::Rule(sharding::collective::exchange, Flow::Ordinary),
    ..OpDef::BASE
};

pub static PARTITION_ID: OpDef = OpDef {
    name: "stablehlo.partition_id",
    doc: "The number of the device among the partitions.",
    form: RESULT_ONLY,
    infer: Some(device_id),
    eval: Eval::Driver(DriverOp::PartitionId),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

pub static REPLICA_ID: OpDef = OpDef {
    name: "stablehlo.replica_id",
    doc: "The number of the device among the replicas.",
    form: RESULT_ONLY,
    infer: Some(device_id),
    eval: Eval::Driver(DriverOp::ReplicaId),
    work: no_work,
    spread: Spread::Nothing,
    ..OpDef::BASE
};

fn device_id(_: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    Ok(vec![TensorType::scalar(Elem::Uint(32)).into()])
}

fn channel(op: OpRef<'_>) -> i64 {
    match op.attr(names::CHANNEL_HANDLE) {
        Some(crate::ir::Attr::Channel(channel)) => channel.handle,
        _ => 0,
    }
}

fn global_ids_need_channel(op: OpRef<'_>) -> Result<(), OpError> {
    if op.flag(names::USE_GLOBAL_DEVICE_IDS) && channel(op) <= 0 {
        let message = format!("`use_global_device_ids` needs a positive channel, but it is {}", channel(op));
        return Err(OpError::new(message).fix("give a `channel_handle` with a positive `handle`"));
    }
    Ok(())
}

/// A dimension that an attribute names, of the n-th operand.
fn dimension(op: OpRef<'_>, name: Sym, n: usize) -> Result<usize, OpError> {
    let dim = op.int(name).unwrap_or(0);
    dimension_in_range(&format!("`{}`", &op.module.strings[name]), dim, tensor_operand(op, n)?.rank())?;
    Ok(dim as usize)
}

/// How many operands hold data: all, or all but the last, which says who the root is.
fn without_root(op: OpRef<'_>) -> Result<usize, OpError> {
    let operands = op.operands().len();
    if !op.flag(names::HAS_DYNAMIC_ROOT) {
        return Ok(operands);
    }
    ensure!(
        operands >= 2,
        "with `has_dynamic_root` the last operand says who the root is, but there is no other"
    );
    let (given, expected) =
        (tensor_operand(op, operands - 1)?, TensorType::new(Elem::Int(32), [operands as i64 - 1]));
    ensure!(
        *given == expected,
        "the last operand says who the roots are and must be `{expected}`, but it is `{given}`"
    );
    Ok(operands - 1)
}

/// The types of what the region combines.
fn combined_types(op: OpRef<'_>, count: usize) -> Result<Vec<Type>, OpError> {
    same_length("the list of results", op.op().results.len(), "the list of operands", count)?;
    let mut types = Vec::with_capacity(count);
    for n in 0..count {
        let operand = tensor_operand(op, n)?;
        let elem = verify_combiner(op, 0, &[operand.elem])?[0];
        types.push(operand.with_elem(elem).into());
    }
    Ok(types)
}

/// Whether the groups of devices are those of the attribute, and not larger by the number of partitions.
fn groups_are_exact(op: OpRef<'_>) -> bool {
    channel(op) <= 0 || op.flag(names::USE_GLOBAL_DEVICE_IDS)
}

/// That a dimension is as many times as large as a group has devices.
fn scaled_by_group(
    op: OpRef<'_>,
    size: Option<i64>,
    dim: usize,
    small: i64,
    large: i64,
) -> Result<(), OpError> {
    let Some(size) = size else {
        ensure!(
            small == large || (small != 0 && large % small == 0),
            "dimension {dim} is {small} on one side and {large} on the other, which is no multiple of it"
        );
        return Ok(());
    };
    let expected = small.saturating_mul(size);
    let fits = if groups_are_exact(op) {
        large == expected
    } else {
        large == expected || (expected != 0 && large % expected == 0)
    };
    ensure!(
        fits,
        "with {size} devices in a group dimension {dim} must be {expected} = {small} × {size}, but it is {large}"
    );
    Ok(())
}

/// That two types are the same but for one dimension.
fn same_but_for(dim: usize, operand: &TensorType, result: &TensorType, n: usize) -> Result<(), OpError> {
    let mut expected = operand.clone();
    if result.rank() == operand.rank() {
        expected.shape[dim] = result.shape[dim];
    }
    ensure!(
        expected == *result,
        "result {n} is `{result}`, but it may differ from its operand `{operand}` in dimension {dim} only"
    );
    Ok(())
}

fn verify_all_gather(op: OpRef<'_>) -> Result<(), OpError> {
    let size = verify_groups(op, Ids::EachOnce, true)?;
    global_ids_need_channel(op)?;
    same_length("the list of results", op.op().results.len(), "the list of operands", op.operands().len())?;
    for n in 0..op.operands().len() {
        let dim = dimension(op, names::ALL_GATHER_DIM, n)?;
        let (operand, result) = (tensor_operand(op, n)?, tensor_result(op, n)?);
        same_but_for(dim, operand, result, n)?;
        scaled_by_group(op, size, dim, operand.shape[dim], result.shape[dim])?;
    }
    Ok(())
}

fn verify_reduce_scatter(op: OpRef<'_>) -> Result<(), OpError> {
    let size = verify_groups(op, Ids::EachOnce, true)?;
    global_ids_need_channel(op)?;
    let dim = dimension(op, names::SCATTER_DIMENSION, 0)?;
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    let elem = verify_combiner(op, 0, &[operand.elem])?[0];
    same_but_for(dim, &operand.with_elem(elem), result, 0)?;
    scaled_by_group(op, size, dim, result.shape[dim], operand.shape[dim])
}

fn infer_all_to_all(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    same_length("the list of results", op.op().results.len(), "the list of operands", op.operands().len())?;
    let count = op.int(names::SPLIT_COUNT).unwrap_or(1).max(1);
    let mut types = Vec::with_capacity(op.operands().len());
    for n in 0..op.operands().len() {
        let split = dimension(op, names::SPLIT_DIMENSION, n)?;
        let concat = dimension(op, names::CONCAT_DIMENSION, n)?;
        let mut ty = tensor_operand(op, n)?.clone();
        let size = ty.shape[split];
        ensure!(
            size % count == 0,
            "dimension {split} of operand {n} is {size}, which is not a multiple of {count}"
        );
        ty.shape[split] /= count;
        ty.shape[concat] = ty.shape[concat].saturating_mul(count);
        types.push(ty.into());
    }
    Ok(types)
}
