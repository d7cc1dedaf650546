//! Tensors from nothing: `constant` and `iota`.

use crate::diagnostic::Diagnostic;
use crate::interpret::EvalError;
use crate::ir::{Attr, Elem, OpRef, TensorType, Type, names};
use crate::ops::OpError;
use crate::ops::check::{dimension_in_range, ensure, tensor_result};
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::tensor::strides;
use crate::value::{Scalar, Tensor};

/// `{…} dense<…> : t`; the result has the type of the value.
pub(super) fn parse_constant(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.attr_dict()?;
    let value = op.attribute()?;
    let Attr::Elements(tensor) = &value else {
        return Err(op.error("the value must be a constant such as `dense<0> : tensor<2xi32>`"));
    };
    let ty = Type::Tensor(tensor.ty().clone());
    let ty = op.module().types.intern(ty);
    op.set(names::VALUE, value);
    op.set_results([ty]);
    Ok(())
}

/// The same back.
pub(super) fn print_constant(op: &mut OpPrinter<'_, '_>) {
    op.attr_dict_except(&[names::VALUE]);
    op.text(" ");
    op.bare_attr(names::VALUE);
}

fn value(op: OpRef<'_>) -> Option<&Tensor> {
    match op.attr(names::VALUE)? {
        Attr::Elements(tensor) => Some(tensor),
        _ => None,
    }
}

/// The type of the value.
pub(super) fn infer_constant(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let value = value(op).ok_or_else(|| OpError::new("the attribute `value` is missing"))?;
    Ok(vec![value.ty().clone().into()])
}

/// The value.
pub(super) fn eval_constant(op: OpRef<'_>, _: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    Ok(value(op).cloned().into_iter().collect())
}

/// That numbers can count, and that there is the dimension to count in.
pub(super) fn verify_iota(op: OpRef<'_>) -> Result<(), OpError> {
    let result = tensor_result(op, 0)?;
    ensure!(result.elem != Elem::Bool, "the result must hold integers, floats or complex numbers, not i1");
    dimension_in_range("`iota_dimension`", op.int(names::IOTA_DIMENSION).unwrap_or(0), result.rank())
}

/// Indices along the dimension.
pub(super) fn eval_iota(op: OpRef<'_>, _: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let dimension = op.int(names::IOTA_DIMENSION).unwrap_or(0) as usize;
    Ok(vec![iota(op.result_tensor(0).clone(), dimension)])
}

/// A tensor whose elements are their own indices in a dimension.
pub(crate) fn iota(ty: TensorType, dimension: usize) -> Tensor {
    let (size, stride) = (ty.shape[dimension] as usize, strides(&ty.shape)[dimension] as usize);
    let elem = ty.elem;
    if size == 1 {
        return Tensor::splat(ty, Scalar::zero(elem));
    }
    Tensor::from_fn(ty, |i| Scalar::from_i64(elem, (i / stride % size) as i64))
}
