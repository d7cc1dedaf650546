//! `scatter`: windows of tensors combined with updates.

use super::windows::{Starts, WindowDims};
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{Elem, OpRef, Shape, Type};
use crate::ops::OpError;
use crate::ops::check::{ensure, tensor_operand};
use crate::ops::combiner::verify_combiner;
use crate::ops::def::Work;
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;

/// How many inputs there are, and as many updates.
fn input_count(op: OpRef<'_>) -> usize {
    op.operands().len() / 2
}

fn dims(op: OpRef<'_>) -> Result<WindowDims<'_>, OpError> {
    op.scatter_dims()
        .map(WindowDims::from)
        .ok_or_else(|| OpError::new("the attribute `scatter_dimension_numbers` is missing"))
}

/// The inputs' shapes with the elements that the computation gives.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let count = op.operands().len();
    ensure!(
        count % 2 == 1,
        "there are {count} operands; expected inputs, indices, and as many updates as inputs"
    );
    let n = input_count(op);
    let (input, indices, update) =
        (tensor_operand(op, 0)?, tensor_operand(op, n)?, tensor_operand(op, n + 1)?);
    for i in 0..n {
        let (other, its_update) = (tensor_operand(op, i)?, tensor_operand(op, n + 1 + i)?);
        ensure!(
            other.shape == input.shape,
            "all inputs must have the same shape, but input 0 is `{input}` and input {i} is `{other}`"
        );
        ensure!(
            its_update.shape == update.shape,
            "all updates must have the same shape, but update 0 is `{update}` and update {i} is `{its_update}`"
        );
        ensure!(
            its_update.elem == other.elem,
            "input {i} holds {}, but its update holds {}",
            other.elem,
            its_update.elem
        );
    }
    let dims = dims(op)?;
    dims.verify(input, indices)?;
    dims.verify_windowed(update, indices)?;
    for (&d, &to) in dims.window.iter().zip(&dims.window_operand_dims(input.rank())) {
        let (size, all) = (update.shape[d as usize], input.shape[to]);
        ensure!(
            size <= all,
            "dimension {d} of the update has size {size}, more than dimension {to} of the input has: {all}"
        );
    }
    let elems: Vec<Elem> = (0..n).map(|i| op.operand_tensor(i).elem).collect();
    let combined = verify_combiner(op, 0, &elems)?;
    ensure!(op.op().results.len() == n, "there are {} results for {n} inputs", op.op().results.len());
    Ok(combined.into_iter().map(|elem| input.with_elem(elem).into()).collect())
}

/// Updates in row-major order; each element that falls outside the inputs is left out.
pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    let dims = dims(op).map_err(|error| EvalError::new(error.message))?;
    let n = input_count(op);
    let (inputs, indices, updates) = (&operands[..n], &operands[n], &operands[n + 1..]);
    let elems: SmallVec<[Elem; 2]> = (0..n).map(|i| op.result_tensor(i).elem).collect();
    if updates[0].is_empty() {
        return Ok(inputs.iter().zip(&elems).map(|(input, &elem)| in_type(input, elem)).collect());
    }
    let mut results: Vec<TensorBuilder> =
        inputs.iter().zip(&elems).map(|(input, &elem)| in_type(input, elem).into_builder()).collect();

    let shape = inputs[0].shape();
    let update_shape = updates[0].shape();
    let starts = Starts::new(indices, &dims);
    let (input_strides, update_strides) = (strides(shape), strides(update_shape));
    let batch_dims = dims.batch_dims(update_shape.len());
    let window_dims = dims.window_operand_dims(shape.len());
    let window: Shape = dims.window.iter().map(|&d| update_shape[d as usize]).collect();
    let region = op.region_id(0);
    let mut start: Shape = smallvec::smallvec![0; shape.len()];
    let mut args: SmallVec<[Scalar; 4]> = SmallVec::new();
    let mut failed = None;
    for_each_index(&dims.batch_sizes(indices.shape()), |_, batch_index| {
        starts.read(batch_index, &mut start);
        let first: i64 = batch_index.iter().zip(&batch_dims).map(|(i, &d)| i * update_strides[d]).sum();
        for_each_index(&window, |_, window_index| {
            if failed.is_some() {
                return;
            }
            let Some(to) = position(&start, window_index, &window_dims, shape, &input_strides) else {
                return;
            };
            let inside: i64 =
                window_index.iter().zip(dims.window).map(|(i, &d)| i * update_strides[d as usize]).sum();
            let from = (first + inside) as usize;
            args.clear();
            args.extend(results.iter().map(|result| result.get(to)));
            args.extend(updates.iter().zip(&elems).map(|(update, &elem)| match update.get(from) {
                value if update.elem() == elem => value,
                value => value.convert(elem),
            }));
            match caller.call_scalars(region, &args) {
                Ok(values) => {
                    results.iter_mut().zip(values).for_each(|(result, value)| result.set(to, value));
                }
                Err(error) => failed = Some(error),
            }
        });
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(results.into_iter().map(TensorBuilder::finish).collect()),
    }
}

/// The row-major position of an element of a window, where it lies inside the shape.
fn position(
    start: &[i64],
    window_index: &[i64],
    window_dims: &[usize],
    shape: &[i64],
    strides: &[i64],
) -> Option<usize> {
    let mut index: Shape = start.into();
    for (&d, &i) in window_dims.iter().zip(window_index) {
        index[d] = index[d].saturating_add(i);
    }
    let inside = index.iter().zip(shape).all(|(i, size)| (0..*size).contains(i));
    inside.then(|| index.iter().zip(strides).map(|(i, stride)| i * stride).sum::<i64>() as usize)
}

/// The tensor in another element type, or itself.
fn in_type(tensor: &Tensor, elem: Elem) -> Tensor {
    if tensor.elem() == elem {
        return tensor.clone();
    }
    let ty = tensor.ty().with_elem(elem);
    match tensor.as_splat() {
        Some(value) => Tensor::splat(ty, value.convert(elem)),
        None => Tensor::from_fn(ty, |i| tensor.get(i).convert(elem)),
    }
}

/// One operation per update; inputs are read and results written once.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let n = input_count(op);
    let updates = op.operand_tensor(n + 1).count() * n;
    Work { flops: updates as f64, bytes: crate::ops::bytes_moved(op) }
}
