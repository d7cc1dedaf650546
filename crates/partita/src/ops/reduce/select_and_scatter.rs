//! `select_and_scatter`.

use super::body_ops;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{Elem, OpRef, Type, names};
use crate::ops::check::{ensure, scalar_signature, tensor_operand};
use crate::ops::combiner::verify_combiner;
use crate::ops::window::{Window, WindowDim, padding_per_dimension, positive_per_dimension, window_counts};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::Tensor;
use crate::value::tensor::strides;
use crate::value::walk::advance;

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, source, init) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_operand(op, 2)?);
    let elem = operand.elem;
    ensure!(source.elem == elem, "the source holds {}, but the operand holds {elem}", source.elem);
    ensure!(init.rank() == 0, "the initial value is `{init}`, but it must have no dimensions");
    ensure!(init.elem == elem, "the initial value is {}, but the operand holds {elem}", init.elem);
    let windows = window_counts(&window_dims(op)?)?;
    ensure!(
        source.shape == windows,
        "the source is `{source}`, but there are {:?} windows in the operand",
        &windows[..]
    );
    let select = scalar_signature(op, 0, "the selecting function")?;
    ensure!(
        select.args == [elem, elem],
        "the selecting function takes {:?}, but it must take two values of {elem}",
        select.args.iter().map(|e| e.name()).collect::<Vec<_>>()
    );
    ensure!(
        select.results == [Elem::Bool],
        "the selecting function returns {:?}, but it must return one i1",
        select.results.iter().map(|e| e.name()).collect::<Vec<_>>()
    );
    verify_combiner(op, 1, &[elem])?;
    Ok(())
}

fn window_dims(op: OpRef<'_>) -> Result<Vec<WindowDim>, OpError> {
    let shape = &op.operand_tensor(0).shape;
    let rank = shape.len();
    let window = positive_per_dimension(op, names::WINDOW_DIMENSIONS, rank)?;
    let stride = positive_per_dimension(op, names::WINDOW_STRIDES, rank)?;
    let padding = padding_per_dimension(op, rank)?;
    let dim = |d: usize| WindowDim {
        size: shape[d],
        window: window[d],
        stride: stride[d],
        padding: padding[d],
        base_dilation: 1,
        window_dilation: 1,
    };
    Ok((0..rank).map(dim).collect())
}

/// The operand's shape; the element type is the one that the scattering function computes in.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let scatter = scalar_signature(op, 1, "the scattering function")?;
    Ok(scatter.results.iter().map(|elem| op.operand_tensor(0).with_elem(*elem).into()).collect())
}

pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    let [operand, source, init] = operands else { return Err(EvalError::new("three operands expected")) };
    let (select, scatter) = (op.region_id(0), op.region_id(1));
    let dims = window_dims(op).map_err(|e| EvalError::new(e.message))?;
    let offsets = strides(operand.shape()).into_iter().map(|stride| (0, stride)).collect();
    let mut window = Window::new(dims, offsets);
    let mut result = Tensor::splat(op.result_tensor(0).clone(), init.item()).into_builder();
    let mut index = vec![0; source.shape().len()];
    for from in 0..source.len() {
        let mut positions = window.taps(&index).iter().map(|(_, at)| *at);
        // A window without elements selects nothing.
        if let Some(mut selected) = positions.next() {
            for candidate in positions {
                let args = [operand.get(selected), operand.get(candidate)];
                if !caller.call_scalars(select, &args)?.iter().all(|keep| keep.is_true()) {
                    selected = candidate;
                }
            }
            let values = caller.call_scalars(scatter, &[result.get(selected), source.get(from)])?;
            values.iter().for_each(|value| result.set(selected, *value));
        }
        advance(&mut index, source.shape());
    }
    Ok(vec![result.finish()])
}

/// The selecting function for each element of each window, the scattering one for each window.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let window: f64 = op.ints(names::WINDOW_DIMENSIONS).iter().map(|size| *size as f64).product();
    let windows = op.operand_tensor(1).count() as f64;
    Work { flops: windows * (window * body_ops(op, 0) + body_ops(op, 1)), bytes: bytes_moved(op) }
}
