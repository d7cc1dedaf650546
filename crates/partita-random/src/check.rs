//! One program: partitioned, run on one device and on all, compared.

use crate::arithmetic::Arithmetic;
use crate::{compare, devices};
use partita::inline::{Inlined, inline};
use partita::interpret::reinterpret::{converted, exact, over_field, wide, widened};
use partita::interpret::{RunOptions, Value, run};
use partita::ir::{FuncId, TensorType};
use partita::partition::{Partitioned, partition};
use partita::propagate::{Propagated, propagate};
use partita::value::{Tensor, spread};
use partita::{Diagnostic, Module};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A run that takes more operations than this will not end.
const MAX_OPERATIONS: u64 = 500_000;

/// A program that passed, and what became of it.
pub struct Passed {
    /// The program, its calls inlined.
    pub program: Inlined,
    /// The shardings of its values.
    pub shardings: Propagated,
    /// The program for every device.
    pub partitioned: Partitioned,
}

/// Where a program failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The program is not sound: a fault of the generator.
    Program,
    /// One device cannot run it.
    OneDevice,
    /// Propagation or partitioning refused it.
    Refused,
    /// The partitioned program is not sound.
    Output,
    /// The devices cannot run the partitioned program.
    Devices,
    /// The results are not the same.
    Different,
    /// Something panicked.
    Panicked,
}

/// Why a program failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Where.
    pub stage: Stage,
    /// What was wrong.
    pub message: String,
}

impl Failure {
    fn new(stage: Stage, message: impl Into<String>) -> Self {
        Failure { stage, message: message.into() }
    }

    /// Whether another failure is of the same kind: at the same stage, with the same words but for numbers and names.
    pub fn is_like(&self, other: &Failure) -> bool {
        self.kind() == other.kind()
    }

    /// The stage and the message without what changes from program to program.
    pub fn kind(&self) -> String {
        let text = match self.stage {
            Stage::Different => "",
            // Of an op that is not right the name and the complaint, without its types.
            _ => self.message.split(['\n', '(']).next().and_then(|t| t.split("`tensor").next()).unwrap_or(""),
        };
        let plain = text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty());
        format!("{:?} {}", self.stage, plain.collect::<Vec<_>>().join("#"))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.stage, self.message)
    }
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics from being written, so that thousands of them do not hide everything else: [`check`] reports them.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|info| {
        LAST_PANIC.with_borrow_mut(|last| *last = info.to_string());
    }));
}

/// The seed of the inputs of a program.
const INPUTS: u64 = 7;

/// Checks one program.
pub fn check(text: &str) -> Result<Passed, Failure> {
    check_on(text, &[INPUTS])
}

/// Checks one program on several inputs: what it takes where a failure depends on them and arguments come and go.
pub fn check_well(text: &str) -> Result<Passed, Failure> {
    check_on(text, &[INPUTS, 0, 1, 2, 3, 4, 5, 6])
}

fn check_on(text: &str, inputs: &[u64]) -> Result<Passed, Failure> {
    catch_unwind(AssertUnwindSafe(|| check_unguarded(text, inputs))).unwrap_or_else(|_| {
        let message = LAST_PANIC.with_borrow_mut(std::mem::take);
        Err(Failure::new(Stage::Panicked, message.replace('\n', " ")))
    })
}

fn check_unguarded(text: &str, inputs: &[u64]) -> Result<Passed, Failure> {
    let all = |stage| move |errors: Vec<Diagnostic>| Failure::new(stage, join(&errors));
    let module = partita::text::parse::parse(text).map_err(all(Stage::Program))?;
    partita::verify::verify(&module).map_err(all(Stage::Program))?;
    let main = module.func_named("main").ok_or(Failure::new(Stage::Program, "there is no @main"))?;
    let one = |stage| move |error: Diagnostic| Failure::new(stage, error.to_string());
    let mesh = partita::sharding::import::module_mesh(&module).map_err(one(Stage::Program))?;
    let mesh = mesh.ok_or(Failure::new(Stage::Program, "there is no mesh"))?;
    let program = inline(&module, main).map_err(one(Stage::Program))?;
    let shardings = propagate(&program, mesh).map_err(all(Stage::Refused))?;
    let mut partitioned = partition(&program, &shardings).map_err(one(Stage::Refused))?;
    partitioned.expand();
    partita::verify::verify(&partitioned.module).map_err(all(Stage::Output))?;
    let printed = partita::text::print(&partitioned.module);
    let read = partita::text::parse::parse(&printed).map_err(all(Stage::Output))?;
    partita::verify::verify(&read).map_err(all(Stage::Output))?;
    for &seed in inputs {
        compare_runs(text, &module, main, &partitioned, seed)?;
    }
    Ok(Passed { program, shardings, partitioned })
}

fn join(errors: &[Diagnostic]) -> String {
    errors.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n")
}

/// Runs the program on one device and on all, on the same inputs, and compares the results.
fn compare_runs(
    text: &str,
    module: &Module,
    main: FuncId,
    partitioned: &Partitioned,
    seed: u64,
) -> Result<(), Failure> {
    let tensors = |types: &[partita::ir::TypeId]| -> Vec<TensorType> {
        types.iter().filter_map(|ty| module.types[*ty].as_tensor().cloned()).collect()
    };
    let args: Vec<Tensor> = tensors(&module.funcs[main].inputs)
        .into_iter()
        .enumerate()
        .map(|(n, ty)| spread(ty, seed, n as u64))
        .collect();
    let results = tensors(&module.funcs[main].results);
    let arithmetic = Arithmetic::of(text, module);
    if arithmetic == Arithmetic::Field {
        return compare_over_field(module, main, partitioned, &args, &results);
    }
    let expected = run_one(module, main, &args)?;
    let found = run_devices(partitioned, &partitioned.module, &args, &results)?;
    let wide_results = match arithmetic {
        Arithmetic::Exact | Arithmetic::Field => None,
        Arithmetic::Rounded => {
            let args: Vec<Tensor> = args.iter().map(|t| converted(t, wide(t.elem()))).collect();
            Some(run_one(&widened(module), main, &args)?)
        }
    };
    for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let difference = match &wide_results {
            None => compare::exact(found, expected),
            Some(wide) => compare::rounded(found, expected, &wide[n]),
        };
        if let Some(difference) = difference {
            return Err(Failure::new(Stage::Different, format!("result {n} {difference}")));
        }
    }
    Ok(())
}

/// As [`compare_runs`], with a prime field for floats in both programs.
fn compare_over_field(
    module: &Module,
    main: FuncId,
    partitioned: &Partitioned,
    args: &[Tensor],
    results: &[TensorType],
) -> Result<(), Failure> {
    let args: Vec<Tensor> = args.iter().map(|t| converted(t, exact(t.elem()))).collect();
    let results: Vec<TensorType> = results.iter().map(|ty| ty.with_elem(exact(ty.elem))).collect();
    let expected = run_one(&over_field(module), main, &args)?;
    let found = run_devices(partitioned, &over_field(&partitioned.module), &args, &results)?;
    for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if let Some(difference) = compare::exact(found, expected) {
            return Err(Failure::new(
                Stage::Different,
                format!("over a prime field, result {n} {difference}"),
            ));
        }
    }
    Ok(())
}

fn run_devices(
    partitioned: &Partitioned,
    module: &Module,
    args: &[Tensor],
    results: &[TensorType],
) -> Result<Vec<Tensor>, Failure> {
    let mut operations = 0;
    let mut count = |_| limit(&mut operations);
    let mut options = RunOptions { before_op: Some(&mut count), ..RunOptions::default() };
    devices::run(partitioned, module, args, results, &mut options)
        .map_err(|error| Failure::new(Stage::Devices, error.to_string()))
}

fn run_one(module: &Module, main: FuncId, args: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
    let values = args.iter().cloned().map(Value::Tensor).collect();
    let mut operations = 0;
    let mut count = |_| limit(&mut operations);
    let mut options = RunOptions { before_op: Some(&mut count), ..RunOptions::default() };
    let results = run(module, main, values, &mut options)
        .map_err(|error| Failure::new(Stage::OneDevice, error.to_string()))?;
    Ok(results.into_iter().filter_map(|value| value.as_tensor().cloned()).collect())
}

/// Ends a run that takes too long: the interpreter has no other way to be stopped, and panics are caught here.
fn limit(operations: &mut u64) {
    *operations += 1;
    assert!(*operations < MAX_OPERATIONS, "the run takes too many operations");
}
