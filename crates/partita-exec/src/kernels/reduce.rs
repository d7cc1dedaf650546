//! `reduce` by any region of scalars, of any number of operands: the region runs for many results at once.

use super::Compute;
use super::pooling::filled;
use crate::array::Array;
use crate::loops::{Lanes, Walk};
use crate::pool::Pool;
use partita::Module;
use partita::ir::{OpRef, Shape, TensorType, names};
use partita::value::tensor::strides;
use partita::value::walk::advance;
use partita::value::{Tensor, TensorBuilder};

/// Fewer results than this gain nothing from being computed together.
const WORTH: usize = 4;

/// A reduction.
pub(crate) struct Reduce {
    folded: Vec<usize>,
    kept: Vec<usize>,
    lanes: Lanes,
    results: Vec<TensorType>,
}

impl Reduce {
    /// The reduction that an operation is, where its region is one of scalars and there are several results to compute.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Reduce> {
        let results: Vec<TensorType> =
            (0..op.op().results.len()).map(|n| op.result_tensor(n).clone()).collect();
        let lanes = Lanes::combining(op)?;
        let dims = op.ints(names::DIMENSIONS);
        let (folded, kept): (Vec<usize>, Vec<usize>) =
            (0..op.operand_tensor(0).rank()).partition(|d| dims.contains(&(*d as i64)));
        let worth = results.first()?.count() >= WORTH && op.operand_tensor(0).count() > 0;
        worth.then_some(Reduce { folded, kept, lanes, results })
    }
}

impl Compute for Reduce {
    fn run(&self, module: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let starts = operands.split_off(self.results.len());
        let inputs = operands;
        let mut results: Vec<TensorBuilder> =
            self.results.iter().zip(&starts).map(|(ty, start)| filled(ty.clone(), start, pool)).collect();
        let mut runner = self.lanes.runner(module);
        let pick =
            |array: &Array, dims: &[usize]| -> Shape { dims.iter().map(|d| array.strides[*d]).collect() };
        let kept: Vec<Shape> = inputs.iter().map(|array| pick(array, &self.kept)).collect();
        let folded: Vec<Shape> = inputs.iter().map(|array| pick(array, &self.folded)).collect();
        let to = strides(&self.results[0].shape);
        let running: Vec<Walk<'_, *mut u8>> =
            results.iter_mut().map(|r| Walk { first: r.bytes_mut().as_mut_ptr(), strides: &to }).collect();
        let sizes: Shape = self.folded.iter().map(|d| inputs[0].shape[*d]).collect();
        let mut index: Shape = smallvec::smallvec![0; sizes.len()];
        for _ in 0..sizes.iter().product::<i64>() {
            let elements: Vec<Walk<'_, *const u8>> = inputs
                .iter()
                .zip(&kept)
                .zip(&folded)
                .map(|((array, kept), folded)| {
                    let at = index.iter().zip(folded).map(|(i, s)| i * s).sum();
                    Walk { first: array.place(at), strides: kept }
                })
                .collect();
            // SAFETY: all results, each once, and as many elements of each input.
            unsafe { runner.combine(&self.results[0].shape, &running, &elements) };
            advance(&mut index, &sizes);
        }
        inputs.into_iter().for_each(|array| array.recycle(pool));
        results.into_iter().map(TensorBuilder::finish).collect()
    }
}
