//! Messages, queues and asynchronous operations.

use super::groups::verify_pairs;
use super::{EFFECT, channel};
use crate::interpret::DriverOp;
use crate::ir::{Attr, OpRef, Type, names};
use crate::ops::Spread;
use crate::ops::check::{ensure, region_types, returned_types, same_type_lists};
use crate::ops::{AttrKind, Count, Eval, OpDef, OpError, OpKind, no_work, optional, required};

/// The types of channels, as `#stablehlo.channel_handle` numbers them.
const DEVICE_TO_DEVICE: i64 = 1;
const DEVICE_TO_HOST: i64 = 2;
const HOST_TO_DEVICE: i64 = 3;

pub static SEND: OpDef = OpDef {
    name: "stablehlo.send",
    doc: "Sends tensors over a channel to another device or the host.",
    operands: Count::at_least(1),
    attrs: &[
        required(names::CHANNEL_HANDLE, AttrKind::Channel),
        optional(names::IS_HOST_TRANSFER, AttrKind::Bool),
        optional(names::SOURCE_TARGET_PAIRS, AttrKind::Elements),
    ],
    infer: Some(|_| Ok(vec![Type::Token])),
    verify: |op| {
        tensors_then_token("operand", op.operand_types())?;
        channel_type_fits(op, DEVICE_TO_HOST)?;
        verify_pairs(op)
    },
    eval: Eval::Driver(DriverOp::Send),
    traits: EFFECT,
    spread: Spread::Whole("it gives whole tensors to another program"),
    ..OpDef::BASE
};

pub static RECV: OpDef = OpDef {
    name: "stablehlo.recv",
    doc: "Receives tensors over a channel from another device or the host.",
    operands: Count::exactly(1),
    results: Count::at_least(1),
    attrs: &[
        required(names::CHANNEL_HANDLE, AttrKind::Channel),
        optional(names::IS_HOST_TRANSFER, AttrKind::Bool),
        optional(names::SOURCE_TARGET_PAIRS, AttrKind::Elements),
    ],
    verify: |op| {
        is_token("the operand", op.operand_type(0))?;
        tensors_then_token("result", op.result_types())?;
        channel_type_fits(op, HOST_TO_DEVICE)?;
        verify_pairs(op)
    },
    eval: Eval::Driver(DriverOp::Receive),
    traits: EFFECT,
    spread: Spread::Whole("it takes whole tensors from another program"),
    ..OpDef::BASE
};

pub static INFEED: OpDef = OpDef {
    name: "stablehlo.infeed",
    doc: "Reads tensors from the queue of inputs.",
    operands: Count::exactly(1),
    results: Count::at_least(1),
    attrs: &[optional(names::INFEED_CONFIG, AttrKind::Str), optional(names::LAYOUT, AttrKind::Array)],
    verify: |op| {
        is_token("the operand", op.operand_type(0))?;
        tensors_then_token("result", op.result_types())?;
        layouts_fit(op)
    },
    eval: Eval::Driver(DriverOp::Infeed),
    traits: EFFECT,
    spread: Spread::Whole("it takes whole tensors from outside"),
    ..OpDef::BASE
};

pub static OUTFEED: OpDef = OpDef {
    name: "stablehlo.outfeed",
    doc: "Writes tensors to the queue of outputs.",
    operands: Count::at_least(1),
    attrs: &[optional(names::OUTFEED_CONFIG, AttrKind::Str)],
    infer: Some(|_| Ok(vec![Type::Token])),
    verify: |op| tensors_then_token("operand", op.operand_types()),
    eval: Eval::Driver(DriverOp::Outfeed),
    traits: EFFECT,
    spread: Spread::Whole("it gives whole tensors to the outside"),
    ..OpDef::BASE
};

pub static ASYNC_START: OpDef = OpDef {
    name: "stablehlo.async_start",
    doc: "Starts a collective or a slice and gives its results to come.",
    operands: Count::ANY,
    regions: Count::exactly(1),
    infer: Some(|op| Ok(vec![Type::Future(returned_types(op, 0)?.into_iter().cloned().collect())])),
    verify: verify_async_start,
    eval: Eval::Driver(DriverOp::AsyncStart),
    work: no_work,
    spread: Spread::Whole("what it starts runs elsewhere"),
    ..OpDef::BASE
};

pub static ASYNC_DONE: OpDef = OpDef {
    name: "stablehlo.async_done",
    doc: "Waits for what was started, and gives its results.",
    operands: Count::exactly(1),
    results: Count::ANY,
    infer: Some(|op| match op.operand_type(0) {
        Type::Future(types) => Ok(types.clone()),
        other => Err(OpError::new(format!("the operand must be a future, but it is `{other}`"))),
    }),
    verify: |op| match op.operand_type(0) {
        Type::Future(types) => {
            let (given, expected) = (op.op().results.len(), types.len());
            ensure!(given == expected, "the future holds {expected} values, but there are {given} results");
            Ok(())
        }
        other => Err(OpError::new(format!("the operand must be a future, but it is `{other}`"))),
    },
    eval: Eval::Driver(DriverOp::AsyncDone),
    work: no_work,
    spread: Spread::Whole("it ends what another device may have started"),
    ..OpDef::BASE
};

fn is_token(what: &str, ty: &Type) -> Result<(), OpError> {
    ensure!(*ty == Type::Token, "{what} must be a token, but it is `{ty}`");
    Ok(())
}

/// That values are tensors but for the last, which is a token.
fn tensors_then_token<'m>(
    what: &str,
    types: impl DoubleEndedIterator<Item = &'m Type> + ExactSizeIterator,
) -> Result<(), OpError> {
    let last = types.len().saturating_sub(1);
    for (n, ty) in types.enumerate() {
        if n == last {
            is_token(&format!("the last {what}"), ty)?;
        } else {
            ensure!(ty.as_tensor().is_some(), "{what} {n} must be a tensor, but it is `{ty}`");
        }
    }
    Ok(())
}

/// That the type of a channel agrees with `is_host_transfer`.
fn channel_type_fits(op: OpRef<'_>, host: i64) -> Result<(), OpError> {
    let Some(Attr::Channel(handle)) = op.attr(names::CHANNEL_HANDLE) else { return Ok(()) };
    let host_transfer = op.flag(names::IS_HOST_TRANSFER);
    let expected = if host_transfer { host } else { DEVICE_TO_DEVICE };
    ensure!(
        handle.kind == expected,
        "channel {} has the type {}, but with `is_host_transfer = {host_transfer}` it must be {expected}",
        channel(op),
        handle.kind
    );
    Ok(())
}

/// That each tensor has a layout: the dimensions from minor to major.
fn layouts_fit(op: OpRef<'_>) -> Result<(), OpError> {
    let Some(Attr::Array(layouts)) = op.attr(names::LAYOUT) else { return Ok(()) };
    let tensors = op.op().results.len().saturating_sub(1);
    ensure!(layouts.len() == tensors, "there are {} layouts for {tensors} tensors", layouts.len());
    for (n, layout) in layouts.iter().enumerate() {
        let dims = match layout {
            Attr::Array(dims) => dims,
            _ => return Err(OpError::new(format!("layout {n} must be a list of dimensions"))),
        };
        let integers = dims.iter().all(|dim| dim.as_int().is_some());
        ensure!(integers, "layout {n} must be a list of integers");
    }
    Ok(())
}

fn verify_async_start(op: OpRef<'_>) -> Result<(), OpError> {
    let body = op.region(0);
    let [inner, _] = body.ops[..] else {
        let count = body.ops.len().saturating_sub(1);
        return Err(OpError::new(format!(
            "the body must hold one operation and a return, but it holds {count}"
        )));
    };
    let inner = op.module.op(inner);
    let allowed = matches!(
        inner.kind(),
        OpKind::AllReduce
            | OpKind::AllGather
            | OpKind::AllToAll
            | OpKind::CollectivePermute
            | OpKind::ReduceScatter
            | OpKind::CollectiveBroadcast
            | OpKind::Slice
            | OpKind::DynamicSlice
            | OpKind::DynamicUpdateSlice
    );
    ensure!(allowed, "`{}` cannot be started: only collectives and slices can", inner.def().name);
    let operands: Vec<&Type> = op.operand_types().collect();
    if !body.args.is_empty() {
        same_type_lists("the body takes", &region_types(op, 0), "the operation brings", &operands)?;
    }
    let used: Vec<&Type> = inner.operand_types().collect();
    same_type_lists(&format!("`{}` takes", inner.def().name), &used, "the operation brings", &operands)
}
