//! One program: partitioned, run on one device and on all, compared.

use crate::arithmetic::Arithmetic;
use partita::equal::{self, Runs, Unverified, Worst};
use partita::inline::{Inlined, inline};
use partita::interpret::reinterpret::{converted, exact, over_field};
use partita::interpret::{self, RunError, RunOptions, Value, run};
use partita::ir::FuncId;
use partita::partition::{Partitioned, partition, spoiled_shard};
use partita::propagate::{Propagated, propagate};
use partita::value::{Tensor, spread};
use partita::{Diagnostic, Module};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs of a program that take more operations than this will not end.
const MAX_OPERATIONS: u64 = 1_000_000;

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
        compare_runs(text, (&module, main), &program.module, &partitioned, seed)?;
    }
    Ok(Passed { program, shardings, partitioned })
}

fn join(errors: &[Diagnostic]) -> String {
    errors.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n")
}

/// Runs a program on one device and on all, on the same inputs, and compares the results. `original` is the program as it was
/// before its calls were inlined.
fn compare_runs(
    text: &str,
    original: (&Module, FuncId),
    program: &Module,
    partitioned: &Partitioned,
    seed: u64,
) -> Result<(), Failure> {
    let signature = partitioned.signature(program);
    let signature = signature.ok_or(Failure::new(Stage::Program, "only tensors go in and out"))?;
    let inputs = signature.arguments.iter().enumerate();
    let args: Vec<Tensor> = inputs.map(|(n, global)| spread(global.ty.clone(), seed, n as u64)).collect();
    let runs = Runs { program, signature: &signature, spread: &partitioned.module, cut: spoiled_shard };
    let mut operations = 0;
    let mut count = |_| limit(&mut operations);
    let mut options = RunOptions { engine, before_op: Some(&mut count), ..RunOptions::default() };
    match Arithmetic::of(text, program) {
        Arithmetic::Rounded => compare_rounded(runs, &args, &mut options),
        Arithmetic::Exact => compare_exactly(original, runs, &args, &mut options),
        Arithmetic::Field => {
            options.engine = interpret::run_grid;
            let args: Vec<Tensor> = args.iter().map(|t| converted(t, exact(t.elem()))).collect();
            let (program, spread) = (over_field(original.0), over_field(&partitioned.module));
            compare_exactly((&program, original.1), Runs { spread: &spread, ..runs }, &args, &mut options)
        }
    }
}

/// Runs one device by the reference interpreter and several by the executor, so that every program tests both.
fn engine(
    module: &Module,
    programs: Vec<Vec<interpret::Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    match &programs[..] {
        [replica] if replica.len() == 1 => interpret::run_grid(module, programs, options),
        _ => partita_exec::run_grid_on(1, module, programs, options),
    }
}

/// Compares to the last bit.
fn compare_exactly(
    (program, main): (&Module, FuncId),
    runs: Runs<'_>,
    args: &[Tensor],
    options: &mut RunOptions<'_>,
) -> Result<(), Failure> {
    let failed = |stage| move |error: RunError| Failure::new(stage, error.to_string());
    let values = args.iter().cloned().map(Value::Tensor).collect();
    let expected = run(program, main, values, options).map_err(failed(Stage::OneDevice))?;
    let found = runs.signature.run(runs.spread, args, runs.cut, options).map_err(failed(Stage::Devices))?;
    for (n, (found, expected)) in found.iter().zip(expected.iter().filter_map(Value::as_tensor)).enumerate() {
        let differs = (0..expected.len()).find(|&i| found.element_bytes(i) != expected.element_bytes(i));
        if let Some(at) = differs {
            let (found, expected) = (found.get(at), expected.get(at));
            let message = format!("result {n} differs at element {at}: {found:?} instead of {expected:?}");
            return Err(Failure::new(Stage::Different, message));
        }
    }
    Ok(())
}

/// Compares as `--verify` does.
fn compare_rounded(runs: Runs<'_>, args: &[Tensor], options: &mut RunOptions<'_>) -> Result<(), Failure> {
    let verdict = runs.compare(args, options).map_err(|error| match error {
        Unverified::Run(equal::Stage::OneDevice | equal::Stage::Widened, error) => {
            Failure::new(Stage::OneDevice, error.to_string())
        }
        Unverified::Run(_, error) => Failure::new(Stage::Devices, error.to_string()),
        other => Failure::new(Stage::Program, format!("{other:?}")),
    })?;
    match verdict.worst {
        Some(Worst { result, index, expected, found }) if verdict.proof.is_none() => {
            let message = format!(
                "result {result} differs at {index:?}: {found:?} instead of {expected:?}, {:e} is allowed",
                verdict.tolerance
            );
            Err(Failure::new(Stage::Different, message))
        }
        _ => Ok(()),
    }
}

/// Ends a run that takes too long: the interpreter has no other way to be stopped, and panics are caught here.
fn limit(operations: &mut u64) {
    *operations += 1;
    assert!(*operations < MAX_OPERATIONS, "the run takes too many operations");
}
