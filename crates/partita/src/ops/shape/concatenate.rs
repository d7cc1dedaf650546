//! `concatenate`: tensors one after another.

use crate::interpret::EvalError;
use crate::ir::{OpRef, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimension_in_range, ensure, tensor_operand};
use crate::value::strided::{Walk, copy_box};
use crate::value::{Tensor, TensorBuilder};

/// The first input's type with the sizes along the dimension added up.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let mut result = tensor_operand(op, 0)?.clone();
    let dimension = op.int(names::DIMENSION).unwrap_or(0);
    dimension_in_range("`dimension`", dimension, result.rank())?;
    let dimension = dimension as usize;
    for n in 1..op.operands().len() {
        let input = tensor_operand(op, n)?;
        ensure!(
            input.elem == result.elem,
            "all inputs must hold the same type, but input 0 holds {} and input {n} holds {}",
            result.elem,
            input.elem
        );
        ensure!(
            input.rank() == result.rank(),
            "all inputs must have the same number of dimensions, but input 0 has {} and input {n} has {}",
            result.rank(),
            input.rank()
        );
        for (d, (&size, &first)) in input.shape.iter().zip(&result.shape).enumerate() {
            ensure!(
                d == dimension || size == first,
                "dimension {d} has size {first} in input 0, but {size} in input {n}; only dimension {dimension} may differ"
            );
        }
        let Some(sum) = result.shape[dimension].checked_add(input.shape[dimension]) else {
            return Err(OpError::new(format!("the sizes of dimension {dimension} add up to too much")));
        };
        result.shape[dimension] = sum;
    }
    Ok(vec![result.into()])
}

/// The inputs side by side.
pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (ty, dimension) = (op.result_tensor(0), op.int(names::DIMENSION).unwrap_or(0) as usize);
    let first = &operands[0];
    let same_splat = |t: &Tensor| t.is_splat() && t.element_bytes(0) == first.element_bytes(0);
    if first.is_splat() && operands.iter().all(same_splat) {
        return Ok(vec![first.reshape(ty.shape.clone())]);
    }
    let mut result = TensorBuilder::new(ty.clone());
    let mut start = smallvec::SmallVec::<[i64; 4]>::from_elem(0, ty.rank());
    for operand in operands {
        let target = Walk::offset(&ty.shape, start.iter().copied());
        copy_box(operand.shape(), operand, &Walk::whole(operand.shape()), &mut result, &target);
        start[dimension] += operand.shape()[dimension];
    }
    Ok(vec![result.finish()])
}
