//! `map`.

use super::body_ops;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{OpRef, Type, names};
use crate::ops::check::{ensure, scalar_signature, tensor_operand};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::{Scalar, Tensor, TensorBuilder};

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let first = tensor_operand(op, 0)?;
    let function = scalar_signature(op, 0, "the function")?;
    let inputs = op.operands().len();
    ensure!(
        function.args.len() == inputs,
        "the function takes {} arguments, but there are {inputs} inputs",
        function.args.len()
    );
    for n in 0..inputs {
        let input = tensor_operand(op, n)?;
        ensure!(
            input.shape == first.shape,
            "input {n} is `{input}`, but it must have the shape of input 0, `{first}`"
        );
        ensure!(
            function.args[n] == input.elem,
            "argument {n} of the function holds {}, but input {n} holds {}",
            function.args[n],
            input.elem
        );
    }
    ensure!(
        function.results.len() == 1,
        "the function returns {} values, but it must return one",
        function.results.len()
    );
    let dims = op.ints(names::DIMENSIONS);
    ensure!(
        dims.iter().copied().eq(0..first.rank() as i64),
        "dimensions is {dims:?}, but it must list all dimensions of the inputs in order"
    );
    Ok(())
}

/// The shape of the inputs with the element type that the function returns.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let function = scalar_signature(op, 0, "the function")?;
    Ok(function.results.iter().map(|elem| op.operand_tensor(0).with_elem(*elem).into()).collect())
}

pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    let function = op.region_id(0);
    let mut at = |position: usize| -> Result<Scalar, EvalError> {
        let args: smallvec::SmallVec<[Scalar; 4]> = operands.iter().map(|t| t.get(position)).collect();
        let results = caller.call_scalars(function, &args)?;
        results.first().copied().ok_or_else(|| EvalError::new("the function of a map returned nothing"))
    };
    let ty = op.result_tensor(0).clone();
    if ty.count() > 0 && operands.iter().all(Tensor::is_splat) {
        return Ok(vec![Tensor::splat(ty, at(0)?)]);
    }
    let mut result = TensorBuilder::new(ty);
    for position in 0..result.len() {
        result.set(position, at(position)?);
    }
    Ok(vec![result.finish()])
}

/// The function once for each element.
pub(super) fn work(op: OpRef<'_>) -> Work {
    Work { flops: op.result_tensor(0).count() as f64 * body_ops(op, 0), bytes: bytes_moved(op) }
}
