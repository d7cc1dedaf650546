//! The verifier: everything that must hold of a module before anything else looks at it.
//!
//! * Every operation has as many operands, results and regions as its row says.
//! * Attributes that belong to an op are of the right kind, and the required ones are there.
//! * The types of the results are the ones that follow from operands and attributes.
//! * The constraints of the specification hold.
//! * Every region ends with a terminator, which stands nowhere else.

use crate::diagnostic::Diagnostic;
use crate::ir::{Module, OpRef, Type};
use crate::ops::{Count, OpError};

/// After so many errors the verifier stops.
const MAX_ERRORS: usize = 20;

/// Checks a whole module, and says everything that is wrong with it.
pub fn verify(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for id in module.ops.ids() {
        let op = module.op(id);
        if let Err(error) = verify_op(op) {
            errors.push(diagnostic(op, error));
            if errors.len() == MAX_ERRORS {
                break;
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn diagnostic(op: OpRef<'_>, error: OpError) -> Diagnostic {
    let message = format!("`{}`: {}", op.def().name, error.message);
    let mut diagnostic = Diagnostic::new("constraint", op.op().span, message);
    diagnostic.fix = error.fix;
    if !op.op().results.is_empty() {
        diagnostic.value = Some(op.module.value_name(op.op().results.at(0)));
    }
    if let Some(line) = op.module.source_line(op.op().loc) {
        diagnostic.label = format!("from {line}");
    }
    diagnostic
}

/// Checks one operation.
pub fn verify_op(op: OpRef<'_>) -> Result<(), OpError> {
    let def = op.def();
    count("operand", def.operands, op.operands().len())?;
    count("result", def.results, op.op().results.len())?;
    count("region", def.regions, op.regions().len())?;
    for attr in def.attrs {
        match op.attr(attr.name) {
            Some(given) if attr.kind.holds(given) => {}
            Some(_) => {
                let name = &op.module.strings[attr.name];
                return Err(OpError::new(format!("the attribute `{name}` must be {}", attr.kind.describe())));
            }
            None if attr.required => {
                let name = &op.module.strings[attr.name];
                return Err(OpError::new(format!("the attribute `{name}` is missing"))
                    .fix(format!("add `{name}`: {}", attr.kind.describe())));
            }
            None => {}
        }
    }
    (def.verify)(op)?;
    if let Some(infer) = def.infer {
        let inferred = infer(op)?;
        for (n, (given, follows)) in op.result_types().zip(&inferred).enumerate() {
            if given != follows {
                return Err(wrong_type(n, given, follows));
            }
        }
    }
    Ok(())
}

fn wrong_type(n: usize, given: &Type, follows: &Type) -> OpError {
    OpError::new(format!("result {n} is `{given}`, but from the operands follows `{follows}`"))
        .fix(format!("make the result type `{follows}`"))
}

fn count(what: &str, expected: Count, found: usize) -> Result<(), OpError> {
    if expected.holds(found) {
        return Ok(());
    }
    let plural = if expected.max == 1 { "" } else { "s" };
    Err(OpError::new(format!("expected {expected} {what}{plural}, found {found}")))
}
