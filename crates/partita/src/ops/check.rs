//! Checks that constraints are written with.

use super::def::OpError;
use crate::ir::{Attr, Elem, OpRef, TensorType, Type, names};

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
    ensure!((0..rank as i64).contains(&dimension), "{what} is {dimension}, but {}", dimensions(rank));
    Ok(())
}

/// That dimension numbers are in range and each stands once.
pub(crate) fn dimensions_unique_in_range(what: &str, dims: &[i64], rank: usize) -> Result<(), OpError> {
    let mut seen = vec![false; rank];
    for &d in dims {
        ensure!((0..rank as i64).contains(&d), "{what} names dimension {d}, but {}", dimensions(rank));
        ensure!(!std::mem::replace(&mut seen[d as usize], true), "{what} names dimension {d} twice");
    }
    Ok(())
}

/// Which dimensions there are, for messages.
fn dimensions(rank: usize) -> String {
    match rank {
        0 => "there are no dimensions".into(),
        1 => "there is only dimension 0".into(),
        _ => format!("there are only the dimensions 0 to {}", rank - 1),
    }
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

/// That `precision_config`, where it is given, has an entry for each of the two operands.
pub(crate) fn precision_config_has_two(op: OpRef<'_>) -> Result<(), OpError> {
    if let Some(Attr::Array(list)) = op.attr(names::PRECISION_CONFIG) {
        ensure!(
            list.is_empty() || list.len() == 2,
            "precision_config has {} entries, but there are two operands",
            list.len()
        );
    }
    Ok(())
}

/// The element types that a region of tensors without dimensions takes and returns.
pub(crate) struct ScalarSignature {
    pub args: Vec<Elem>,
    pub results: Vec<Elem>,
}

/// The signature of the n-th region, which is called `what` in messages.
pub(crate) fn scalar_signature(op: OpRef<'_>, n: usize, what: &str) -> Result<ScalarSignature, OpError> {
    let scalars = |role: &str, types: Vec<&Type>| -> Result<Vec<Elem>, OpError> {
        let scalar = |(i, ty): (usize, &Type)| match ty {
            Type::Tensor(t) if t.rank() == 0 => Ok(t.elem),
            other => Err(OpError::new(format!(
                "{role} {i} of {what} is `{other}`, but it must be a tensor without dimensions"
            ))),
        };
        types.into_iter().enumerate().map(scalar).collect()
    };
    Ok(ScalarSignature {
        args: scalars("argument", region_types(op, n))?,
        results: scalars("result", returned_types(op, n)?)?,
    })
}

/// The types of a region's arguments.
pub(crate) fn region_types<'m>(op: OpRef<'m>, n: usize) -> Vec<&'m Type> {
    op.region(n).args.iter().map(|arg| op.module.type_of(arg)).collect()
}

/// The types of what a region returns, or an error that it does not.
pub(crate) fn returned_types<'m>(op: OpRef<'m>, n: usize) -> Result<Vec<&'m Type>, OpError> {
    let last = op.region(n).ops.last().map(|&last| op.module.op(last));
    match last {
        Some(last) if last.def().traits.terminator => Ok(last.operand_types().collect()),
        _ => Err(OpError::new(format!("region {n} does not end with a return"))),
    }
}

/// That two lists of types are the same.
pub(crate) fn same_type_lists(
    given_name: &str,
    given: &[&Type],
    expected_name: &str,
    expected: &[&Type],
) -> Result<(), OpError> {
    ensure!(
        given.len() == expected.len(),
        "{given_name} {} values, but {expected_name} {}",
        given.len(),
        expected.len()
    );
    for (n, (given, expected)) in given.iter().zip(expected).enumerate() {
        ensure!(given == expected, "{given_name} `{given}` as value {n}, but {expected_name} `{expected}`");
    }
    Ok(())
}
