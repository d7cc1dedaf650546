//! Composites: an operation with a name and a function that computes the same.

use crate::diagnostic::Diagnostic;
use crate::interpret::DriverOp;
use crate::ir::{Attr, OpRef, Type, TypeId, names};
use crate::ops::Spread;
use crate::ops::check::ensure;
use crate::ops::def::{AttrKind, Count, Eval, OpDef, OpError, no_work, optional, required};
use crate::text::form::Form;
use crate::text::parse::OpParser;
use crate::text::print::OpPrinter;

pub static COMPOSITE: OpDef = OpDef {
    name: "stablehlo.composite",
    doc: "An operation made of others, which its decomposition names.",
    form: Form::Custom(parse, print),
    operands: Count::ANY,
    results: Count::ANY,
    regions: Count::ANY,
    attrs: &[
        optional(names::COMPOSITE_ATTRIBUTES, AttrKind::Dict),
        required(names::DECOMPOSITION, AttrKind::Symbol),
        required(names::NAME, AttrKind::Str),
        optional(names::VERSION, AttrKind::I32),
    ],
    verify,
    eval: Eval::Driver(DriverOp::Composite),
    // The decomposition does the work.
    work: no_work,
    spread: Spread::Whole("its decomposition may do anything"),
    ..OpDef::BASE
};

/// `"name" %a, %b ({…}, {…}) {…} : (…) -> …`.
fn parse(op: &mut OpParser<'_, '_>) -> Result<(), Box<Diagnostic>> {
    match op.attribute()? {
        name @ (Attr::Str(_) | Attr::Bytes(_)) => op.set(names::NAME, name),
        _ => return Err(op.error("expected the name of the composite as a string")),
    }
    if op.at_value() {
        op.operand()?;
        while op.eat(b',') {
            op.operand()?;
        }
    }
    if op.eat(b'(') {
        op.list_until(b')', |op| op.region())?;
    }
    op.attr_dict()?;
    op.lit(":")?;
    op.function_type()
}

fn print(p: &mut OpPrinter<'_, '_>) {
    p.text(" ");
    if let Some(name) = p.op.attr(names::NAME) {
        p.attr(name);
    }
    if !p.op.operands().is_empty() {
        p.text(" ");
        p.operands();
    }
    if !p.op.regions().is_empty() {
        p.text(" (");
        let regions = p.op.regions();
        p.commas(regions, |p, region| p.region(*region));
        p.text(")");
    }
    p.attr_dict_except(&[names::NAME]);
    p.text(" : ");
    p.function_type();
}

fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let name = op.str(names::NAME).unwrap_or_default();
    if !is_namespaced(name) {
        return Err(OpError::new(format!("`{name}` is not a name with a namespace"))
            .fix("write a namespace before it: `my_namespace.my_op`"));
    }
    let Some(symbol) = op.symbol(names::DECOMPOSITION) else { return Ok(()) };
    let symbol_name = &op.module.strings[symbol];
    let Some(decomposition) = op.module.func(symbol).map(|id| &op.module.funcs[id]) else {
        return Err(OpError::new(format!(
            "the decomposition `@{symbol_name}` is not a function of this module"
        )));
    };
    let types = |ids: &[TypeId]| ids.iter().map(|t| &op.module.types[*t]).collect::<Vec<&Type>>();
    for (what, own, theirs) in [
        ("operands", op.operand_types().collect::<Vec<_>>(), types(&decomposition.inputs)),
        ("results", op.result_types().collect(), types(&decomposition.results)),
    ] {
        ensure!(
            own.len() == theirs.len(),
            "there are {} {what}, but the decomposition `@{symbol_name}` has {}",
            own.len(),
            theirs.len()
        );
        for (n, (a, b)) in own.iter().zip(&theirs).enumerate() {
            ensure!(a == b, "{what}: number {n} is `{a}`, but `{b}` in the decomposition `@{symbol_name}`");
        }
    }
    Ok(())
}

/// Words of letters, digits, `_` and `$` with dots between them, at least two.
fn is_namespaced(name: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    let tail = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
    };
    match name.split_once('.') {
        Some((namespace, rest)) => word(namespace) && rest.split('.').all(tail),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_namespaced;

    #[test]
    fn names_need_a_namespace() {
        assert!(is_namespaced("stablehlo.add_n"));
        assert!(is_namespaced("a.b.c$1"));
        assert!(!is_namespaced("add"));
        assert!(!is_namespaced("1a.b"));
        assert!(!is_namespaced(".b"));
        assert!(!is_namespaced("a."));
        assert!(!is_namespaced("a.b c"));
    }
}
