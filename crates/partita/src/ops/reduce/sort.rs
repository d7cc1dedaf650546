//! `sort`.

use super::body_ops;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::{Elem, OpRef, Type, names};
use crate::ops::check::{ensure, scalar_signature, tensor_operand};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::tensor::strides;
use crate::value::{Offsets, Scalar, Tensor, TensorBuilder};

// --- constraints ---

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let first = tensor_operand(op, 0)?;
    let mut expected = Vec::new();
    for n in 0..op.operands().len() {
        let input = tensor_operand(op, n)?;
        ensure!(
            input.shape == first.shape,
            "input {n} is `{input}`, but it must have the shape of input 0, `{first}`"
        );
        expected.extend([input.elem; 2]);
    }
    let (inputs, results) = (op.operands().len(), op.op().results.len());
    ensure!(inputs == results, "there are {inputs} inputs, but {results} results");
    let (rank, dimension) = (first.rank() as i64, dimension(op));
    ensure!(
        (-rank..rank).contains(&dimension),
        "dimension is {dimension}, but for {rank} dimensions it must be at least {} and less than {rank}",
        -rank
    );
    let comparator = scalar_signature(op, 0, "the comparator")?;
    ensure!(
        comparator.args.len() == expected.len(),
        "the comparator takes {} arguments, but it must take {}: two for each input",
        comparator.args.len(),
        expected.len()
    );
    for (i, (given, expected)) in comparator.args.iter().zip(&expected).enumerate() {
        ensure!(
            given == expected,
            "argument {i} of the comparator holds {given}, but input {} holds {expected}",
            i / 2
        );
    }
    ensure!(
        comparator.results == [Elem::Bool],
        "the comparator returns {:?}, but it must return one i1",
        comparator.results.iter().map(|e| e.name()).collect::<Vec<_>>()
    );
    Ok(())
}

fn dimension(op: OpRef<'_>) -> i64 {
    op.int(names::DIMENSION).unwrap_or(-1)
}

/// Results are as the inputs.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    Ok(op.operand_types().cloned().collect())
}

// --- evaluation ---

/// Every sort is stable here, asked for or not.
pub(super) fn eval(
    caller: &mut RegionCaller<'_, '_>,
    op: OpRef<'_>,
    operands: &[Tensor],
) -> Result<Vec<Tensor>, EvalError> {
    if operands.iter().all(Tensor::is_splat) {
        // Equal elements stay where they are.
        return Ok(operands.to_vec());
    }
    let shape = operands[0].shape();
    let dimension = dimension(op).rem_euclid(shape.len().max(1) as i64) as usize;
    let all_strides = strides(shape);
    let (length, stride) = (shape[dimension] as usize, all_strides[dimension] as usize);
    let others = (0..shape.len()).filter(|d| *d != dimension);
    let lines = Offsets::new(others.map(|d| (shape[d], all_strides[d])));
    let comparator = op.region_id(0);
    let mut results: Vec<_> = operands.iter().map(|t| TensorBuilder::new(t.ty().clone())).collect();
    let mut values: Vec<Vec<Scalar>> = vec![Vec::new(); operands.len()];
    let mut args = Vec::with_capacity(2 * operands.len());
    for line in lines {
        for (values, operand) in values.iter_mut().zip(operands) {
            values.clear();
            values.extend((0..length).map(|i| operand.get(line + i * stride)));
        }
        let order = stable_order(length, |a, b| {
            args.clear();
            args.extend(values.iter().flat_map(|values| [values[a], values[b]]));
            Ok(caller.call_scalars(comparator, &args)?.iter().all(|less| less.is_true()))
        })?;
        for (result, operand) in results.iter_mut().zip(operands) {
            for (to, from) in order.iter().enumerate() {
                result.copy(line + to * stride, operand, line + from * stride);
            }
        }
    }
    Ok(results.into_iter().map(TensorBuilder::finish).collect())
}

/// The numbers below `length` in the order of a comparison that may fail, and that need not be an order at all:
/// some permutation comes out in any case. A merge sort from the bottom up.
pub fn stable_order<E>(
    length: usize,
    mut less: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut order: Vec<usize> = (0..length).collect();
    let mut merged = Vec::with_capacity(length);
    let mut run = 1;
    while run < length {
        merged.clear();
        for pair in order.chunks(2 * run) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let ([l, left_rest @ ..], [r, right_rest @ ..]) = (left, right) {
                if less(*r, *l)? {
                    merged.push(*r);
                    right = right_rest;
                } else {
                    merged.push(*l);
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        run *= 2;
    }
    Ok(order)
}

// --- work ---

/// `n log n` comparisons along each line.
pub(super) fn work(op: OpRef<'_>) -> Work {
    let ty = op.operand_tensor(0);
    let length = match ty.rank() {
        0 => 1,
        rank => ty.shape[dimension(op).rem_euclid(rank as i64) as usize],
    };
    let comparisons = ty.count() as f64 * (length.max(1) as f64).log2().ceil();
    Work { flops: comparisons * body_ops(op, 0), bytes: bytes_moved(op) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let keys = [3, 1, 2, 1, 3, 2, 1];
        let order = stable_order(keys.len(), |a, b| Ok::<_, ()>(keys[a] < keys[b]));
        assert_eq!(order, Ok(vec![1, 3, 6, 2, 5, 0, 4]));
    }

    #[test]
    fn a_comparison_that_is_no_order_still_gives_a_permutation() {
        for length in 0..40 {
            let mut state = 1u32;
            let order = stable_order(length, |_, _| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                Ok::<_, ()>(state >> 31 == 1)
            });
            let mut order = order.unwrap();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..length));
        }
    }

    #[test]
    fn a_failing_comparison_fails_the_sort() {
        assert_eq!(stable_order(2, |_, _| Err("no")), Err("no"));
    }
}
