//! `tests/run`: programs that check their own results.
//!
//! `@main` is run, or where there is none every function without arguments.

use libtest_mimic::Failed;
use partita::Module;
use partita::interpret::{RunOptions, Value, run};
use partita::ir::{FuncId, Type};
use partita::value::{Scalar, Tensor};
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let module = super::read(&text).map_err(|errors| super::describe(&text, &errors))?;
    let functions = entry_points(&module);
    if functions.is_empty() {
        return Err("there is no function to run".into());
    }
    for function in functions {
        let name = &module.strings[module.funcs[function].name];
        let args = arguments(&module, function).ok_or_else(|| format!("@{name} takes more than tensors"))?;
        run(&module, function, args, &mut RunOptions::default()).map_err(|error| {
            let span = error.failures[0].span;
            let (line, _) = partita::diagnostic::line_column(&text, span.start);
            format!("@{name}, line {line}: {error}")
        })?;
    }
    Ok(())
}

/// `@main`, or all functions without arguments, or all functions.
fn entry_points(module: &Module) -> Vec<FuncId> {
    if let Some(main) = module.func_named("main") {
        return vec![main];
    }
    let with_body = |id: &FuncId| module.funcs[*id].body.is_some();
    let (plain, other): (Vec<_>, Vec<_>) =
        module.funcs.ids().filter(with_body).partition(|id| module.funcs[*id].inputs.is_empty());
    if plain.is_empty() { other } else { plain }
}

/// Zeros for everything that a function takes.
fn arguments(module: &Module, function: FuncId) -> Option<Vec<Value>> {
    let zero = |ty: &Type| {
        let ty = ty.as_tensor()?.clone();
        Some(Value::Tensor(Tensor::splat(ty, Scalar::Bool(false))))
    };
    module.funcs[function].inputs.iter().map(|ty| zero(&module.types[*ty])).collect()
}
