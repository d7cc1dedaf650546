//! Elementwise formulas applied to whole tensors.

use crate::ir::OpRef;
use crate::ops::ElementCx;
use crate::value::{Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;

/// Applies an elementwise formula. Operands without dimensions are repeated, and where no operand has more
/// than one distinct element the result is a splat.
pub fn elementwise(op: OpRef<'_>, f: fn(&ElementCx<'_>, &[Scalar]) -> Scalar, operands: &[Tensor]) -> Tensor {
    let ty = op.result_tensor(0).clone();
    let operand = operands.first().map_or(ty.elem, Tensor::elem);
    let cx = ElementCx { op, operand, result: ty.elem };
    let repeated = |t: &Tensor| t.is_splat() || t.shape().is_empty();
    if operands.iter().all(repeated) {
        let elements: SmallVec<[Scalar; 3]> = operands.iter().map(Tensor::item).collect();
        return Tensor::splat(ty, f(&cx, &elements));
    }
    let steps: SmallVec<[usize; 3]> = operands.iter().map(|t| usize::from(!repeated(t))).collect();
    let mut elements: SmallVec<[Scalar; 3]> = SmallVec::from_elem(Scalar::Bool(false), operands.len());
    let mut result = TensorBuilder::new(ty);
    for i in 0..result.len() {
        for ((element, operand), step) in elements.iter_mut().zip(operands).zip(&steps) {
            *element = operand.get(i * step);
        }
        result.set(i, f(&cx, &elements));
    }
    result.finish()
}
