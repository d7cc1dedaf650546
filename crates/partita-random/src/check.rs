//! One program: partitioned, run on one device and on all, compared.

use crate::arithmetic::Arithmetic;
use partita::compiler::Sharded;
use partita::equal::{self, Runs, Unverified, Worst, unpromised_results};
use partita::inline::Inlined;
use partita::interpret::reinterpret::{converted, exact, over_field};
use partita::interpret::{self, RunError, RunOptions, Value, run};
use partita::ir::{Attr, FuncId, OpId, names};
use partita::optimise::Options;
use partita::partition::{Partitioned, spoiled_shard};
use partita::propagate::Propagated;
use partita::value::{Scalar, Tensor, spread};
use partita::{Compiled, Compiler, Errors, Module};
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
    /// Whether its results were the same on the inputs it was checked on.
    pub sameness: Sameness,
}

/// How far the results of a program that passed are the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sameness {
    /// On all inputs.
    Everywhere,
    /// Not on all, where infinities or NaN stand in a product or a combination and nothing is promised; but on others, where
    /// there are none.
    WhereFinite,
    /// Not on all, and there are infinities or NaN on all inputs that were tried.
    Unknown,
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

/// The passes that a program is checked with: all of them, or those that run by default. The text alone says which, so that a program that
/// fails does so again.
fn passes_for(text: &str) -> Options {
    let odd = text.bytes().filter(|byte| *byte == b'%').count() % 2 == 1;
    if odd { Options::all() } else { Options::default() }
}

fn check_unguarded(text: &str, inputs: &[u64]) -> Result<Passed, Failure> {
    let all = |stage| move |errors: Errors| Failure::new(stage, errors.to_string());
    let module = partita::read(text).map_err(all(Stage::Program))?;
    let main = module.func_named("main").ok_or(Failure::new(Stage::Program, "there is no @main"))?;
    let mesh = partita::sharding::import::module_mesh(&module).map_err(|e| all(Stage::Program)(e.into()))?;
    mesh.ok_or(Failure::new(Stage::Program, "there is no mesh"))?;
    let compiler = Compiler::new().passes(passes_for(text));
    let mut compiled = compiler.compile(&module).map_err(all(Stage::Refused))?;
    compiled.emit();
    let Compiled { sharded: Sharded { inlined: program, shardings, .. }, partitioned } = compiled;
    partita::verify::verify(&partitioned.module).map_err(|e| all(Stage::Output)(e.into()))?;
    partita::read(&partita::text::print(&partitioned.module)).map_err(all(Stage::Output))?;
    let comparison = Comparison {
        arithmetic: Arithmetic::of(text, &program.module),
        original: (&module, main),
        program: &program.module,
        partitioned: &partitioned,
    };
    let mut sameness = Sameness::Everywhere;
    for &seed in inputs {
        sameness = sameness.max(comparison.run(seed)?);
    }
    if sameness == Sameness::Unknown
        && let Some(finite) = with_finite_constants(&module)
    {
        let header = text.lines().next().filter(|line| line.starts_with("//")).unwrap_or_default();
        let finite = check_unguarded(&format!("{header}\n{}", partita::text::print(&finite)), inputs)?;
        sameness = finite.sameness.clamp(Sameness::WhereFinite, Sameness::Unknown);
    }
    Ok(Passed { program, shardings, partitioned, sameness })
}

/// A program with a number wherever a constant is infinite or none; nothing where no constant is.
fn with_finite_constants(module: &Module) -> Option<Module> {
    let finite = |tensor: &Tensor| {
        let infinite = |value: Scalar| matches!(value, Scalar::Float(value) if !value.is_finite());
        tensor.iter().any(infinite).then(|| {
            Tensor::from_fn(tensor.ty().clone(), |i| match tensor.get(i) {
                value if infinite(value) => Scalar::Float(0.75),
                value => value,
            })
        })
    };
    let mut new = module.clone();
    for op in module.ops.ids() {
        if let Some(Attr::Elements(value)) = module.ops[op].attrs.get(names::VALUE)
            && let Some(value) = finite(value)
        {
            new.ops[op].attrs.set(names::VALUE, Attr::Elements(Box::new(value)));
        }
    }
    let differ = |op: &OpId| new.ops[*op].attrs != module.ops[*op].attrs;
    module.ops.ids().any(|op| differ(&op)).then_some(new)
}

/// A program, and what is compared with it.
struct Comparison<'a> {
    arithmetic: Arithmetic,
    /// The program as it was before its calls were inlined.
    original: (&'a Module, FuncId),
    program: &'a Module,
    partitioned: &'a Partitioned,
}

impl Comparison<'_> {
    /// Runs a program on one device and on all, on the same inputs, and compares the results; on others too, where infinities
    /// leave it open what they must be.
    fn run(&self, seed: u64) -> Result<Sameness, Failure> {
        if self.on(&self.inputs(seed)?)? {
            return Ok(Sameness::Everywhere);
        }
        let mut sameness = Sameness::Unknown;
        for other in 0..OTHER_INPUTS {
            let args = self.inputs(seed + 1 + other)?;
            for args in [args.iter().map(positive).collect(), args] {
                // What fails here fails for a reason of its own.
                let same = self.on(&args)?;
                let infinite = unpromised_results(self.program, &args, None);
                if same && infinite.is_ok_and(|infinite| !infinite.contains(&true)) {
                    sameness = Sameness::WhereFinite;
                }
            }
        }
        Ok(sameness)
    }

    fn inputs(&self, seed: u64) -> Result<Vec<Tensor>, Failure> {
        let signature = self.partitioned.signature(self.program).ok_or_else(only_tensors)?;
        let arguments = signature.arguments.iter().enumerate();
        Ok(arguments.map(|(n, global)| spread(global.ty.clone(), seed, n as u64)).collect())
    }

    /// Whether the results are the same on these inputs; where they are not, nothing is promised of them.
    fn on(&self, args: &[Tensor]) -> Result<bool, Failure> {
        let signature = self.partitioned.signature(self.program).ok_or_else(only_tensors)?;
        let spread = &self.partitioned.module;
        let (program, cut) = (self.program, spoiled_shard);
        let runs = Runs { program, signature: &signature, spread, cut, one_engine: false };
        let mut operations = 0;
        let mut count = |_| limit(&mut operations);
        let mut options = RunOptions { engine, before_op: Some(&mut count), ..RunOptions::default() };
        match self.arithmetic {
            Arithmetic::Rounded => compare_rounded(runs, args, &mut options),
            Arithmetic::Exact => compare_exactly(self.original, runs, args, &mut options).map(|()| true),
            Arithmetic::Field => {
                options.engine = interpret::run_grid;
                let args: Vec<Tensor> = args.iter().map(|t| converted(t, exact(t.elem()))).collect();
                let (program, spread) = (over_field(self.original.0), over_field(spread));
                let runs = Runs { spread: &spread, ..runs };
                compare_exactly((&program, self.original.1), runs, &args, &mut options).map(|()| true)
            }
        }
    }
}

/// So many other inputs are tried where infinities leave it open what results must be, each as it is and made positive.
const OTHER_INPUTS: u64 = 6;

fn only_tensors() -> Failure {
    Failure::new(Stage::Program, "only tensors go in and out")
}

/// The same numbers without signs, and without zeros to divide by.
fn positive(tensor: &Tensor) -> Tensor {
    let above = |value: f64| value.abs() + 0.125;
    Tensor::from_fn(tensor.ty().clone(), |i| match tensor.get(i) {
        Scalar::Float(value) => Scalar::Float(above(value)),
        Scalar::Complex(mut value) => {
            (value.re, value.im) = (above(value.re), above(value.im));
            Scalar::Complex(value)
        }
        other => other,
    })
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

/// Compares as `--verify` does. Whether the results are the same; where they are not, nothing is promised of them.
fn compare_rounded(runs: Runs<'_>, args: &[Tensor], options: &mut RunOptions<'_>) -> Result<bool, Failure> {
    let verdict = runs.compare(args, options).map_err(|error| match error {
        Unverified::Run(equal::Stage::OneDevice | equal::Stage::OneDeviceWith(_), error) => {
            Failure::new(Stage::OneDevice, error.to_string())
        }
        Unverified::Run(_, error) => Failure::new(Stage::Devices, error.to_string()),
        other => Failure::new(Stage::Program, format!("{other:?}")),
    })?;
    match verdict.worst {
        Some(_) if verdict.unpromised => Ok(false),
        Some(Worst { result, index, expected, found }) if verdict.proof.is_none() => {
            let message = format!(
                "result {result} differs at {index:?}: {found:?} instead of {expected:?}, {:e} is allowed",
                verdict.tolerance
            );
            Err(Failure::new(Stage::Different, message))
        }
        _ => Ok(true),
    }
}

/// Ends a run that takes too long: the interpreter has no other way to be stopped, and panics are caught here.
fn limit(operations: &mut u64) {
    *operations += 1;
    assert!(*operations < MAX_OPERATIONS, "the run takes too many operations");
}
