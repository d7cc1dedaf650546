//! `reduce`.

use super::body_ops;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{Elem, OpRef, Shape, TensorType, Type, names};
use crate::ops::check::{dimensions_unique_in_range, ensure, scalar_signature, tensor_operand};
use crate::ops::combiner::verify_combiner;
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::tensor::strides;
use crate::value::{Offsets, Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;

/// Up to so many equal elements are folded one by one, as different ones are.
const MAX_EQUAL_STEPS: usize = 1 << 20;

// --- constraints ---

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let elems = verify_inputs(op)?;
    dimensions_unique_in_range("dimensions", op.ints(names::DIMENSIONS), op.operand_tensor(0).rank())?;
    verify_combiner(op, 0, &elems)?;
    Ok(())
}

/// That there are as many inputs as initial values and results, that the inputs have the same shape, and that
/// each initial value is a scalar of its input's element type. Gives the element types.
pub(super) fn verify_inputs(op: OpRef<'_>) -> Result<Vec<Elem>, OpError> {
    let operands = op.operands().len();
    ensure!(
        operands.is_multiple_of(2),
        "there are {operands} operands, but each input needs an initial value"
    );
    let count = operands / 2;
    let results = op.op().results.len();
    ensure!(results == count, "there are {count} inputs, but {results} results");
    let first = tensor_operand(op, 0)?;
    let mut elems = Vec::with_capacity(count);
    for i in 0..count {
        let (input, init) = (tensor_operand(op, i)?, tensor_operand(op, count + i)?);
        ensure!(
            input.shape == first.shape,
            "input {i} is `{input}`, but it must have the shape of input 0, `{first}`"
        );
        ensure!(
            init.rank() == 0,
            "the initial value of input {i} is `{init}`, but it must have no dimensions"
        );
        ensure!(
            init.elem == input.elem,
            "the initial value of input {i} is {}, but the input holds {}",
            init.elem,
            input.elem
        );
        elems.push(input.elem);
    }
    Ok(elems)
}

// --- types ---

/// The shape without the folded dimensions; the element types are those that the body computes in.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let dims = op.ints(names::DIMENSIONS);
    let shape = &op.operand_tensor(0).shape;
    let kept: Shape = (0..shape.len()).filter(|d| !dims.contains(&(*d as i64))).map(|d| shape[d]).collect();
    let body = scalar_signature(op, 0, "the body")?;
    Ok(body.results.iter().map(|elem| TensorType { elem: *elem, shape: kept.clone() }.into()).collect())
}

// --- evaluation ---

/// Folds from the left, starting with the initial value: `body(…body(body(init, x₀), x₁)…)`.
pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    let (inputs, inits) = operands.split_at(operands.len() / 2);
    let dims = op.ints(names::DIMENSIONS);
    let shape = inputs[0].shape();
    let all_strides = strides(shape);
    let (folded, kept): (Vec<usize>, Vec<usize>) =
        (0..shape.len()).partition(|d| dims.contains(&(*d as i64)));
    let space = |dims: &[usize]| Offsets::new(dims.iter().map(|d| (shape[*d], all_strides[*d])));
    let (folded, kept) = (space(&folded), space(&kept));
    if kept.len() > 0 && inputs.iter().all(Tensor::is_splat) {
        // Every element of the result is the same.
        let values = if folded.len() <= MAX_EQUAL_STEPS {
            fold(caller, op, inputs, inits, folded)?
        } else {
            fold_equal(caller, op, inputs, inits, folded.len())?
        };
        let splat = |(n, value): (usize, &Scalar)| Tensor::splat(op.result_tensor(n).clone(), *value);
        return Ok(values.iter().enumerate().map(splat).collect());
    }
    let mut results: Vec<_> =
        (0..inputs.len()).map(|n| TensorBuilder::new(op.result_tensor(n).clone())).collect();
    for (to, base) in kept.enumerate() {
        let values = fold(caller, op, inputs, inits, folded.clone().map(|at| base + at))?;
        results.iter_mut().zip(values).for_each(|(result, value)| result.set(to, value));
    }
    Ok(results.into_iter().map(TensorBuilder::finish).collect())
}

/// Folds very many equal elements in a few steps. The specification leaves the order open: here pairs are folded,
/// then pairs of pairs, and so on.
fn fold_equal(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    inputs: &[Tensor],
    inits: &[Tensor],
    mut count: usize,
) -> Result<SmallVec<[Scalar; 2]>, EvalError> {
    let body = op.region_id(0);
    let items = |tensors: &[Tensor]| tensors.iter().map(Tensor::item).collect::<SmallVec<[Scalar; 2]>>();
    let (mut values, mut power) = (items(inits), items(inputs));
    while count > 0 {
        if count % 2 == 1 {
            values = caller.call_scalars(body, &[&values[..], &power[..]].concat())?;
        }
        power = caller.call_scalars(body, &[&power[..], &power[..]].concat())?;
        count /= 2;
    }
    Ok(values)
}

/// Folds the elements at some positions of the inputs.
pub(super) fn fold(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    inputs: &[Tensor],
    inits: &[Tensor],
    positions: impl Iterator<Item = usize>,
) -> Result<SmallVec<[Scalar; 2]>, EvalError> {
    let body = op.region_id(0);
    let mut values: SmallVec<[Scalar; 2]> = inits.iter().map(Tensor::item).collect();
    let mut args: SmallVec<[Scalar; 4]> = SmallVec::new();
    for at in positions {
        args.clear();
        args.extend_from_slice(&values);
        inputs.iter().for_each(|input| args.push(input.get(at)));
        values = caller.call_scalars(body, &args)?;
    }
    Ok(values)
}

// --- work ---

/// The body once for each element of the input.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let flops = op.operand_tensor(0).count() as f64 * body_ops(op, 0);
    Work { flops, bytes: bytes_moved(op) }
}
