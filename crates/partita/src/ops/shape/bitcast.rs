//! `bitcast_convert`: the bits of a tensor read as another element type, little end first.

use crate::interpret::EvalError;
use crate::ir::OpRef;
use crate::ops::check::{ensure, tensor_operand, tensor_result};
use crate::ops::{ElementCx, OpError};
use crate::value::tensor::{read, write};
use crate::value::{Scalar, Tensor};

/// That both types have the same bits: wider elements are rows of narrower ones.
pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let (operand, result) = (tensor_operand(op, 0)?, tensor_result(op, 0)?);
    ensure!(
        operand.elem.is_complex() == result.elem.is_complex(),
        "complex numbers can only be read as complex numbers, but the operand holds {} and the result {}",
        operand.elem,
        result.elem
    );
    let (from, to) = (operand.elem.bits(), result.elem.bits());
    if from == to {
        ensure!(
            operand.shape == result.shape,
            "{} and {} have the same width, so the shapes must be the same, but they are `{operand}` and `{result}`",
            operand.elem,
            result.elem
        );
        return Ok(());
    }
    let (wide, narrow, narrow_name) =
        if from > to { (operand, result, "result") } else { (result, operand, "operand") };
    let (outer, last) = match narrow.shape.split_last() {
        Some((last, outer)) if outer == &wide.shape[..] => (outer, *last),
        _ => {
            let parts = wide.elem.bits() / narrow.elem.bits();
            let shape = wide.shape.iter().copied().chain([i64::from(parts)]);
            let follows = crate::ir::TensorType::new(narrow.elem, shape);
            return Err(OpError::new(format!(
                "`{operand}` cannot be read as `{result}`: the {narrow_name} must have one more dimension, \
                 behind those of `{wide}`"
            ))
            .fix(format!("make the {narrow_name} `{follows}`")));
        }
    };
    ensure!(
        last.checked_mul(i64::from(narrow.elem.bits())) == Some(i64::from(wide.elem.bits())),
        "{last} elements of type {} do not have the bits of one {} (dimension {} of the {narrow_name})",
        narrow.elem,
        wide.elem,
        outer.len()
    );
    Ok(())
}

/// The bits, read anew.
pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, ty) = (&operands[0], op.result_tensor(0).clone());
    let (from, to) = (operand.elem().bits(), ty.elem.bits());
    if from == to && from.is_multiple_of(8) {
        return Ok(vec![operand.with_elem(ty.elem)]);
    }
    let bytes = if from.is_multiple_of(8) && to.is_multiple_of(8) {
        operand.to_bytes()
    } else {
        regroup(operand, to, ty.count())
    };
    let result = Tensor::from_bytes(ty, &bytes);
    Ok(vec![result.ok_or_else(|| EvalError::new("the bits do not fill the result"))?])
}

/// The bits of one element, read anew: both types have as many.
pub(super) fn formula(cx: &ElementCx<'_>, elements: &[Scalar]) -> Scalar {
    let mut bytes = [0; 16];
    write(cx.operand, &mut bytes, 0, elements[0]);
    let bits = u128::from_le_bytes(bytes) & (u128::MAX >> (128 - cx.operand.bits()));
    // An element narrower than a byte has its sign in the bits that were cut off.
    read(cx.result, &bits.to_le_bytes(), 0).fit(cx.result)
}

/// The bytes of `count` elements of `to` bits that hold the operand's bits in order. Elements narrower than a
/// byte have one each.
fn regroup(operand: &Tensor, to: u32, count: usize) -> Vec<u8> {
    let from = operand.elem().bits();
    let size = to.div_ceil(8) as usize;
    let mask = u128::MAX >> (128 - to);
    let mut bytes = Vec::with_capacity(count * size);
    let (mut pending, mut held) = (0u128, 0);
    for i in 0..operand.len() {
        let mut element = [0; 16];
        let source = operand.element_bytes(i);
        element[..source.len()].copy_from_slice(source);
        pending |= (u128::from_le_bytes(element) & (u128::MAX >> (128 - from))) << held;
        held += from;
        while held >= to {
            bytes.extend_from_slice(&(pending & mask).to_le_bytes()[..size]);
            pending = pending.checked_shr(to).unwrap_or(0);
            held -= to;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Elem, TensorType};

    #[test]
    fn narrow_elements_are_packed_from_the_low_end() {
        let nibbles = Tensor::from_bytes(TensorType::new(Elem::Int(4), [2]), &[0xF, 0x3]).expect("two bytes");
        assert_eq!(regroup(&nibbles, 8, 1), [0x3F]);
        let byte = Tensor::from_bytes(TensorType::new(Elem::Uint(8), [1]), &[0x9C]).expect("one byte");
        assert_eq!(regroup(&byte, 4, 2), [0xC, 0x9]);
        assert_eq!(regroup(&byte, 2, 4), [0, 3, 1, 2]);
    }
}
