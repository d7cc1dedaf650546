//! The executor beside its oracle, the reference interpreter: one test per program.
//!
//! * Programs that check their own results (`tests/run`, and the corpora where they are present) must pass on it, and must be compiled
//!   unless they do what is left to the interpreter.
//! * The examples, the programs that are partitioned and those of the corpora must give what the interpreter gives on the same inputs:
//!   the same bits where arithmetic is exact, as near to the widened program where it rounds.
//! * The examples on all devices of their meshes give the same bits on any number of threads.
//!
//! `cargo test -p partita-exec --test oracle checks/` runs a part.

#[path = "../../../partita/tests/common/mod.rs"]
mod common;

use libtest_mimic::{Arguments, Failed, Trial};
use partita::equal::{Unverified, verify_engine};
use partita::interpret::{self, RunError, RunOptions, Value, run};
use partita::ir::{FuncId, Type};
use partita::sharding::apply::Completion;
use partita::value::{Scalar, Tensor};
use partita::{Compiler, Module};
use std::path::Path;

/// Folders of the corpora whose programs check their own results.
const WITH_CHECKS: [&str; 2] = ["stablehlo/interpret", "stablehlo/testdata"];

/// Programs that are left out, by a part of their names:
/// * What the first expects is known to be inaccurate; its authors leave it out too.
/// * The second wants sums of narrow floats rounded at each step; here they are summed in `f32` and rounded once.
/// * The others are refused when they are read.
const LEFT_OUT: [&str; 4] =
    ["cumprod_complex64_8_9", "reduce_rounding", "quantized", "dynamic_shaped_func_output_skipped"];

fn main() {
    let mut tests = Vec::new();
    let root = common::repository();
    let mut add = |name: &str, folder: &Path, test: fn(&Path) -> Result<(), Failed>| {
        for (program, path) in common::programs(folder) {
            let ignored = LEFT_OUT.iter().any(|part| program.contains(part));
            let trial = Trial::test(format!("{name}/{program}"), move || test(&path));
            tests.push(trial.with_ignored_flag(ignored));
        }
    };
    add("checks", &root.join("tests/run"), passes_its_checks);
    add("same", &root.join("examples/tiny"), gives_the_same);
    add("same/partition", &root.join("tests/partition"), gives_the_same);
    add("threads", &root.join("examples/tiny"), is_the_same_on_any_number_of_threads);
    match common::corpus() {
        Some(corpus) => {
            for folder in WITH_CHECKS {
                add(&format!("checks/{folder}"), &corpus.join(folder), passes_its_checks);
            }
            add("same/programs", &corpus.join("programs"), gives_the_same);
        }
        None => eprintln!("note: there are no corpora on this machine"),
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn read(path: &Path) -> Result<Module, Failed> {
    let text = std::fs::read_to_string(path)?;
    let first =
        |errors: Vec<partita::Diagnostic>| errors.first().map_or(String::new(), |e| e.message.to_string());
    let module = partita::text::parse::parse(&text).map_err(first)?;
    partita::verify::verify(&module).map_err(first)?;
    Ok(module)
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

fn passes_its_checks(path: &Path) -> Result<(), Failed> {
    let module = read(path)?;
    for func in entry_points(&module) {
        let zero =
            |ty: &Type| Some(Value::Tensor(Tensor::splat(ty.as_tensor()?.clone(), Scalar::Bool(false))));
        let args: Option<Vec<Value>> =
            module.funcs[func].inputs.iter().map(|ty| zero(&module.types[*ty])).collect();
        let args = args.ok_or("a function takes more than tensors")?;
        let name = &module.strings[module.funcs[func].name];
        let mut options = RunOptions { engine: partita_exec::run_grid, ..RunOptions::default() };
        run(&module, func, args, &mut options).map_err(|error| format!("@{name}: {error}"))?;
    }
    Ok(())
}

fn gives_the_same(path: &Path) -> Result<(), Failed> {
    let Ok(module) = read(path) else {
        // What is wrong with it is tested elsewhere.
        return Ok(());
    };
    for func in entry_points(&module) {
        let Ok(inlined) = partita::inline::inline(&module, func) else { continue };
        let name = &module.strings[module.funcs[func].name];
        match verify_engine(&inlined.module, 0, partita_exec::run_grid) {
            Ok(verdict) if verdict.ok() => {}
            Ok(verdict) => return Err(format!("@{name}: {verdict:?}").into()),
            Err(Unverified::NotTensors) => {}
            Err(Unverified::Run(partita::equal::Stage::OneDevice, _)) => {}
            Err(error) => return Err(format!("@{name}: {error:?}").into()),
        }
    }
    Ok(())
}

fn is_the_same_on_any_number_of_threads(path: &Path) -> Result<(), Failed> {
    let module = read(path)?;
    if partita::sharding::import::module_mesh(&module)?.is_none() {
        return Ok(());
    }
    let Ok(mut compiled) = Compiler::new().completion(Completion::Propagate).compile(&module) else {
        return Ok(());
    };
    compiled.emit();
    let signature = compiled.signature().ok_or("not all arguments are tensors")?;
    let arguments = signature.arguments.iter().enumerate();
    let args: Vec<Tensor> =
        arguments.map(|(n, g)| partita::value::sample(g.ty.clone(), 0, n as u64)).collect();
    let run = |engine| {
        let mut options = RunOptions { engine, ..RunOptions::default() };
        signature.run(&compiled.partitioned.module, &args, partita::partition::shard, &mut options)
    };
    let (one, three) = (run(on_threads::<1>)?, run(on_threads::<3>)?);
    if one == three { Ok(()) } else { Err("other results on three threads than on one".into()) }
}

/// The executor on so many threads.
fn on_threads<const THREADS: usize>(
    module: &Module,
    programs: Vec<Vec<interpret::Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    partita_exec::run_grid_on(THREADS, module, programs, options)
}
