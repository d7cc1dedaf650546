//! Operations that move nothing: another way to walk over the same memory.

use crate::array::Array;
use crate::pool::Pool;
use partita::ir::{Elem, OpRef, Shape, names};
use partita::ops::OpKind;

/// How a view of an array is made.
pub(crate) enum View {
    /// Dimensions in another order.
    Transpose(Shape),
    /// Dimensions repeated: the shape of the result, and where each dimension of the operand goes.
    Broadcast(Shape, Shape),
    /// The same elements under another shape.
    Reshape(Shape),
    /// Some of the indices: shape, first index and step of each dimension.
    Slice(Shape, Shape, Shape),
    /// Dimensions backwards.
    Reverse(Shape),
    /// The same bits as another type.
    Bitcast(Elem),
}

impl View {
    /// The view that an operation makes, where it is one.
    pub(crate) fn of(op: OpRef<'_>) -> Option<View> {
        let result = || op.result_tensor(0).shape.clone();
        Some(match op.kind() {
            OpKind::Transpose => View::Transpose(op.ints(names::PERMUTATION).into()),
            OpKind::BroadcastInDim => View::Broadcast(result(), op.ints(names::BROADCAST_DIMENSIONS).into()),
            OpKind::Broadcast => {
                let (rank, own) = (op.result_tensor(0).rank(), op.operand_tensor(0).rank());
                View::Broadcast(result(), (rank - own..rank).map(|d| d as i64).collect())
            }
            OpKind::Reshape => View::Reshape(result()),
            OpKind::Slice => {
                View::Slice(result(), op.ints(names::START_INDICES).into(), op.ints(names::STRIDES).into())
            }
            OpKind::Reverse => View::Reverse(op.ints(names::DIMENSIONS).into()),
            OpKind::BitcastConvert => {
                let (from, to) = (op.operand_tensor(0), op.result_tensor(0));
                // Narrower integers fill the rest of their byte each in its own way.
                if from.elem.bits() != to.elem.bits() || from.elem.bits() < 8 {
                    return None;
                }
                View::Bitcast(to.elem)
            }
            _ => return None,
        })
    }

    /// The view; a reshape that strides cannot say copies.
    pub(crate) fn apply(&self, array: Array, pool: &mut Pool) -> Array {
        match self {
            View::Transpose(order) => {
                let shape = order.iter().map(|d| array.shape[*d as usize]).collect();
                let strides = order.iter().map(|d| array.strides[*d as usize]).collect();
                array.into_view(shape, strides, 0)
            }
            View::Broadcast(shape, dims) => {
                let mut strides: Shape = smallvec::smallvec![0; shape.len()];
                for (from, to) in dims.iter().enumerate() {
                    // What has one element only is repeated.
                    if array.shape[from] != 1 {
                        strides[*to as usize] = array.strides[from];
                    }
                }
                array.into_view(shape.clone(), strides, 0)
            }
            View::Reshape(shape) => match array.reshaped(shape) {
                Some(view) => view,
                None => {
                    let copy = Array::new(array.copied(pool));
                    array.recycle(pool);
                    copy.reshaped(shape).unwrap_or(copy)
                }
            },
            View::Slice(shape, start, step) => {
                let further = start.iter().zip(&array.strides).map(|(i, s)| i * s).sum();
                let strides = step.iter().zip(&array.strides).map(|(i, s)| i * s).collect();
                array.into_view(shape.clone(), strides, further)
            }
            View::Reverse(dims) => {
                let mut strides = array.strides.clone();
                let mut further = 0;
                for d in dims.iter().map(|d| *d as usize) {
                    further += (array.shape[d] - 1).max(0) * strides[d];
                    strides[d] = -strides[d];
                }
                let shape = array.shape.clone();
                array.into_view(shape, strides, further)
            }
            View::Bitcast(elem) => array.with_elem(*elem),
        }
    }
}
