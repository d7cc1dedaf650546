//! Calls of functions that are known by name only.

use super::{layouts, targets};
use crate::diagnostic::Diagnostic;
use crate::interpret::EvalError;
use crate::ir::{Attr, OpRef, Type, names};
use crate::ops::check::ensure;
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, Work, bytes_moved, optional, required};
use crate::ops::sharding;
use crate::ops::spread::{Flow, Spread};
use crate::text::form::Form;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;
use crate::value::Tensor;

pub static CUSTOM_CALL: OpDef = OpDef {
    name: "stablehlo.custom_call",
    doc: "Calls a function that is known by its name only.",
    form: Form::Custom(parse, print),
    operands: Count::ANY,
    results: Count::ANY,
    attrs: &[
        optional(names::API_VERSION, AttrKind::I32),
        optional(names::BACKEND_CONFIG, AttrKind::Any),
        required(names::CALL_TARGET_NAME, AttrKind::Str),
        optional(names::CALLED_COMPUTATIONS, AttrKind::Array),
        optional(names::HAS_SIDE_EFFECT, AttrKind::Bool),
        optional(names::OPERAND_LAYOUTS, AttrKind::Array),
        optional(names::OUTPUT_OPERAND_ALIASES, AttrKind::Array),
        optional(names::RESULT_LAYOUTS, AttrKind::Array),
        optional(names::RESULT_TILINGS, AttrKind::Array),
    ],
    verify,
    eval: Eval::Kernel(eval),
    work,
    spread: Spread::Rule(sharding::call::custom_call, Flow::Ordinary),
    localise: targets::localise,
    ordered: targets::ordering,
    traits: Traits { format: true, ..Traits::NONE },
    ..OpDef::BASE
};

/// `@target(%a, %b) {…} : (…) -> …`.
fn parse(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    let target = op.symbol()?;
    op.set(names::CALL_TARGET_NAME, Attr::Str(target));
    op.lit("(")?;
    op.list_until(b')', |op| op.operand())?;
    op.attr_dict()?;
    op.lit(":")?;
    op.function_type()
}

fn print(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    if let Some(target) = p.op.attr(names::CALL_TARGET_NAME).and_then(Attr::as_str) {
        p.symbol(target);
    }
    p.text("(");
    p.operands();
    p.text(")");
    p.attr_dict_except(&[names::CALL_TARGET_NAME]);
    p.text(" : ");
    p.function_type();
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    if let Some(config) = op.attr(names::BACKEND_CONFIG) {
        ensure!(
            matches!(config, Attr::Str(_) | Attr::Bytes(_) | Attr::Dict(_)),
            "`backend_config` must be a string or a dictionary"
        );
    }
    if let Some(Attr::Array(called)) = op.attr(names::CALLED_COMPUTATIONS) {
        // Whether the functions are in this module is not asked: only the called code has to find them.
        ensure!(
            called.iter().all(|c| matches!(c, Attr::Symbol(_))),
            "`called_computations` must be a list of functions such as `@f`"
        );
    }
    layouts::verify(op)?;
    layouts::verify_aliases(op)?;
    match targets::find(op.str(names::CALL_TARGET_NAME).unwrap_or_default()) {
        Some(target) => (target.verify)(op),
        // The code may be there where the program is run.
        None => Ok(()),
    }
}

fn eval(op: OpRef<'_>, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let name = op.str(names::CALL_TARGET_NAME).unwrap_or_default();
    let Some(target) = targets::find(name) else {
        return Err(EvalError::new(format!("there is no code here for the call target `{name}`")));
    };
    let tensors = |ty: &Type| match ty {
        Type::Tensor(_) => true,
        // One tuple of tensors is what several results once were; the interpreter packs it.
        Type::Tuple(parts) => op.op().results.len() == 1 && parts.iter().all(|p| p.as_tensor().is_some()),
        _ => false,
    };
    if !op.result_types().all(tensors) {
        return Err(EvalError::new(format!("the call of `{name}` gives something else than tensors")));
    }
    (target.eval)(op, args)
}

fn work(op: OpRef<'_>) -> Work {
    let target = targets::find(op.str(names::CALL_TARGET_NAME).unwrap_or_default());
    Work { flops: target.map_or(0.0, |t| (t.flops)(op)), bytes: bytes_moved(op) }
}
