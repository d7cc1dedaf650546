//! `reduce_window`.

use super::{body_ops, fold};
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{OpRef, TensorType, Type, names};
use crate::ops::check::{ensure, scalar_signature};
use crate::ops::combiner::verify_combiner;
use crate::ops::window::{Window, WindowDim, padding_per_dimension, positive_per_dimension, window_counts};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::tensor::strides;
use crate::value::walk::advance;
use crate::value::{Tensor, TensorBuilder};

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let elems = fold::verify_inputs(op)?;
    window_counts(&window_dims(op)?)?;
    verify_combiner(op, 0, &elems)?;
    Ok(())
}

fn window_dims(op: OpRef<'_>) -> Result<Vec<WindowDim>, OpError> {
    let shape = &op.operand_tensor(0).shape;
    let rank = shape.len();
    let window = positive_per_dimension(op, names::WINDOW_DIMENSIONS, rank)?;
    let stride = positive_per_dimension(op, names::WINDOW_STRIDES, rank)?;
    let base_dilation = positive_per_dimension(op, names::BASE_DILATIONS, rank)?;
    let window_dilation = positive_per_dimension(op, names::WINDOW_DILATIONS, rank)?;
    let padding = padding_per_dimension(op, rank)?;
    let dim = |d: usize| WindowDim {
        size: shape[d],
        window: window[d],
        stride: stride[d],
        padding: padding[d],
        base_dilation: base_dilation[d],
        window_dilation: window_dilation[d],
    };
    Ok((0..rank).map(dim).collect())
}

/// One element for each window; the element types are those that the body computes in.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let shape = window_counts(&window_dims(op)?)?;
    let body = scalar_signature(op, 0, "the body")?;
    let types: Vec<TensorType> =
        body.results.iter().map(|elem| TensorType { elem: *elem, shape: shape.clone() }).collect();
    ensure!(
        types.iter().all(|ty| ty.checked_count().is_some()),
        "the result would have more elements than memory can hold"
    );
    Ok(types.into_iter().map(Type::from).collect())
}

/// Padding and the holes of a dilated input hold the initial value, with which the fold starts anyway: they are
/// skipped.
pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    let (inputs, inits) = operands.split_at(operands.len() / 2);
    let dims = window_dims(op).map_err(|e| EvalError::new(e.message))?;
    let offsets = strides(inputs[0].shape()).into_iter().map(|stride| (0, stride)).collect();
    let mut window = Window::new(dims, offsets);
    let mut results: Vec<_> =
        (0..inputs.len()).map(|n| TensorBuilder::new(op.result_tensor(n).clone())).collect();
    let out = &op.result_tensor(0).shape;
    let mut index = vec![0; out.len()];
    for to in 0..results[0].len() {
        let positions = window.taps(&index).iter().map(|(_, at)| *at);
        let values = fold::fold(caller, op, inputs, inits, positions)?;
        results.iter_mut().zip(values).for_each(|(result, value)| result.set(to, value));
        advance(&mut index, out);
    }
    Ok(results.into_iter().map(TensorBuilder::finish).collect())
}

/// The body once for each element of each window.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let window: f64 = op.ints(names::WINDOW_DIMENSIONS).iter().map(|size| *size as f64).product();
    let flops = op.result_tensor(0).count() as f64 * window * body_ops(op, 0);
    Work { flops, bytes: bytes_moved(op) }
}
