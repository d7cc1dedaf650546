//! Calls and returns.

use super::check::ensure;
use super::def::{AttrKind, Count, Eval, OpDef, OpError, Traits, no_work, optional, required};
use super::forms;
use super::spread::Spread;
use crate::diagnostic::Diagnostic;
use crate::interpret::DriverOp;
use crate::ir::{Attr, OpRef, Type, names};
use crate::text::form::Form;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;

pub static CALL: OpDef = OpDef {
    name: "func.call",
    doc: "Runs another function of the module.",
    form: Form::Custom(parse_call, print_call),
    operands: Count::ANY,
    results: Count::ANY,
    attrs: &[
        required(names::CALLEE, AttrKind::Symbol),
        optional(names::ARG_ATTRS, AttrKind::Array),
        optional(names::RES_ATTRS, AttrKind::Array),
        optional(names::NO_INLINE, AttrKind::Unit),
    ],
    verify: |op| calls_match(op, names::CALLEE),
    eval: Eval::Driver(DriverOp::Call),
    work: no_work,
    spread: Spread::Whole("calls are inlined before anything is sharded"),
    ..OpDef::BASE
};

pub static RETURN: OpDef = OpDef {
    name: "func.return",
    doc: "Ends a function with its results.",
    form: forms::RETURN_ATTRS_FIRST,
    operands: Count::ANY,
    results: Count::exactly(0),
    eval: Eval::Driver(DriverOp::Return),
    work: no_work,
    traits: Traits { terminator: true, ..Traits::NONE },
    spread: Spread::Nothing,
    ..OpDef::BASE
};

/// That the function an attribute names exists and takes and gives the types of an operation.
pub(super) fn calls_match(op: OpRef<'_>, attr: crate::ir::Sym) -> Result<(), OpError> {
    let module = op.module;
    let Some(name) = op.symbol(attr) else { return Ok(()) };
    let text = &module.strings[name];
    let Some(func) = module.func(name) else {
        return Err(OpError::new(format!("there is no function `@{text}`")));
    };
    let func = &module.funcs[func];
    let types_of =
        |ids: &[crate::ir::TypeId]| -> Vec<Type> { ids.iter().map(|id| module.types[*id].clone()).collect() };
    let (inputs, results) = (types_of(&func.inputs), types_of(&func.results));
    same_types("operand", op.operand_types(), &format!("`@{text}` takes"), &inputs)?;
    same_types("result", op.result_types(), &format!("`@{text}` gives"), &results)
}

fn same_types<'m>(
    what: &str,
    given: impl ExactSizeIterator<Item = &'m Type>,
    whose: &str,
    expected: &[Type],
) -> Result<(), OpError> {
    ensure!(given.len() == expected.len(), "{} {what}s, but {whose} {}", given.len(), expected.len());
    for (n, (given, expected)) in given.zip(expected).enumerate() {
        ensure!(given == expected, "{what} {n} is `{given}`, but {whose} `{expected}`");
    }
    Ok(())
}

fn parse_call(p: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    let callee = p.symbol()?;
    p.set(names::CALLEE, Attr::Symbol([callee].into()));
    p.lit("(")?;
    p.list_until(b')', |p| p.operand())?;
    p.attr_dict()?;
    p.lit(":")?;
    p.function_type()
}

fn print_call(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    if let Some(callee) = p.op.symbol(names::CALLEE) {
        p.symbol(callee);
    }
    p.text("(");
    p.operands();
    p.text(")");
    p.attr_dict_except(&[names::CALLEE]);
    p.text(" : ");
    p.function_type();
}
