//! `gather`: windows of a tensor, side by side.

use super::windows::{Starts, WindowDims, verify_slice_sizes};
use crate::interpret::EvalError;
use crate::ir::attr::GatherDims;
use crate::ir::{OpRef, Shape, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::tensor_operand;
use crate::ops::def::Work;
use crate::value::strided::{Walk, copy_box};
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Tensor, TensorBuilder};

/// The dimension numbers, or an error that they are missing.
pub(crate) fn dims(op: OpRef<'_>) -> Result<&GatherDims, OpError> {
    op.gather_dims().ok_or_else(|| OpError::new("the attribute `dimension_numbers` is missing"))
}

/// A window of the sizes given for each index.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, indices) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    let result = gathered(operand, indices, &WindowDims::from(dims(op)?), op.ints(names::SLICE_SIZES))?;
    Ok(vec![result.into()])
}

/// The type of a gather's result, where its dimension numbers and sizes fit.
pub(crate) fn gathered(
    operand: &TensorType,
    indices: &TensorType,
    dims: &WindowDims<'_>,
    sizes: &[i64],
) -> Result<TensorType, OpError> {
    dims.verify(operand, indices)?;
    verify_slice_sizes(dims, operand, sizes)?;
    let window: Shape = dims.window_operand_dims(operand.rank()).iter().map(|&d| sizes[d]).collect();
    let shape = dims.combine(&dims.batch_sizes(&indices.shape), &window);
    Ok(TensorType { elem: operand.elem, shape })
}

/// The windows.
pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let dims = dims(op).map_err(|error| EvalError::new(error.message))?;
    let sizes = op.ints(names::SLICE_SIZES);
    Ok(vec![gather(&operands[0], &operands[1], dims, sizes, op.result_tensor(0).clone())?])
}

/// Windows of the sizes given; those that reach out of the operand are moved inside.
pub(crate) fn gather(
    operand: &Tensor,
    indices: &Tensor,
    dims: &GatherDims,
    sizes: &[i64],
    ty: TensorType,
) -> Result<Tensor, EvalError> {
    if operand.is_splat() {
        return Ok(operand.reshape(ty.shape));
    }
    if operand.is_empty() && ty.count() > 0 {
        return Err(EvalError::new("there is nothing to gather in a tensor without elements"));
    }
    let dims = WindowDims::from(dims);
    let starts = Starts::new(indices, &dims);
    let batch_sizes = dims.batch_sizes(indices.shape());
    let result_strides = strides(&ty.shape);
    let batch_strides: Shape = dims.batch_dims(ty.rank()).iter().map(|&d| result_strides[d]).collect();
    let window_dims = dims.window_operand_dims(operand.shape().len());
    let window: Shape = window_dims.iter().map(|&d| sizes[d]).collect();
    let operand_strides = strides(operand.shape());
    let mut source = Walk { start: 0, strides: window_dims.iter().map(|&d| operand_strides[d]).collect() };
    let mut target =
        Walk { start: 0, strides: dims.window.iter().map(|&d| result_strides[d as usize]).collect() };
    // A left-out dimension takes one element, whatever its slice size says.
    let limits: Shape = operand.shape().iter().zip(sizes).map(|(all, &size)| all - size.max(1)).collect();
    let mut start: Shape = smallvec::smallvec![0; operand.shape().len()];
    let mut result = TensorBuilder::new(ty);
    for_each_index(&batch_sizes, |_, batch_index| {
        starts.read(batch_index, &mut start);
        let clamped = start.iter().zip(&limits).map(|(&i, &limit)| i.clamp(0, limit.max(0)));
        source.start = clamped.zip(&operand_strides).map(|(i, stride)| i * stride).sum();
        target.start = batch_index.iter().zip(&batch_strides).map(|(i, stride)| i * stride).sum();
        copy_box(&window, operand, &source, &mut result, &target);
    });
    Ok(result.finish())
}

/// Only what is taken is read.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let (indices, result) = (op.operand_type(1).bytes() as f64, op.result_type(0).bytes() as f64);
    Work { flops: 0.0, bytes: indices + 2.0 * result }
}
