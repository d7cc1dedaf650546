//! Checks that constraints are written with.

use super::def::OpError;
use crate::ir::{Elem, OpRef, TensorType, Type};

/// Returns an [`OpError`] from the function unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::ops::OpError::new(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

/// The n-th operand's tensor type, or an error that it has none.
pub(crate) fn tensor_operand<'m>(op: OpRef<'m>, n: usize) -> Result<&'m TensorType, OpError> {
    match op.operand_type(n) {
        Type::Tensor(t) => Ok(t),
        other => Err(OpError::new(format!("operand {n} must be a tensor, but it is `{other}`"))),
    }
}

/// The n-th result's tensor type, or an error that it has none.
pub(crate) fn tensor_result<'m>(op: OpRef<'m>, n: usize) -> Result<&'m TensorType, OpError> {
    match op.result_type(n) {
        Type::Tensor(t) => Ok(t),
        other => Err(OpError::new(format!("result {n} must be a tensor, but it is `{other}`"))),
    }
}

/// That a dimension number is in range.
pub(crate) fn dimension_in_range(what: &str, dimension: i64, rank: usize) -> Result<(), OpError> {
    ensure!(
        (0..rank as i64).contains(&dimension),
        "{what} is {dimension}, but there are only the dimensions 0 to {}",
        rank as i64 - 1
    );
    Ok(())
}

/// That dimension numbers are in range and each stands once.
pub(crate) fn dimensions_unique_in_range(what: &str, dims: &[i64], rank: usize) -> Result<(), OpError> {
    let mut seen = vec![false; rank];
    for &d in dims {
        dimension_in_range(what, d, rank)?;
        ensure!(!std::mem::replace(&mut seen[d as usize], true), "{what} names dimension {d} twice");
    }
    Ok(())
}

/// That two lists have the same length.
pub(crate) fn same_length(a_name: &str, a: usize, b_name: &str, b: usize) -> Result<(), OpError> {
    ensure!(a == b, "{a_name} has {a} entries, but {b_name} has {b}");
    Ok(())
}

/// That an operand's element type is one the op takes.
pub(crate) fn element_among(
    op: OpRef<'_>,
    n: usize,
    what: &str,
    accepts: fn(Elem) -> bool,
) -> Result<(), OpError> {
    let elem = tensor_operand(op, n)?.elem;
    ensure!(accepts(elem), "operand {n} must hold {what}, but it holds {elem}");
    Ok(())
}
