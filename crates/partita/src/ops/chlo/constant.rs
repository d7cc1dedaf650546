//! Constants.

use crate::diagnostic::Diagnostic;
use crate::interpret::EvalError;
use crate::ir::attr::IntType;
use crate::ir::{Attr, Elem, OpRef, Type, names};
use crate::ops::check::tensor_operand;
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, no_work, required};
use crate::ops::spread::Spread;
use crate::ops::unit::Unit;
use crate::text::form::Form;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::{Scalar, Tensor};

pub static CONSTANT: OpDef = OpDef {
    name: "chlo.constant",
    doc: "A constant.",
    form: Form::Custom(parse, print),
    operands: Count::exactly(0),
    attrs: &[required(names::VALUE, AttrKind::Elements)],
    infer: Some(|op| {
        Ok(match op.attr(names::VALUE) {
            Some(Attr::Elements(tensor)) => vec![Type::Tensor(tensor.ty().clone())],
            _ => Vec::new(),
        })
    }),
    eval: Eval::Kernel(|op, _| match op.attr(names::VALUE) {
        Some(Attr::Elements(tensor)) => Ok(vec![Tensor::clone(tensor)]),
        _ => Err(EvalError::new("the constant has no elements")),
    }),
    unit: Unit::Nowhere,
    work: no_work,
    spread: Spread::Constant,
    ..OpDef::BASE
};

fn parse(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    op.attr_dict()?;
    let Attr::Elements(tensor) = op.attribute()? else {
        return Err(op.error("expected a constant `dense<…> : tensor<…>`"));
    };
    let ty = op.module().types.intern(Type::Tensor(tensor.ty().clone()));
    op.set(names::VALUE, Attr::Elements(tensor));
    op.set_results([ty]);
    Ok(())
}

fn print(p: &mut OpPrinter<'_, '_>) {
    p.attr_dict_except(&[names::VALUE]);
    p.text(" ");
    if let Some(value) = p.op.attr(names::VALUE) {
        p.attr(value);
    }
}

pub static CONSTANT_LIKE: OpDef = OpDef {
    name: "chlo.constant_like",
    doc: "One value in the shape of the operand.",
    operands: Count::exactly(1),
    attrs: &[required(names::VALUE, AttrKind::Any)],
    infer: Some(|op| {
        let (elem, _) = value(op)?;
        Ok(vec![Type::Tensor(tensor_operand(op, 0)?.with_elem(elem))])
    }),
    eval: Eval::Kernel(|op, _| {
        let (_, value) = value(op).map_err(|e| EvalError::new(e.message))?;
        Ok(vec![Tensor::splat(op.result_tensor(0).clone(), value)])
    }),
    unit: Unit::Elements,
    work: no_work,
    spread: Spread::Constant,
    ..OpDef::BASE
};

/// The number that `constant_like` repeats.
fn value(op: OpRef<'_>) -> Result<(Elem, Scalar), OpError> {
    match op.attr(names::VALUE) {
        Some(Attr::Bool(b)) => Ok((Elem::Bool, Scalar::Bool(*b))),
        Some(Attr::Int(v, IntType::Elem(elem @ Elem::Uint(_)))) => Ok((*elem, Scalar::Uint(*v as u64))),
        Some(Attr::Int(v, IntType::Elem(elem))) => Ok((*elem, Scalar::Int(*v))),
        Some(attr @ Attr::Float(_, elem)) => Ok((*elem, Scalar::Float(attr.as_float().unwrap_or(f64::NAN)))),
        _ => Err(OpError::new("the attribute `value` must be a number with its type")),
    }
}
