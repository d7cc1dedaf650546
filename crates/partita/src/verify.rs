//! The verifier: everything that must hold of a module before anything else looks at it.
//!
//! * Every operation has as many operands, results and regions as its row says.
//! * Attributes that belong to an op are of the right kind, and the required ones are there.
//! * The types of the results are the ones that follow from operands and attributes.
//! * The constraints of the specification hold.
//! * Every region ends with the return of its kind, which stands nowhere else; a function may also end as the region of an op does.
//! * A function returns what its type says.
//! * No function calls itself, and with all calls inlined none has more operations than [`crate::inline::MAX_OPS`].

use crate::diagnostic::Diagnostic;
use crate::inline;
use crate::ir::{Func, Module, OpId, OpRef, RegionId, Type};
use crate::ops::check::same_type_lists;
use crate::ops::{Count, FUNCTION_ENDS, OpError, OpKind};

/// After so many errors the verifier stops.
const MAX_ERRORS: usize = 20;

/// Checks a whole module, and says everything that is wrong with it, in the order of the text.
pub fn verify(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for func in module.funcs.iter() {
        errors.extend(verify_func(module, func));
    }
    for id in module.reachable_ops() {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let op = module.op(id);
        let structure = verify_regions(op);
        // What an op asks of its regions is worth checking only where they are regions at all.
        let checked = if structure.is_some() { Ok(()) } else { verify_op(op) };
        errors.extend(structure);
        errors.extend(checked.err().map(|error| diagnostic(op, error)));
    }
    if errors.is_empty() {
        errors.extend(verify_calls(module));
    }
    errors.sort_by_key(|error| error.span.start);
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks that no function calls itself, and that calls do not add up to more than can be run.
fn verify_calls(module: &Module) -> Option<Diagnostic> {
    match inline::sizes(module) {
        Ok(sizes) => sizes.enumerate().find_map(|(func, size)| inline::check_size(module, func, *size).err()),
        Err(error) => Some(error),
    }
}

/// Checks that a function ends with a return of its results.
fn verify_func(module: &Module, func: &Func) -> Option<Diagnostic> {
    let body = func.body?;
    let name = &module.strings[func.name];
    let last = match check_end(module, body, FUNCTION_ENDS) {
        Ok(last) => last,
        Err(End::Missing) => {
            let message = format!("`@{name}` must end with `return`");
            return Some(Diagnostic::new("structure", func.span, message));
        }
        Err(End::Early(op)) => return Some(diagnostic(module.op(op), nothing_may_follow())),
    };
    let returned: Vec<&Type> = module.op(last).operand_types().collect();
    let results: Vec<&Type> = func.results.iter().map(|ty| &module.types[*ty]).collect();
    let fits = same_type_lists("it returns", &returned, &format!("`@{name}` gives"), &results);
    fits.err().map(|error| diagnostic(module.op(last), error))
}

/// Checks that each region of an operation ends with a return.
fn verify_regions(op: OpRef<'_>) -> Option<Diagnostic> {
    let terminator = op.def().region_end;
    for (n, &region) in op.regions().iter().enumerate() {
        match check_end(op.module, region, &[terminator]) {
            Ok(_) => {}
            Err(End::Missing) => {
                let message = format!("region {n} must end with `{}`", terminator.def().name);
                return Some(diagnostic(op, OpError::new(message)));
            }
            Err(End::Early(inner)) => return Some(diagnostic(op.module.op(inner), nothing_may_follow())),
        }
    }
    None
}

fn nothing_may_follow() -> OpError {
    OpError::new("it ends its region, but other operations follow")
}

/// What is wrong with the end of a region.
enum End {
    /// The last operation is not the right return.
    Missing,
    /// There is a return before the end.
    Early(OpId),
}

/// The operation that ends a region.
fn check_end(module: &Module, region: RegionId, terminators: &[OpKind]) -> Result<OpId, End> {
    let ops = &module.regions[region].ops;
    let Some((&last, before)) = ops.split_last() else { return Err(End::Missing) };
    if let Some(&early) = before.iter().find(|op| module.ops[**op].kind.def().traits.terminator) {
        return Err(End::Early(early));
    }
    if terminators.contains(&module.ops[last].kind) { Ok(last) } else { Err(End::Missing) }
}

fn diagnostic(op: OpRef<'_>, error: OpError) -> Diagnostic {
    let message = format!("`{}`: {}", op.def().name, error.message);
    let mut diagnostic = Diagnostic::new("constraint", op.op().span, message);
    diagnostic.fix = error.fix;
    if !op.op().results.is_empty() {
        diagnostic.value = Some(op.module.value_name(op.op().results.at(0)));
    }
    if let Some(line) = op.module.source_line(op.op().loc) {
        diagnostic.label = format!("from {line}").into();
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
        let (given, expected) = (op.op().results.len(), inferred.len());
        if given != expected {
            return Err(OpError::new(format!(
                "it has {given} results, but {expected} follow from its operands"
            )));
        }
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
