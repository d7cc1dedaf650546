//! Repeating elements along dimensions.

use crate::interpret::EvalError;
use crate::ir::{OpRef, Shape, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimensions_unique_in_range, ensure, same_length, tensor_operand, tensor_result};
use crate::value::Tensor;
use crate::value::strided::{Walk, view};
use crate::value::tensor::strides;

/// New dimensions before the operand's own.
pub(super) fn infer_broadcast(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, sizes) = (tensor_operand(op, 0)?, op.ints(names::BROADCAST_SIZES));
    for (i, &size) in sizes.iter().enumerate() {
        ensure!(size >= 0, "size {i} of `broadcast_sizes` is {size}, but a size cannot be negative");
    }
    let shape = sizes.iter().chain(&operand.shape).copied();
    Ok(vec![TensorType::new(operand.elem, shape).into()])
}

/// The operand repeated along the new dimensions.
pub(super) fn eval_broadcast(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let result = op.result_tensor(0);
    let new = result.rank().saturating_sub(operands[0].shape().len());
    let dims: Shape = (new..result.rank()).map(|d| d as i64).collect();
    Ok(vec![broadcast_in_dim(&operands[0], &dims, result.clone())])
}

/// That the operand fits into the result.
pub(super) fn verify_in_dim(op: OpRef<'_>) -> Result<(), OpError> {
    verify_dimensions(tensor_operand(op, 0)?, op.ints(names::BROADCAST_DIMENSIONS), tensor_result(op, 0)?)
}

/// That each dimension of the operand has a dimension of the result to itself, and its size or one.
pub(crate) fn verify_dimensions(
    operand: &TensorType,
    dims: &[i64],
    result: &TensorType,
) -> Result<(), OpError> {
    ensure!(
        operand.elem == result.elem,
        "the operand holds {}, but the result holds {}",
        operand.elem,
        result.elem
    );
    same_length("`broadcast_dimensions`", dims.len(), "the operand's shape", operand.rank())?;
    dimensions_unique_in_range("`broadcast_dimensions`", dims, result.rank())?;
    for (d, (&size, &to)) in operand.shape.iter().zip(dims).enumerate() {
        let target = result.shape[to as usize];
        ensure!(
            size == 1 || size == target,
            "dimension {d} of the operand has size {size}; it must be 1 or {target}, the size of dimension {to} of the result"
        );
    }
    Ok(())
}

/// The operand repeated.
pub(super) fn eval_in_dim(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let dims = op.ints(names::BROADCAST_DIMENSIONS);
    Ok(vec![broadcast_in_dim(&operands[0], dims, op.result_tensor(0).clone())])
}

/// The operand with its dimensions put at those given, repeated along the others and along those of size one.
pub(crate) fn broadcast_in_dim(operand: &Tensor, dims: &[i64], ty: TensorType) -> Tensor {
    if operand.len() == 1 {
        return operand.repeat_element(0, ty.shape);
    }
    let mut walk = Walk { start: 0, strides: smallvec::smallvec![0; ty.rank()] };
    for ((&to, &size), &stride) in dims.iter().zip(operand.shape()).zip(&strides(operand.shape())) {
        walk.strides[to as usize] = if size == 1 { 0 } else { stride };
    }
    view(operand, &walk, ty)
}
