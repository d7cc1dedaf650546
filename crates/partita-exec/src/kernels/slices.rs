//! Slices at computed places, concatenation and padding: copies of boxes.

use crate::array::Array;
use crate::copy::copy_box;
use crate::pool::Pool;
use partita::ir::{OpRef, Shape, TensorType, names};
use partita::value::tensor::{read, strides};
use partita::value::{Tensor, TensorBuilder};

/// First indices from scalars, brought so that a box fits.
pub(crate) fn starts(indices: &[Array], whole: &[i64], part: &[i64]) -> Shape {
    let index = |array: &Array| read(array.elem(), array.element(0), 0).as_index();
    let room = whole.iter().zip(part).map(|(whole, part)| whole - part);
    indices.iter().zip(room).map(|(array, most)| index(array).clamp(0, most.max(0))).collect()
}

/// The box of an array from an index on, as a view.
pub(crate) fn slice(array: Array, starts: &[i64], shape: &[i64]) -> Array {
    let further = starts.iter().zip(&array.strides).map(|(i, s)| i * s).sum();
    let strides = array.strides.clone();
    array.into_view(shape.into(), strides, further)
}

/// Writes an array over a box of another one, in place where nobody else has that.
pub(crate) fn update(array: Array, update: &Array, starts: &[i64], pool: &mut Pool) -> Tensor {
    let mut result = array.into_builder(pool);
    put(&mut result, update, starts, &ones(starts.len()));
    result.finish()
}

fn ones(rank: usize) -> Shape {
    smallvec::smallvec![1; rank]
}

/// Copies an array into a box of a tensor, from an index on, with a step in each dimension.
fn put(to: &mut TensorBuilder, from: &Array, starts: &[i64], steps: &[i64]) {
    if from.count() == 0 {
        return;
    }
    let whole = strides(&to.ty().shape);
    let first: i64 = starts.iter().zip(&whole).map(|(i, s)| i * s).sum();
    let walk: Shape = steps.iter().zip(&whole).map(|(i, s)| i * s).collect();
    let width = from.width();
    // SAFETY: the caller has made sure that the box lies in the tensor, whose memory nobody else has.
    unsafe {
        let target = to.bytes_mut().as_mut_ptr().add(first as usize * width);
        copy_box(width, &from.shape, (from.pointer(), &from.strides), (target, &walk));
    }
}

/// Arrays one behind the other along a dimension.
pub(crate) fn concatenate(arrays: &[Array], dim: usize, ty: &TensorType, pool: &mut Pool) -> Tensor {
    let mut result = pool.tensor(ty.clone());
    let mut starts: Shape = smallvec::smallvec![0; ty.rank()];
    let steps = ones(ty.rank());
    for array in arrays {
        put(&mut result, array, &starts, &steps);
        starts[dim] += array.shape[dim];
    }
    result.finish()
}

/// An array with elements put around and between its own.
pub(crate) fn pad(op: OpRef<'_>, array: Array, value: &Array, pool: &mut Pool) -> Tensor {
    let ty = op.result_tensor(0);
    let (low, inside) = (op.ints(names::EDGE_PADDING_LOW), op.ints(names::INTERIOR_PADDING));
    let mut result = pool.tensor(ty.clone());
    if result.is_empty() {
        return result.finish();
    }
    let rank = ty.rank();
    let fill = value.view(ty.shape.clone(), smallvec::smallvec![0; rank], 0);
    let zeros: Shape = smallvec::smallvec![0; rank];
    put(&mut result, &fill, &zeros, &ones(rank));
    // What negative padding cuts off is not copied.
    let mut part = array;
    let (mut shape, mut first, mut starts) = (part.shape.clone(), Shape::new(), Shape::new());
    for d in 0..rank {
        let step = inside[d] + 1;
        let skipped = if low[d] < 0 { (-low[d] + step - 1) / step } else { 0 }.min(shape[d]);
        let start = low[d] + skipped * step;
        let room = if start < ty.shape[d] { (ty.shape[d] - start - 1) / step + 1 } else { 0 };
        shape[d] = (shape[d] - skipped).min(room).max(0);
        first.push(skipped);
        starts.push(start);
    }
    let steps: Shape = inside.iter().map(|i| i + 1).collect();
    part = slice(part, &first, &shape);
    put(&mut result, &part, &starts, &steps);
    part.recycle(pool);
    result.finish()
}
