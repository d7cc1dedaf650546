//! Ops whose parameters are operands. Types are static, so the values can only be those that the result type
//! says: evaluation checks them and does what the static op does.

use super::check::{dimension_in_range, dimensions_unique_in_range, ensure, tensor_operand, tensor_result};
use super::contract::{PRECISION, convolution};
use super::def::{AttrKind, Count, Eval, OpDef, OpError, optional, required};
use super::forms;
use super::indexing::gather;
use super::indexing::windows::WindowDims;
use super::shape::{broadcast, create, pad, permute, slice};
use crate::interpret::EvalError;
use crate::ir::attr::ConvDims;
use crate::ir::{Elem, OpRef, TensorType, names};
use crate::ops::forms::with_attr;
use crate::ops::local;
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::ops::unit::Unit;
use crate::value::Tensor;

pub static DYNAMIC_BROADCAST_IN_DIM: OpDef = OpDef {
    name: "stablehlo.dynamic_broadcast_in_dim",
    doc: "A broadcast to a shape that is an operand.",
    form: with_attr!(Operand, Operand; "dims" = names::BROADCAST_DIMENSIONS),
    operands: Count::exactly(2),
    attrs: &[
        required(names::BROADCAST_DIMENSIONS, AttrKind::I64s),
        optional(names::KNOWN_EXPANDING_DIMENSIONS, AttrKind::I64s),
        optional(names::KNOWN_NONEXPANDING_DIMENSIONS, AttrKind::I64s),
    ],
    verify: verify_broadcast,
    eval: Eval::Kernel(eval_broadcast),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::broadcast_in_dim, Flow::Broadcast),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static DYNAMIC_CONV: OpDef = OpDef {
    name: "stablehlo.dynamic_conv",
    doc: "A convolution whose padding is an operand.",
    operands: Count::exactly(3),
    attrs: &[
        optional(names::WINDOW_STRIDES, AttrKind::I64s),
        optional(names::LHS_DILATION, AttrKind::I64s),
        optional(names::RHS_DILATION, AttrKind::I64s),
        optional(names::WINDOW_REVERSAL, AttrKind::Bools),
        required(names::DIMENSION_NUMBERS, AttrKind::Conv),
        required(names::FEATURE_GROUP_COUNT, AttrKind::I64),
        required(names::BATCH_GROUP_COUNT, AttrKind::I64),
        PRECISION,
    ],
    verify: verify_convolution,
    eval: Eval::Kernel(eval_convolution),
    unit: Unit::Matrix,
    work: convolution::work,
    spread: Spread::Whole("its padding is data"),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static DYNAMIC_GATHER: OpDef = OpDef {
    name: "stablehlo.dynamic_gather",
    doc: "A gather of windows whose sizes are an operand.",
    operands: Count::exactly(3),
    attrs: &[
        required(names::DIMENSION_NUMBERS, AttrKind::Gather),
        optional(names::INDICES_ARE_SORTED, AttrKind::Bool),
    ],
    verify: verify_gather,
    eval: Eval::Kernel(eval_gather),
    spread: Spread::Rule(sharding::indexing::gather, Flow::Ordinary),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static DYNAMIC_IOTA: OpDef = OpDef {
    name: "stablehlo.dynamic_iota",
    doc: "An iota of a shape that is an operand.",
    form: with_attr!(Operand; "dim" = names::IOTA_DIMENSION),
    operands: Count::exactly(1),
    attrs: &[required(names::IOTA_DIMENSION, AttrKind::I64)],
    verify: verify_iota,
    eval: Eval::Kernel(eval_iota),
    unit: Unit::Elements,
    spread: Spread::Whole("its shape is an operand"),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static DYNAMIC_PAD: OpDef = OpDef {
    name: "stablehlo.dynamic_pad",
    doc: "A padding whose amounts are operands.",
    form: forms::FUNCTION,
    operands: Count::exactly(5),
    verify: verify_pad,
    eval: Eval::Kernel(eval_pad),
    unit: Unit::Elements,
    spread: Spread::Whole("its padding is data"),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static DYNAMIC_RESHAPE: OpDef = OpDef {
    name: "stablehlo.dynamic_reshape",
    doc: "A reshape to a shape that is an operand.",
    form: forms::FUNCTION,
    operands: Count::exactly(2),
    verify: verify_reshape,
    eval: Eval::Kernel(eval_reshape),
    unit: Unit::Nowhere,
    spread: Spread::Rule(sharding::shape::reshape, Flow::PassThrough),
    localise: local::impossible,
    ..OpDef::BASE
};

pub static REAL_DYNAMIC_SLICE: OpDef = OpDef {
    name: "stablehlo.real_dynamic_slice",
    doc: "A slice whose bounds and strides are operands.",
    form: forms::FUNCTION,
    operands: Count::exactly(4),
    verify: verify_slice,
    eval: Eval::Kernel(eval_slice),
    unit: Unit::Elements,
    spread: Spread::Rule(sharding::shape::dynamic_slice, Flow::Ordinary),
    localise: local::impossible,
    ..OpDef::BASE
};

/// That an operand is a list of integers, one for each dimension of something.
fn list_operand(op: OpRef<'_>, n: usize, name: &str, of: &str, rank: usize) -> Result<(), OpError> {
    let list = tensor_operand(op, n)?;
    ensure!(
        list.rank() == 1 && list.elem.is_int(),
        "`{name}` must be a list of integers, but it is `{list}`"
    );
    ensure!(
        list.shape[0] == rank as i64,
        "`{name}` has {} entries for the {rank} dimensions of {of}",
        list.shape[0]
    );
    Ok(())
}

/// That a shape computed at run time is the one the type of the result says.
fn expect_shape(what: &str, computed: &[i64], result: &TensorType) -> Result<(), EvalError> {
    if computed == &result.shape[..] {
        return Ok(());
    }
    Err(EvalError::new(format!("{what} gives the shape {computed:?}, but the result is `{result}`")))
}

/// A broken constraint that only shows at run time.
fn at_run_time(error: OpError) -> EvalError {
    EvalError::new(error.message)
}

fn verify_broadcast(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    broadcast::verify_dimensions(operand, op.ints(names::BROADCAST_DIMENSIONS), result)?;
    list_operand(op, 1, "output_dimensions", "the result", result.rank())?;
    let expanding = op.ints(names::KNOWN_EXPANDING_DIMENSIONS);
    let nonexpanding = op.ints(names::KNOWN_NONEXPANDING_DIMENSIONS);
    let known: Vec<i64> = expanding.iter().chain(nonexpanding).copied().collect();
    let what = "`known_expanding_dimensions` with `known_nonexpanding_dimensions`";
    dimensions_unique_in_range(what, &known, operand.rank())
}

fn eval_broadcast(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let result = op.result_tensor(0);
    expect_shape("`output_dimensions`", &operands[1].to_i64s(), result)?;
    let dims = op.ints(names::BROADCAST_DIMENSIONS);
    Ok(vec![broadcast::broadcast_in_dim(&operands[0], dims, result.clone())])
}

fn conv_dims(op: OpRef<'_>) -> Result<&ConvDims, OpError> {
    op.conv_dims().ok_or_else(|| OpError::new("the attribute `dimension_numbers` is missing"))
}

fn verify_convolution(op: OpRef<'_>) -> Result<(), OpError> {
    let dims = conv_dims(op)?;
    convolution::verify_dims(op, dims)?;
    let (lhs, padding, result) = (tensor_operand(op, 0)?, tensor_operand(op, 2)?, tensor_result(op, 0)?);
    let spatial = lhs.rank() - 2;
    ensure!(
        padding.elem.is_int() && padding.shape[..] == [spatial as i64, 2],
        "the padding must be integers of shape {spatial}x2, but it is `{padding}`"
    );
    // The padding is known only at run time: what follows from none tells the sizes that do not depend on it.
    let none = vec![(0, 0); spatial];
    convolution::verify_with_padding(op, dims, &none)?;
    let follows = convolution::result_type(op, dims, &none)?;
    ensure!(
        result.rank() == follows.rank(),
        "the result has {} dimensions, but lhs has {}",
        result.rank(),
        lhs.rank()
    );
    for (d, what) in [(dims.output_batch, "batch"), (dims.output_feature, "feature")] {
        let (size, follows) = (result.shape[d as usize], follows.shape[d as usize]);
        ensure!(
            size == follows,
            "the {what} dimension {d} of the result has size {size}, but from the operands follows {follows}"
        );
    }
    Ok(())
}

fn eval_convolution(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let dims = conv_dims(op).map_err(at_run_time)?;
    let padding: Vec<(i64, i64)> = operands[2].to_i64s().chunks_exact(2).map(|p| (p[0], p[1])).collect();
    let follows = convolution::result_type(op, dims, &padding).map_err(at_run_time)?;
    expect_shape("the padding", &follows.shape, op.result_tensor(0))?;
    Ok(vec![convolution::convolve(op, dims, &padding, &operands[0], &operands[1])?])
}

fn verify_gather(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, indices, result) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_result(op, 0)?);
    let dims = WindowDims::from(gather::dims(op)?);
    dims.verify(operand, indices)?;
    dims.verify_windowed(result, indices)?;
    list_operand(op, 2, "slice_sizes", "the operand", operand.rank())?;
    ensure!(
        operand.elem == result.elem,
        "the operand holds {}, but the result holds {}",
        operand.elem,
        result.elem
    );
    Ok(())
}

fn eval_gather(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, indices, sizes) = (&operands[0], &operands[1], operands[2].to_i64s());
    let (dims, result) = (gather::dims(op).map_err(at_run_time)?, op.result_tensor(0));
    let gathered = gather::gathered(operand.ty(), indices.ty(), &WindowDims::from(dims), &sizes);
    expect_shape("`slice_sizes`", &gathered.map_err(at_run_time)?.shape, result)?;
    Ok(vec![gather::gather(operand, indices, dims, &sizes, result.clone())?])
}

fn verify_iota(op: OpRef<'_>) -> Result<(), OpError> {
    let result = tensor_result(op, 0)?;
    list_operand(op, 0, "output_shape", "the result", result.rank())?;
    ensure!(result.elem != Elem::Bool, "the result must hold integers, floats or complex numbers, not i1");
    dimension_in_range("`iota_dimension`", op.int(names::IOTA_DIMENSION).unwrap_or(0), result.rank())
}

fn eval_iota(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let result = op.result_tensor(0);
    expect_shape("`output_shape`", &operands[0].to_i64s(), result)?;
    Ok(vec![create::iota(result.clone(), op.int(names::IOTA_DIMENSION).unwrap_or(0) as usize)])
}

fn verify_pad(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    pad::verify_value(operand, tensor_operand(op, 1)?)?;
    for (n, name) in [(2, "edge_padding_low"), (3, "edge_padding_high"), (4, "interior_padding")] {
        list_operand(op, n, name, "the operand", operand.rank())?;
        same_list_types(op, 2, n)?;
    }
    ensure!(
        operand.elem == result.elem && operand.rank() == result.rank(),
        "the result `{result}` must have the element type and the number of dimensions of the operand `{operand}`"
    );
    Ok(())
}

fn eval_pad(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, result) = (&operands[0], op.result_tensor(0));
    let (low, high, interior) = (operands[2].to_i64s(), operands[3].to_i64s(), operands[4].to_i64s());
    let padded = pad::padded(operand.ty(), &low, &high, &interior).map_err(at_run_time)?;
    expect_shape("the padding", &padded.shape, result)?;
    Ok(vec![pad::pad(operand, &operands[1], &low, &interior, result.clone())])
}

fn verify_reshape(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    permute::same_elements(operand, result)?;
    list_operand(op, 1, "output_shape", "the result", result.rank())
}

fn eval_reshape(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let result = op.result_tensor(0);
    expect_shape("`output_shape`", &operands[1].to_i64s(), result)?;
    Ok(vec![operands[0].reshape(result.shape.clone())])
}

fn verify_slice(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    for (n, name) in [(1, "start_indices"), (2, "limit_indices"), (3, "strides")] {
        list_operand(op, n, name, "the operand", operand.rank())?;
        same_list_types(op, 1, n)?;
    }
    ensure!(
        operand.elem == result.elem && operand.rank() == result.rank(),
        "the result `{result}` must have the element type and the number of dimensions of the operand `{operand}`"
    );
    Ok(())
}

fn eval_slice(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, result) = (&operands[0], op.result_tensor(0));
    let (starts, limits, strides) = (operands[1].to_i64s(), operands[2].to_i64s(), operands[3].to_i64s());
    let sliced = slice::sliced(operand.ty(), &starts, &limits, &strides).map_err(at_run_time)?;
    expect_shape("the slice", &sliced.shape, result)?;
    Ok(vec![slice::slice(operand, &starts, &strides, result.clone())])
}

/// That two list operands have the same type.
fn same_list_types(op: OpRef<'_>, a: usize, b: usize) -> Result<(), OpError> {
    let (first, second) = (tensor_operand(op, a)?, tensor_operand(op, b)?);
    ensure!(
        first == second,
        "operands {a} and {b} must have the same type, but they are `{first}` and `{second}`"
    );
    Ok(())
}
