//! Elementwise formulas applied to whole tensors.

use crate::ir::OpRef;
use crate::ops::{ElementCx, Formula};
use crate::value::{Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;

/// Applies an elementwise formula. Operands without dimensions are repeated, and where no operand has more
/// than one distinct element the result is a splat.
pub fn elementwise(op: OpRef<'_>, f: Formula, operands: &[Tensor]) -> Tensor {
    let ty = op.result_tensor(0).clone();
    let operand = operands.first().map_or(ty.elem, Tensor::elem);
    let cx = ElementCx { op, operand, result: ty.elem };
    let repeated = |t: &Tensor| t.is_splat() || t.shape().is_empty();
    if operands.iter().all(repeated) {
        let elements: SmallVec<[Scalar; 3]> = operands.iter().map(Tensor::item).collect();
        return Tensor::splat(ty, f(&cx, &elements));
    }
    let mut runs: SmallVec<[Run; 3]> = operands.iter().map(|t| Run::new(t, repeated(t))).collect();
    let mut elements: SmallVec<[Scalar; 3]> = SmallVec::from_elem(Scalar::Bool(false), operands.len());
    let mut values = [Scalar::Bool(false); RUN];
    let mut result = TensorBuilder::new(ty);
    for start in (0..result.len()).step_by(RUN) {
        let count = RUN.min(result.len() - start);
        runs.iter_mut().for_each(|run| run.read(start, count));
        for (i, value) in values[..count].iter_mut().enumerate() {
            for (element, run) in elements.iter_mut().zip(&runs) {
                *element = run.elements[i];
            }
            *value = f(&cx, &elements);
        }
        result.write_run(start, &values[..count]);
    }
    result.finish()
}

/// So many elements are read, computed and written at a time.
const RUN: usize = 64;

/// Some elements of an operand.
struct Run<'t> {
    operand: &'t Tensor,
    repeated: bool,
    elements: [Scalar; RUN],
}

impl<'t> Run<'t> {
    fn new(operand: &'t Tensor, repeated: bool) -> Self {
        let first = if repeated { operand.item() } else { Scalar::Bool(false) };
        Run { operand, repeated, elements: [first; RUN] }
    }

    fn read(&mut self, start: usize, count: usize) {
        if !self.repeated {
            self.operand.read_run(start, &mut self.elements[..count]);
        }
    }
}
