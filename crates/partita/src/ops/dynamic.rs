//! Ops whose parameters are operands. Types are static, so the values can only be those that the result type
//! says: evaluation checks them and does what the static op does.

use super::check::{dimension_in_range, dimensions_unique_in_range, ensure, tensor_operand, tensor_result};
use super::def::{AttrKind, Count, Eval, OpDef, OpError, optional, required};
use super::forms;
use super::indexing::gather;
use super::indexing::windows::WindowDims;
use super::shape::{broadcast, create, pad, permute, slice};
use crate::interpret::EvalError;
use crate::ir::{Elem, OpRef, TensorType, names};
use crate::text::form::Piece::{Attr, AttrDict, Lit, Operand};
use crate::text::form::{Form, Piece, Types};
use crate::value::Tensor;

pub static DYNAMIC_BROADCAST_IN_DIM: OpDef = OpDef {
    name: "stablehlo.dynamic_broadcast_in_dim",
    doc: "A broadcast to a shape that is an operand.",
    form: Form::Pieces(&[
        Operand,
        Lit(", "),
        Operand,
        Lit(", dims = "),
        Attr(names::BROADCAST_DIMENSIONS),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::exactly(2),
    attrs: &[
        required(names::BROADCAST_DIMENSIONS, AttrKind::I64s),
        optional(names::KNOWN_EXPANDING_DIMENSIONS, AttrKind::I64s),
        optional(names::KNOWN_NONEXPANDING_DIMENSIONS, AttrKind::I64s),
    ],
    verify: verify_broadcast,
    eval: Eval::Kernel(eval_broadcast),
    ..OpDef::BASE
};

pub static DYNAMIC_CONV: OpDef = OpDef {
    name: "stablehlo.dynamic_conv",
    doc: "",
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
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
    ..OpDef::BASE
};

pub static DYNAMIC_IOTA: OpDef = OpDef {
    name: "stablehlo.dynamic_iota",
    doc: "An iota of a shape that is an operand.",
    form: Form::Pieces(&[
        Operand,
        Lit(", dim = "),
        Attr(names::IOTA_DIMENSION),
        AttrDict,
        Lit(" : "),
        Piece::Types(Types::Function),
    ]),
    operands: Count::exactly(1),
    attrs: &[required(names::IOTA_DIMENSION, AttrKind::I64)],
    verify: verify_iota,
    eval: Eval::Kernel(eval_iota),
    ..OpDef::BASE
};

pub static DYNAMIC_PAD: OpDef = OpDef {
    name: "stablehlo.dynamic_pad",
    doc: "A padding whose amounts are operands.",
    form: forms::FUNCTION,
    operands: Count::exactly(5),
    verify: verify_pad,
    eval: Eval::Kernel(eval_pad),
    ..OpDef::BASE
};

pub static DYNAMIC_RESHAPE: OpDef = OpDef {
    name: "stablehlo.dynamic_reshape",
    doc: "A reshape to a shape that is an operand.",
    form: forms::FUNCTION,
    operands: Count::exactly(2),
    verify: verify_reshape,
    eval: Eval::Kernel(eval_reshape),
    ..OpDef::BASE
};

pub static REAL_DYNAMIC_SLICE: OpDef = OpDef {
    name: "stablehlo.real_dynamic_slice",
    doc: "A slice whose bounds and strides are operands.",
    form: forms::FUNCTION,
    operands: Count::exactly(4),
    verify: verify_slice,
    eval: Eval::Kernel(eval_slice),
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
