//! The same elements in another arrangement: `reshape`, `transpose`, `reverse`.

use crate::interpret::EvalError;
use crate::ir::{OpRef, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimensions_unique_in_range, ensure, same_length, tensor_operand, tensor_result};
use crate::value::Tensor;
use crate::value::strided::{Walk, view};
use crate::value::tensor::strides;

/// That there are as many elements, of the same type.
pub(super) fn verify_reshape(op: OpRef<'_>) -> Result<(), OpError> {
    same_elements(tensor_operand(op, 0)?, tensor_result(op, 0)?)
}

/// That two types have as many elements of the same element type.
pub(crate) fn same_elements(operand: &TensorType, result: &TensorType) -> Result<(), OpError> {
    ensure!(
        operand.elem == result.elem,
        "the operand holds {}, but the result holds {}",
        operand.elem,
        result.elem
    );
    let (from, to) = (operand.count(), result.count());
    ensure!(from == to, "the operand `{operand}` has {from} elements, but the result `{result}` has {to}");
    Ok(())
}

/// The elements in order.
pub(super) fn eval_reshape(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    Ok(vec![operands[0].reshape(op.result_tensor(0).shape.clone())])
}

/// The operand's shape permuted.
pub(super) fn infer_transpose(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, permutation) = (tensor_operand(op, 0)?, op.ints(names::PERMUTATION));
    same_length("`permutation`", permutation.len(), "the operand's shape", operand.rank())?;
    dimensions_unique_in_range("`permutation`", permutation, operand.rank())?;
    let shape = permutation.iter().map(|&d| operand.shape[d as usize]);
    Ok(vec![TensorType::new(operand.elem, shape).into()])
}

/// Each dimension of the result walks along the operand's dimension it came from.
pub(super) fn eval_transpose(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let from = strides(operands[0].shape());
    let strides = op.ints(names::PERMUTATION).iter().map(|&d| from[d as usize]).collect();
    Ok(vec![view(&operands[0], &Walk { start: 0, strides }, op.result_tensor(0).clone())])
}

/// The operand's type.
pub(super) fn infer_reverse(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let operand = tensor_operand(op, 0)?;
    dimensions_unique_in_range("`dimensions`", op.ints(names::DIMENSIONS), operand.rank())?;
    Ok(vec![operand.clone().into()])
}

/// Reversed dimensions are walked from their end.
pub(super) fn eval_reverse(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let operand = &operands[0];
    let mut walk = Walk::whole(operand.shape());
    for &d in op.ints(names::DIMENSIONS) {
        let stride = &mut walk.strides[d as usize];
        walk.start += (operand.shape()[d as usize] - 1) * *stride;
        *stride = -*stride;
    }
    Ok(vec![view(operand, &walk, operand.ty().clone())])
}
