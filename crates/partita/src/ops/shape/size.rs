//! Sizes of dimensions as values.

use crate::interpret::EvalError;
use crate::ir::{Elem, OpRef, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimension_in_range, ensure, tensor_operand, tensor_result};
use crate::value::strided::{Walk, view};
use crate::value::{Scalar, Tensor};

/// One `i32`.
pub(super) fn infer_get(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let rank = tensor_operand(op, 0)?.rank();
    dimension_in_range("`dimension`", op.int(names::DIMENSION).unwrap_or(0), rank)?;
    Ok(vec![TensorType::scalar(Elem::Int(32)).into()])
}

/// The size.
pub(super) fn eval_get(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let size = operands[0].shape()[op.int(names::DIMENSION).unwrap_or(0) as usize];
    Ok(vec![Tensor::scalar(Elem::Int(32), Scalar::Int(size))])
}

/// That only the one dimension changes, and does not grow.
pub(super) fn verify_set(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, size, result) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_result(op, 0)?);
    let dimension = op.int(names::DIMENSION).unwrap_or(0);
    dimension_in_range("`dimension`", dimension, operand.rank())?;
    let scalar = TensorType::scalar(Elem::Int(32));
    ensure!(*size == scalar, "the size must be `{scalar}`, but it is `{size}`");
    let dimension = dimension as usize;
    let mut follows = operand.clone();
    follows.shape[dimension] = result.shape.get(dimension).copied().unwrap_or(0);
    ensure!(
        follows == *result,
        "the result `{result}` may differ from the operand `{operand}` only in dimension {dimension}"
    );
    let (from, to) = (operand.shape[dimension], result.shape[dimension]);
    ensure!(to <= from, "dimension {dimension} cannot grow from {from} to {to}");
    Ok(())
}

/// The first elements along the dimension. Types are static, so the size must be the one the type says.
pub(super) fn eval_set(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, result) = (&operands[0], op.result_tensor(0));
    let dimension = op.int(names::DIMENSION).unwrap_or(0) as usize;
    let (size, expected) = (operands[1].item().as_i64(), result.shape[dimension]);
    if size != expected {
        return Err(EvalError::new(format!(
            "the size of dimension {dimension} is set to {size}, but the result type says {expected}"
        )));
    }
    Ok(vec![view(operand, &Walk::whole(operand.shape()), result.clone())])
}
