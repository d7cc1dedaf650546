//! `pad`: elements added around and between, or taken away from the edges.

use crate::interpret::EvalError;
use crate::ir::{OpRef, Shape, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{ensure, same_length, tensor_operand};
use crate::value::Tensor;
use crate::value::strided::{Walk, copy_box};

/// The operand's shape with the padding.
pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, value) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    verify_value(operand, value)?;
    let low = op.ints(names::EDGE_PADDING_LOW);
    let high = op.ints(names::EDGE_PADDING_HIGH);
    let interior = op.ints(names::INTERIOR_PADDING);
    Ok(vec![padded(operand, low, high, interior)?.into()])
}

/// That the padding is one element of the operand's type.
pub(crate) fn verify_value(operand: &TensorType, value: &TensorType) -> Result<(), OpError> {
    let expected = TensorType::scalar(operand.elem);
    ensure!(*value == expected, "the padding value must be `{expected}`, but it is `{value}`");
    Ok(())
}

/// The type of a padded tensor.
pub(crate) fn padded(
    operand: &TensorType,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<TensorType, OpError> {
    let lists =
        [("`edge_padding_low`", low), ("`edge_padding_high`", high), ("`interior_padding`", interior)];
    for (name, list) in lists {
        same_length(name, list.len(), "the operand's shape", operand.rank())?;
    }
    let mut shape = Shape::new();
    for (d, &size) in operand.shape.iter().enumerate() {
        let between = interior[d];
        ensure!(between >= 0, "the interior padding {between} of dimension {d} is negative");
        let gaps = i128::from((size - 1).max(0)) * i128::from(between);
        let padded = i128::from(size) + i128::from(low[d]) + gaps + i128::from(high[d]);
        ensure!(padded >= 0, "the padding leaves dimension {d} with size {padded}");
        let Ok(padded) = i64::try_from(padded) else {
            return Err(OpError::new(format!("the padding makes dimension {d} too large: {padded}")));
        };
        shape.push(padded);
    }
    Ok(TensorType { elem: operand.elem, shape })
}

/// The operand with the padding.
pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let low = op.ints(names::EDGE_PADDING_LOW);
    let interior = op.ints(names::INTERIOR_PADDING);
    Ok(vec![pad(&operands[0], &operands[1], low, interior, op.result_tensor(0).clone())])
}

/// The elements of a dimension that stay, and where the first goes.
struct Kept {
    first: i64,
    count: i64,
    to: i64,
    step: i64,
}

/// Which of `size` elements stay where element `i` goes to `low + i * (interior + 1)` of `room` places.
fn kept(size: i64, low: i64, interior: i64, room: i64) -> Kept {
    let (size, low, room) = (i128::from(size), i128::from(low), i128::from(room));
    let step = i128::from(interior) + 1;
    let first = if low < 0 { (-low + step - 1) / step } else { 0 };
    let end = if room > low { ((room - 1 - low) / step + 1).min(size) } else { 0 };
    let count = (end - first).max(0);
    // Where at most one element stays, the step is never taken and may not fit.
    let step = if count > 1 { step as i64 } else { 1 };
    let to = if count > 0 { (low + first * (i128::from(interior) + 1)) as i64 } else { 0 };
    Kept { first: if count > 0 { first as i64 } else { 0 }, count: count as i64, to, step }
}

/// The operand in a tensor of padding values.
pub(crate) fn pad(operand: &Tensor, value: &Tensor, low: &[i64], interior: &[i64], ty: TensorType) -> Tensor {
    let padding = value.repeat_element(0, ty.shape.iter().copied());
    if operand.is_splat() && operand.element_bytes(0) == padding.element_bytes(0) {
        return padding;
    }
    let kept: Vec<Kept> = operand
        .shape()
        .iter()
        .zip(low.iter().zip(interior))
        .zip(&ty.shape)
        .map(|((&size, (&low, &interior)), &room)| kept(size, low, interior, room))
        .collect();
    let shape: Shape = kept.iter().map(|k| k.count).collect();
    if shape.contains(&0) {
        return padding;
    }
    let source = Walk::offset(operand.shape(), kept.iter().map(|k| k.first));
    let target = Walk::from_index(&ty.shape, kept.iter().map(|k| k.to), kept.iter().map(|k| k.step));
    let mut result = padding.into_builder();
    copy_box(&shape, operand, &source, &mut result, &target);
    result.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Elem;
    use crate::value::Scalar;

    fn padded_ints(values: &[i64], low: i64, high: i64, interior: i64) -> Vec<i64> {
        let operand = Tensor::from_i64s(values);
        let value = Tensor::scalar(Elem::Int(64), Scalar::Int(0));
        let ty = padded(operand.ty(), &[low], &[high], &[interior]).expect("a valid padding");
        pad(&operand, &value, &[low], &[interior], ty).to_i64s()
    }

    #[test]
    fn padding_may_be_negative_and_between() {
        assert_eq!(padded_ints(&[1, 2, 3], 1, 2, 0), [0, 1, 2, 3, 0, 0]);
        assert_eq!(padded_ints(&[1, 2, 3], 0, 0, 1), [1, 0, 2, 0, 3]);
        assert_eq!(padded_ints(&[1, 2, 3], -1, 1, 1), [0, 2, 0, 3, 0]);
        assert_eq!(padded_ints(&[1, 2, 3], -2, -1, 2), [0, 2, 0, 0]);
        assert_eq!(padded_ints(&[1, 2, 3], -4, 2, 0), [0]);
        assert_eq!(padded_ints(&[1, 2, 3], 4, -4, 0), [0, 0, 0]);
        assert_eq!(padded_ints(&[], 1, 1, 5), [0, 0]);
        assert_eq!(padded_ints(&[7], i64::MAX, -i64::MAX, i64::MAX), [0]);
    }
}
