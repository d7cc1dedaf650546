//! Which types elementwise ops take, and which they give.

use crate::ir::{Elem, OpRef, TensorType, Type};
use crate::ops::OpError;
use crate::ops::check::{ensure, tensor_operand, tensor_result};

/// That all operands have one type, whose elements the op takes.
fn same_operands(op: OpRef<'_>, what: &str, accepts: fn(Elem) -> bool) -> Result<(), OpError> {
    let first = tensor_operand(op, 0)?;
    ensure!(accepts(first.elem), "operand 0 must hold {what}, but it holds {}", first.elem);
    for n in 1..op.operands().len() {
        let other = tensor_operand(op, n)?;
        ensure!(
            other == first,
            "the operands must have the same type, but operand 0 is `{first}` and operand {n} is `{other}`"
        );
    }
    Ok(())
}

/// Operands of one type, whatever it is.
pub(crate) fn anything(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "elements", |_| true)
}

/// Operands of one floating-point type.
pub(crate) fn floats(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "floats", Elem::is_float)
}

/// Operands of one floating-point or complex type.
pub(crate) fn floats_or_complex(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "floats or complex numbers", |e| e.is_float() || e.is_complex())
}

/// Operands of one integer type.
pub(crate) fn integers(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "integers", Elem::is_int)
}

/// Operands of one integer type, or booleans.
pub(crate) fn bits_or_bools(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "booleans or integers", |e| e.is_int() || e == Elem::Bool)
}

/// Operands of one type other than booleans.
pub(crate) fn any_numbers(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "integers, floats or complex numbers", |e| e != Elem::Bool)
}

/// Operands of one type with a sign.
pub(crate) fn signed_numbers(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "signed integers, floats or complex numbers", |e| {
        !matches!(e, Elem::Bool | Elem::Uint(_))
    })
}

/// The parts of complex numbers: two tensors of `f32` or of `f64`.
pub(crate) fn complex_parts(op: OpRef<'_>) -> Result<(), OpError> {
    same_operands(op, "f32 or f64", |e| matches!(e, Elem::F32 | Elem::F64))
}

/// That the result has the operand's shape; its element type is free.
pub(crate) fn convert(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    if operand.shape != result.shape {
        let follows = operand.with_elem(result.elem);
        return Err(OpError::new(format!(
            "the result is `{result}`, but it must have the shape of the operand `{operand}`"
        ))
        .fix(format!("make the result type `{follows}`")));
    }
    Ok(())
}

/// Bounds of one element or of the operand's shape, all of one element type.
pub(crate) fn clamp(op: OpRef<'_>) -> Result<(), OpError> {
    let operand = tensor_operand(op, 1)?;
    for (n, name) in [(0, "min"), (2, "max")] {
        let bound = tensor_operand(op, n)?;
        ensure!(
            bound.elem == operand.elem,
            "`{name}` holds {}, but the operand holds {}",
            bound.elem,
            operand.elem
        );
        ensure!(
            bound.rank() == 0 || bound.shape == operand.shape,
            "`{name}` is `{bound}`: it must have no dimensions or those of the operand `{operand}`"
        );
    }
    Ok(())
}

/// A predicate of one element or of the shape of the alternatives, which have one type.
pub(crate) fn select(op: OpRef<'_>) -> Result<(), OpError> {
    let (pred, on_true, on_false) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_operand(op, 2)?);
    ensure!(pred.elem == Elem::Bool, "the predicate must hold i1, but it holds {}", pred.elem);
    ensure!(
        on_true == on_false,
        "the alternatives must have the same type, but they are `{on_true}` and `{on_false}`"
    );
    ensure!(
        pred.rank() == 0 || pred.shape == on_true.shape,
        "the predicate is `{pred}`: it must have no dimensions or those of the alternatives `{on_true}`"
    );
    Ok(())
}

fn one(ty: TensorType) -> Result<Vec<Type>, OpError> {
    Ok(vec![ty.into()])
}

/// The type of the first operand.
pub(crate) fn same_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    one(tensor_operand(op, 0)?.clone())
}

/// The shape of the first operand with the element type of its real part.
pub(crate) fn real_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let operand = tensor_operand(op, 0)?;
    one(operand.with_elem(operand.elem.real()))
}

/// The shape of the first operand with booleans.
pub(crate) fn bool_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    one(tensor_operand(op, 0)?.with_elem(Elem::Bool))
}

/// The shape of the first operand with complex numbers of its elements.
pub(crate) fn complex_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let operand = tensor_operand(op, 0)?;
    one(operand.with_elem(if operand.elem == Elem::F64 { Elem::C128 } else { Elem::C64 }))
}

/// The type of what is clamped.
pub(crate) fn clamp_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    one(tensor_operand(op, 1)?.clone())
}

/// The type of the alternatives.
pub(crate) fn select_type(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    one(tensor_operand(op, 1)?.clone())
}
