//! Verification by running: the program on one device and on all devices of its mesh, on the same inputs.
//!
//! The inputs are small exact values made from a seed, so that most sums are exact in any order, and then the results must be
//! equal. Where rounding is possible (`exact` decides it from the program alone) the one-device program also runs with its
//! floats widened to `f64` (`widen`): the partitioned result may be at most four times as far from that as the one-device
//! result is, plus eight units in the last place of the tensor's maximum (`compare`). One run is one throw of the dice: it may
//! happen to be nearly right where the program makes much of little, as an optimizer does that divides a gradient near
//! zero by its own size. So before a result is called wrong, the widened program runs a few times more on inputs that are off by half a
//! unit in the last place, and how far that takes the result counts as well.

mod compare;
mod exact;
mod widen;

pub use compare::Worst;
pub use exact::exact_results;
pub use widen::widen;

use crate::interpret::{self, Engine, RunError, RunOptions, Value};
use crate::ir::{FuncId, Id, Module};
use crate::partition::Partitioned;
use crate::value::{Tensor, sample};
use compare::{Comparison, Reference, compare};
use std::fmt;

/// How often the widened program runs on inputs that are a little off, at most.
const THROWS: usize = 4;

/// What came of a verification.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether all results are as they should be.
    pub ok: bool,
    /// Whether all results had to be equal.
    pub exact: bool,
    /// The largest difference of an element from the one-device run.
    pub max_abs_error: f64,
    /// The largest such difference beside the largest magnitude of its tensor.
    pub max_rel_error: f64,
    /// How far the worst result was allowed to be from its reference.
    pub tolerance: f64,
    /// The element that is the worst for what was allowed; nothing where nothing differs.
    pub worst: Option<Worst>,
}

/// Why a program could not be verified.
#[derive(Debug)]
pub enum Unverified {
    /// An argument or a result is no tensor.
    NotTensors,
    /// It needs more memory than it may use: bytes needed.
    Memory(u64),
    /// A run failed: which, and how.
    Run(Stage, RunError),
}

/// One of the runs of a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The program as it was, on one device.
    OneDevice,
    /// The same with wider floats.
    Widened,
    /// The per-device program on all devices.
    Partitioned,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::OneDevice => "on one device",
            Stage::Widened => "on one device with wider floats",
            Stage::Partitioned => "partitioned",
        })
    }
}

/// Bytes that a verification needs at most; it runs one program after the other.
pub fn estimate_memory(program: &Module, partitioned: &Partitioned) -> u64 {
    let one = interpret::estimate_memory(program, FuncId::from_index(0));
    let spread = partitioned.signature(program).map_or(0, |s| s.estimate_memory(&partitioned.module));
    // Widened floats take up to four times the room; the results of all runs stand beside each other.
    one.saturating_mul(4).max(spread.saturating_add(one))
}

/// Runs a program of one function and what it was partitioned to, whose groups are written out, on inputs made from a seed, and
/// compares. All runs are an engine's; none may use more bytes than the limit.
pub fn verify(
    program: &Module,
    partitioned: &Partitioned,
    seed: u64,
    memory_limit: Option<u64>,
    engine: Engine,
) -> Result<Verdict, Unverified> {
    let signature = partitioned.signature(program).ok_or(Unverified::NotTensors)?;
    let estimate = estimate_memory(program, partitioned);
    if memory_limit.is_some_and(|limit| estimate > limit) {
        return Err(Unverified::Memory(estimate));
    }
    let types = signature.arguments.iter().map(|g| g.ty.clone());
    let args: Vec<Tensor> = types.enumerate().map(|(n, ty)| sample(ty, seed, n as u64)).collect();
    let trial = Trial { program, args: &args, memory_limit, engine };
    let expected = trial.run(Stage::OneDevice)?;
    let found = signature
        .run(engine, &partitioned.module, &args, &mut trial.options())
        .map_err(|e| Unverified::Run(Stage::Partitioned, e))?;
    trial.compare(&expected, &found)
}

/// Runs a program of one function on one device of an engine and on the reference interpreter, on inputs made from a seed, and compares.
pub fn verify_engine(program: &Module, seed: u64, engine: Engine) -> Result<Verdict, Unverified> {
    let func = &program.funcs[FuncId::from_index(0)];
    let mut args = Vec::with_capacity(func.inputs.len());
    for (n, ty) in func.inputs.iter().enumerate() {
        let ty = program.types[*ty].as_tensor().ok_or(Unverified::NotTensors)?;
        args.push(sample(ty.clone(), seed, n as u64));
    }
    let reference = Trial { program, args: &args, memory_limit: None, engine: interpret::run_grid };
    let expected = reference.run(Stage::OneDevice)?;
    let found = Trial { engine, ..reference }.run(Stage::Partitioned)?;
    reference.compare(&expected, &found)
}

/// A program and what it is tried on.
#[derive(Clone, Copy)]
struct Trial<'a> {
    program: &'a Module,
    args: &'a [Tensor],
    memory_limit: Option<u64>,
    engine: Engine,
}

impl Trial<'_> {
    fn options(&self) -> RunOptions<'static> {
        RunOptions { memory_limit: self.memory_limit, ..RunOptions::default() }
    }

    /// Runs the program on one device.
    fn run(&self, stage: Stage) -> Result<Vec<Tensor>, Unverified> {
        self.run_other(self.program, self.args.to_vec(), stage)
    }

    /// Runs another program of one function on one device.
    fn run_other(&self, module: &Module, args: Vec<Tensor>, stage: Stage) -> Result<Vec<Tensor>, Unverified> {
        let values = args.into_iter().map(Value::Tensor).collect();
        let results =
            interpret::run_on(self.engine, module, FuncId::from_index(0), values, &mut self.options())
                .map_err(|e| Unverified::Run(stage, e))?;
        results.into_iter().map(|v| v.into_tensor().ok_or(Unverified::NotTensors)).collect()
    }

    /// Compares results with those that are expected, by the widened program where they may be rounded.
    fn compare(&self, expected: &[Tensor], found: &[Tensor]) -> Result<Verdict, Unverified> {
        let exact = exact_results(self.program);
        let rounded = |n: usize| !exact[n] && !compare::equal(&expected[n], &found[n]);
        if !(0..found.len()).any(rounded) {
            return Ok(judge(&exact, expected, found, expected, &[]));
        }
        let widened = widen(self.program);
        let wide_args: Vec<Tensor> = self.args.iter().map(widen::tensor).collect();
        let wide = self.run_other(&widened, wide_args, Stage::Widened)?;
        let mut nudged: Vec<Vec<Tensor>> = Vec::new();
        let mut verdict = judge(&exact, expected, found, &wide, &nudged);
        while !verdict.ok && nudged.len() < THROWS {
            let throw = nudged.len() as u64;
            let args: Vec<Tensor> = self.args.iter().map(|arg| widen::nudged(arg, throw)).collect();
            nudged.push(self.run_other(&widened, args, Stage::Widened)?);
            verdict = judge(&exact, expected, found, &wide, &nudged);
        }
        Ok(verdict)
    }
}

/// Compares all results.
fn judge(
    exact: &[bool],
    expected: &[Tensor],
    found: &[Tensor],
    wide: &[Tensor],
    nudged: &[Vec<Tensor>],
) -> Verdict {
    let mut verdict = Verdict {
        ok: true,
        exact: exact.iter().all(|e| *e),
        max_abs_error: 0.0,
        max_rel_error: 0.0,
        tolerance: 0.0,
        worst: None,
    };
    let mut most = 0.0;
    for n in 0..found.len() {
        let throws: Vec<&Tensor> = nudged.iter().map(|results| &results[n]).collect();
        let reference = Reference { wide: &wide[n], nudged: &throws };
        let Comparison { ok, abs, rel, tolerance, excess, worst } =
            compare(n, &expected[n], &found[n], (!exact[n]).then_some(reference));
        verdict.ok &= ok;
        verdict.max_abs_error = verdict.max_abs_error.max(abs);
        verdict.max_rel_error = verdict.max_rel_error.max(rel);
        if excess > most {
            most = excess;
            verdict.tolerance = tolerance;
            verdict.worst = worst;
        }
    }
    verdict
}
