//! `torch_index_select`, which is a gather along one dimension.

use super::gather::gather;
use crate::interpret::EvalError;
use crate::ir::attr::GatherDims;
use crate::ir::{OpRef, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimension_in_range, ensure, tensor_operand};
use crate::value::Tensor;

/// The operand's shape with the index's own dimensions in place of the one selected from.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, index) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(index.elem.is_int(), "the index must hold integers, but it holds {}", index.elem);
    let dim = op.int(names::DIM).unwrap_or(0);
    dimension_in_range("`dim`", dim, operand.rank())?;
    let batch = op.int(names::BATCH_DIMS).unwrap_or(0);
    ensure!(
        (0..=dim).contains(&batch) && batch <= index.rank() as i64,
        "`batch_dims` is {batch}; it must lie between 0 and {}",
        dim.min(index.rank() as i64)
    );
    let (dim, batch) = (dim as usize, batch as usize);
    for d in 0..batch {
        let (size, other) = (operand.shape[d], index.shape[d]);
        ensure!(
            size == other,
            "the batch dimension {d} has size {size} in the operand, but {other} in the index"
        );
    }
    let shape = operand.shape[..dim].iter().chain(&index.shape[batch..]).chain(&operand.shape[dim + 1..]);
    Ok(vec![TensorType::new(operand.elem, shape.copied()).into()])
}

/// The slices; indices out of bounds are moved inside.
pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, index) = (&operands[0], &operands[1]);
    let (dim, batch) = (op.int(names::DIM).unwrap_or(0), op.int(names::BATCH_DIMS).unwrap_or(0));
    let (rank, index_rank) = (operand.shape().len() as i64, index.shape().len() as i64);
    // Behind the selected dimension the result has the index's dimensions instead of one.
    let moved = index_rank - batch - 1;
    let batching: Vec<i64> = (0..batch).collect();
    let dims = GatherDims {
        offset_dims: (batch..dim).chain(dim + 1 + moved..rank + moved).collect(),
        collapsed_slice_dims: vec![dim],
        operand_batching_dims: batching.clone(),
        start_indices_batching_dims: batching,
        start_index_map: vec![dim],
        index_vector_dim: index_rank,
    };
    let one = |d: i64| d < batch || d == dim;
    let sizes: Vec<i64> =
        (0..).zip(operand.shape()).map(|(d, &size)| if one(d) { 1 } else { size }).collect();
    Ok(vec![gather(operand, index, &dims, &sizes, op.result_tensor(0).clone())?])
}
