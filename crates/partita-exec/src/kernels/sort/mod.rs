//! Sorting.
//!
//! Most comparators look at two elements only by comparing what they make of the one with what they make of the other: keys
//! (`comparator`). So keys are computed once for each element, as integers that are in order as the keys are, and a comparison of two
//! elements is a walk through a table. Where that is the order of the first key that differs, as it nearly always is, the integers are
//! sorted without it.

mod comparator;

use super::Compute;
use crate::array::Array;
use crate::pool::Pool;
use comparator::{Comparator, NO_NUMBER};
use partita::Module;
use partita::ir::{OpRef, names};
use partita::ops::stable_order;
use partita::value::tensor::strides;
use partita::value::{Offsets, Scalar, Tensor, TensorBuilder};
use std::convert::Infallible;

/// A sort along a dimension.
pub(crate) struct Sort {
    dimension: usize,
    comparator: Comparator,
}

impl Compute for Sort {
    fn run(&self, module: &Module, operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let operands: Vec<Tensor> = operands.into_iter().map(|array| array.into_tensor(pool)).collect();
        let results = self.sorted(module, &operands);
        operands.into_iter().for_each(|tensor| pool.recycle(tensor));
        results
    }
}

impl Sort {
    /// The sort of an operation, where its comparator compares keys.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Sort> {
        let rank = op.operand_tensor(0).rank() as i64;
        let dimension = op.int(names::DIMENSION).unwrap_or(-1).rem_euclid(rank.max(1)) as usize;
        let shape = &op.operand_tensor(0).shape;
        // Places are counted with 32 bits.
        shape.get(dimension).filter(|length| u32::try_from(**length).is_ok())?;
        Some(Sort { dimension, comparator: Comparator::of(op)? })
    }

    /// The operands, sorted together.
    fn sorted(&self, module: &Module, operands: &[Tensor]) -> Vec<Tensor> {
        let Some(first) = operands.first() else { return Vec::new() };
        let (shape, steps) = (first.shape(), strides(first.shape()));
        let (length, stride) = (shape[self.dimension] as usize, steps[self.dimension] as usize);
        let others = (0..shape.len()).filter(|d| *d != self.dimension);
        let mut results: Vec<TensorBuilder> =
            operands.iter().map(|t| TensorBuilder::new(t.ty().clone())).collect();
        let mut keys = self.comparator.keys(module);
        let mut columns: Vec<Vec<i64>> = vec![Vec::with_capacity(length); keys.count()];
        let mut elements: Vec<Scalar> = Vec::with_capacity(operands.len());
        for line in Offsets::new(others.map(|d| (shape[d], steps[d]))) {
            columns.iter_mut().for_each(Vec::clear);
            for i in 0..length {
                elements.clear();
                elements.extend(operands.iter().map(|operand| operand.get(line + i * stride)));
                keys.compute(&elements, |key, value| columns[key].push(value));
            }
            let order = self.order(length, &mut columns);
            for (result, operand) in results.iter_mut().zip(operands) {
                for (to, from) in order.iter().enumerate() {
                    result.copy(line + to * stride, operand, line + *from as usize * stride);
                }
            }
        }
        results.into_iter().map(TensorBuilder::finish).collect()
    }

    /// The places of a line in the order of their keys.
    fn order(&self, length: usize, columns: &mut [Vec<i64>]) -> Vec<u32> {
        match self.comparator.lexicographic() {
            Some(descending) if !self.has_no_numbers(columns) => {
                for (column, _) in columns.iter_mut().zip(descending).filter(|(_, descending)| **descending) {
                    column.iter_mut().for_each(|key| *key = !*key);
                }
                lexicographic_order(columns)
            }
            _ => {
                let less = |a, b| Ok::<_, Infallible>(self.comparator.less(columns, a, b));
                let order = stable_order(length, less).unwrap_or_else(|never| match never {});
                order.into_iter().map(|place| place as u32).collect()
            }
        }
    }

    /// Whether there are keys that are in no order with others.
    fn has_no_numbers(&self, columns: &[Vec<i64>]) -> bool {
        let partial = columns.iter().zip(self.comparator.partial());
        partial.filter(|(_, partial)| *partial).any(|(column, _)| column.contains(&NO_NUMBER))
    }
}

/// Places in the order of the first key that differs, then in their own.
fn lexicographic_order(columns: &[Vec<i64>]) -> Vec<u32> {
    let Some((first, others)) = columns.split_first() else { return Vec::new() };
    let mut pairs: Vec<(i64, u32)> = first.iter().copied().zip(0..).collect();
    if others.is_empty() {
        pairs.sort_unstable();
    } else {
        pairs.sort_unstable_by(|a, b| {
            let mut order = a.0.cmp(&b.0);
            for column in others {
                order = order.then_with(|| column[a.1 as usize].cmp(&column[b.1 as usize]));
            }
            order.then(a.1.cmp(&b.1))
        });
    }
    pairs.into_iter().map(|(_, place)| place).collect()
}
