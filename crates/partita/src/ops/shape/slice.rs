//! Boxes of elements: taken from a fixed index, taken from a computed one, and put in.

use crate::diagnostic::Diagnostic;
use crate::interpret::EvalError;
use crate::ir::{Attr, OpRef, Shape, TensorType, Type, names};
use crate::ops::check::{ensure, same_length, tensor_operand};
use crate::ops::{OpError, Work};
use crate::text::form::Types;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::Tensor;
use crate::value::strided::{Walk, copy_box, view};

/// `%x [0:2, 1:7:2] : (t) -> t`.
pub(super) fn parse_slice(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.operand()?;
    let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    op.lit("[")?;
    op.list_until(b']', |op| {
        starts.push(op.integer()?);
        op.lit(":")?;
        limits.push(op.integer()?);
        strides.push(if op.eat(b':') { op.integer()? } else { 1 });
        Ok(())
    })?;
    op.set(names::START_INDICES, Attr::i64s(starts));
    op.set(names::LIMIT_INDICES, Attr::i64s(limits));
    op.set(names::STRIDES, Attr::i64s(strides));
    op.attr_dict()?;
    op.lit(":")?;
    op.types(Types::Function)
}

/// The same back; steps of one are left out.
pub(super) fn print_slice(op: &mut OpPrinter<'_, '_>) {
    op.text(" ");
    op.operands();
    op.text(" [");
    let starts = op.op.ints(names::START_INDICES);
    let limits = op.op.ints(names::LIMIT_INDICES);
    let strides = op.op.ints(names::STRIDES);
    op.commas(starts.iter().zip(limits).zip(strides), |op, ((start, limit), stride)| {
        op.integer(*start);
        op.text(":");
        op.integer(*limit);
        if *stride != 1 {
            op.text(":");
            op.integer(*stride);
        }
    });
    op.text("]");
    op.attr_dict_except(&[names::START_INDICES, names::LIMIT_INDICES, names::STRIDES]);
    op.text(" : ");
    op.types(Types::Function);
}

/// As many elements as there are steps between start and limit.
pub(super) fn infer_slice(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let starts = op.ints(names::START_INDICES);
    let limits = op.ints(names::LIMIT_INDICES);
    let strides = op.ints(names::STRIDES);
    Ok(vec![sliced(tensor_operand(op, 0)?, starts, limits, strides)?.into()])
}

/// The type of a slice, where it lies in the operand.
pub(crate) fn sliced(
    operand: &TensorType,
    starts: &[i64],
    limits: &[i64],
    strides: &[i64],
) -> Result<TensorType, OpError> {
    for (name, list) in [("`start_indices`", starts), ("`limit_indices`", limits), ("`strides`", strides)] {
        same_length(name, list.len(), "the operand's shape", operand.rank())?;
    }
    let mut shape = Shape::new();
    for (d, &size) in operand.shape.iter().enumerate() {
        let (start, limit, stride) = (starts[d], limits[d], strides[d]);
        ensure!(start >= 0, "the start {start} of dimension {d} is negative");
        ensure!(start <= limit, "the start {start} of dimension {d} lies behind the limit {limit}");
        ensure!(limit <= size, "the limit {limit} of dimension {d} lies behind the size {size}");
        ensure!(stride > 0, "the stride {stride} of dimension {d} is not positive");
        let distance = limit - start;
        shape.push(distance / stride + i64::from(distance % stride != 0));
    }
    Ok(TensorType { elem: operand.elem, shape })
}

/// The box.
pub(super) fn eval_slice(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (starts, strides) = (op.ints(names::START_INDICES), op.ints(names::STRIDES));
    Ok(vec![slice(&operands[0], starts, strides, op.result_tensor(0).clone())])
}

/// The elements from an index on, with a step in each dimension, as many as the type says.
pub(crate) fn slice(operand: &Tensor, starts: &[i64], steps: &[i64], ty: TensorType) -> Tensor {
    // The step of a dimension with one element is never taken and may be absurdly large.
    let steps = steps.iter().zip(&ty.shape).map(|(&step, &size)| if size > 1 { step } else { 1 });
    let walk = Walk::from_index(operand.shape(), starts.iter().copied(), steps);
    view(operand, &walk, ty)
}

/// That the indices from an operand on are one integer per dimension, of one type.
fn verify_indices(op: OpRef<'_>, first: usize, rank: usize) -> Result<(), OpError> {
    let count = op.operands().len() - first;
    ensure!(count == rank, "there are {count} start indices for the operand's {rank} dimensions");
    for n in first..op.operands().len() {
        let index = tensor_operand(op, n)?;
        ensure!(
            index.rank() == 0 && index.elem.is_int(),
            "start index {} must be an integer without dimensions, but it is `{index}`",
            n - first
        );
        let one = tensor_operand(op, first)?;
        ensure!(
            index == one,
            "the start indices must have the same type, but index 0 is `{one}` and index {} is `{index}`",
            n - first
        );
    }
    Ok(())
}

/// The operand's elements in a box of the sizes given.
pub(super) fn infer_dynamic_slice(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, sizes) = (tensor_operand(op, 0)?, op.ints(names::SLICE_SIZES));
    verify_indices(op, 1, operand.rank())?;
    same_length("`slice_sizes`", sizes.len(), "the operand's shape", operand.rank())?;
    for (d, (&size, &all)) in sizes.iter().zip(&operand.shape).enumerate() {
        ensure!(
            (0..=all).contains(&size),
            "the slice size {size} of dimension {d} must lie between 0 and {all}, the operand's size"
        );
    }
    Ok(vec![TensorType::new(operand.elem, sizes.iter().copied()).into()])
}

/// Start indices moved so that a box of the sizes given lies inside the shape.
fn clamped<'a>(indices: &'a [Tensor], shape: &'a [i64], sizes: &'a [i64]) -> impl Iterator<Item = i64> + 'a {
    let rooms = shape.iter().zip(sizes).map(|(all, size)| all - size);
    indices.iter().zip(rooms).map(|(index, room)| index.item().as_index().clamp(0, room))
}

/// The box, moved inside the operand where it reaches out.
pub(super) fn eval_dynamic_slice(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, ty) = (&operands[0], op.result_tensor(0).clone());
    let walk = Walk::offset(operand.shape(), clamped(&operands[1..], operand.shape(), &ty.shape));
    Ok(vec![view(operand, &walk, ty)])
}

/// The operand's type.
pub(super) fn infer_dynamic_update_slice(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let (operand, update) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    ensure!(
        operand.elem == update.elem,
        "the operand holds {}, but the update holds {}",
        operand.elem,
        update.elem
    );
    ensure!(
        operand.rank() == update.rank(),
        "the operand `{operand}` and the update `{update}` must have the same number of dimensions"
    );
    verify_indices(op, 2, operand.rank())?;
    for (d, (size, all)) in update.shape.iter().zip(&operand.shape).enumerate() {
        ensure!(size <= all, "dimension {d} of the update has size {size}, more than the operand's {all}");
    }
    Ok(vec![operand.clone().into()])
}

/// The operand with the box replaced, moved inside where it reaches out.
pub(super) fn eval_dynamic_update_slice(_: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let (operand, update) = (&operands[0], &operands[1]);
    let same_splat =
        operand.is_splat() && update.is_splat() && operand.element_bytes(0) == update.element_bytes(0);
    if same_splat || update.is_empty() {
        return Ok(vec![operand.clone()]);
    }
    if operand.shape() == update.shape() {
        return Ok(vec![update.clone()]);
    }
    let target = Walk::offset(operand.shape(), clamped(&operands[2..], operand.shape(), update.shape()));
    let mut result = operand.clone().into_builder();
    copy_box(update.shape(), update, &Walk::whole(update.shape()), &mut result, &target);
    Ok(vec![result.finish()])
}

/// The update is read and written in place; what is around it stays.
pub(super) fn update_work(op: OpRef<'_>) -> Work {
    Work { flops: 0.0, bytes: 2.0 * op.operand_type(1).bytes() as f64 }
}
