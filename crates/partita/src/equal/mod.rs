//! Verification by running: the program on one device and on all devices of its mesh, on the same inputs.
//!
//! The inputs are small exact values made from a seed, so that most sums are exact in any order, and then the results must be
//! equal. Where rounding is possible (`exact` decides it from the program and its inputs) the one-device program also runs with its
//! floats widened to `f64` (`floats`): the partitioned result may be at most four times as far from that as the one-device
//! result is, plus eight units in the last place of the tensor's maximum (`compare`).
//!
//! One run is one throw of the dice: it may happen to be nearly right where the program makes much of little, as an optimizer does
//! that divides a gradient near zero by its own size. So before a result is called wrong, the partitioned program runs widened as
//! well. A program that is wrong is as wrong with wide floats; a difference that is only rounding shrinks with the unit in the last
//! place, by 2^29 and more. The two widened results must be nearer by 2^20 than what was found or allowed before: a
//! sharper test of what the program computes than the first one, which the one-device run's own error blurs. There is nothing wider
//! than `f64`, so of what is computed with it both programs run with `f32` instead, and what was found must be nearer than that by as much.
//!
//! What is still different may follow from an infinity, or from what is no number, where nothing is promised (`infinities`).

mod compare;
mod exact;
mod floats;
mod infinities;

pub use compare::Worst;
pub use exact::exact_results;
pub use floats::Floats;
pub use infinities::unpromised_results;

use crate::interpret::{self, Engine, RunError, RunOptions, Value};
use crate::ir::{FuncId, Id, Module};
use crate::partition::{Cut, Partitioned, Signature, shard};
use crate::value::{Tensor, sample};
use compare::{Comparison, compare};
use std::fmt;

/// What came of a verification.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What shows that the results are as they should be; nothing where they are not.
    pub proof: Option<Proof>,
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
    /// Whether all that differs follows from infinities, or what is no number, in products and the like: no program promises
    /// to give the same then. It may still be wrong, and other inputs would show it.
    pub unpromised: bool,
}

impl Verdict {
    /// Whether all results are as they should be.
    pub fn ok(&self) -> bool {
        self.proof.is_some()
    }
}

/// What shows that results are the same; the weakest of what it took for any of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Proof {
    /// They are equal.
    Equal,
    /// They are about as near to the widened one-device result as the one-device result is.
    Tolerance,
    /// They are farther, but the widened programs agree: the programs compute the same, and the difference is rounding.
    Widened,
    /// They are farther, but much nearer than with narrower floats: the difference is rounding.
    Narrowed,
}

impl Proof {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Equal => "equal",
            Proof::Tolerance => "tolerance",
            Proof::Widened => "widened",
            Proof::Narrowed => "narrowed",
        }
    }
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
    /// The same with other floats.
    OneDeviceWith(Floats),
    /// The per-device program on all devices.
    Partitioned,
    /// The same with other floats.
    PartitionedWith(Floats),
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::OneDevice => "on one device",
            Stage::OneDeviceWith(Floats::Wide) => "on one device with wider floats",
            Stage::OneDeviceWith(Floats::Narrow) => "on one device with narrower floats",
            Stage::Partitioned => "partitioned",
            Stage::PartitionedWith(Floats::Wide) => "partitioned with wider floats",
            Stage::PartitionedWith(Floats::Narrow) => "partitioned with narrower floats",
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
/// compares. All runs have the same options.
pub fn verify(
    program: &Module,
    partitioned: &Partitioned,
    seed: u64,
    options: &mut RunOptions<'_>,
) -> Result<Verdict, Unverified> {
    let signature = partitioned.signature(program).ok_or(Unverified::NotTensors)?;
    let estimate = estimate_memory(program, partitioned);
    if options.memory_limit.is_some_and(|limit| estimate > limit) {
        return Err(Unverified::Memory(estimate));
    }
    let args: Vec<Tensor> =
        signature.arguments.iter().enumerate().map(|(n, g)| sample(g.ty.clone(), seed, n as u64)).collect();
    let runs =
        Runs { program, signature: &signature, spread: &partitioned.module, cut: shard, one_engine: true };
    runs.compare(&args, options)
}

/// Runs a program of one function on one device of an engine and on the reference interpreter, on inputs made from a seed, and
/// compares.
pub fn verify_engine(program: &Module, seed: u64, engine: Engine) -> Result<Verdict, Unverified> {
    let mut args = Vec::new();
    for (n, ty) in program.funcs[FuncId::from_index(0)].inputs.iter().enumerate() {
        let ty = program.types[*ty].as_tensor().ok_or(Unverified::NotTensors)?;
        args.push(sample(ty.clone(), seed, n as u64));
    }
    let other = |module: &Module, args: &[Tensor], _: &mut RunOptions<'_>, stage| {
        run_one(module, args, &mut RunOptions { engine, ..RunOptions::default() }, stage)
    };
    // Another engine is held to what the first gives wherever nothing is summed.
    compare_with(program, (program, &other), true, &args, &mut RunOptions::default())
}

/// A program of one function, and what it was partitioned to.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    /// The program.
    pub program: &'a Module,
    /// How its arguments and results lie on the devices.
    pub signature: &'a Signature,
    /// The per-device program, whose groups are written out.
    pub spread: &'a Module,
    /// What cuts the arguments.
    pub cut: Cut,
    /// Whether one engine runs both.
    pub one_engine: bool,
}

impl Runs<'_> {
    /// Runs both on these inputs, with the same options every time, and compares.
    pub fn compare(self, args: &[Tensor], options: &mut RunOptions<'_>) -> Result<Verdict, Unverified> {
        let other = |module: &Module, args: &[Tensor], options: &mut RunOptions<'_>, stage| {
            self.signature.run(module, args, self.cut, options).map_err(|e| Unverified::Run(stage, e))
        };
        compare_with(self.program, (self.spread, &other), self.one_engine, args, options)
    }
}

/// What runs a program that should give what another gives on one device.
type RunOther<'a> =
    dyn Fn(&Module, &[Tensor], &mut RunOptions<'_>, Stage) -> Result<Vec<Tensor>, Unverified> + 'a;

/// A program that should give what another gives on one device, and what runs it.
type Other<'a> = (&'a Module, &'a RunOther<'a>);

/// Runs a program on one device and another as it is run, and compares.
fn compare_with(
    program: &Module,
    other: Other<'_>,
    one_engine: bool,
    args: &[Tensor],
    options: &mut RunOptions<'_>,
) -> Result<Verdict, Unverified> {
    let exact = exact_results(program, args, one_engine);
    let expected = run_one(program, args, options, Stage::OneDevice)?;
    let found = other.1(other.0, args, options, Stage::Partitioned)?;
    let mut verdict = Verdict {
        proof: Some(Proof::Equal),
        exact: exact.iter().all(|e| *e),
        max_abs_error: 0.0,
        max_rel_error: 0.0,
        tolerance: 0.0,
        worst: None,
        unpromised: false,
    };
    let different: Vec<usize> =
        (0..found.len()).filter(|&n| !compare::equal(&expected[n], &found[n])).collect();
    if different.is_empty() {
        return Ok(verdict);
    }
    let runs = |floats| Variant { floats, program, other, args, one_device: None, spread: None };
    let (mut wide, mut narrow) = (runs(Floats::Wide), runs(Floats::Narrow));
    let mut most = 0.0;
    let mut unproven = Vec::new();
    for n in different {
        let reference = if exact[n] { None } else { Some(&wide.one_device(options)?[n]) };
        let Comparison { ok, abs, rel, tolerance, excess, worst, .. } =
            compare(n, &expected[n], &found[n], reference);
        let given = (&expected[n], &found[n]);
        let proof = match () {
            () if ok => Some(Proof::Tolerance),
            () if exact[n] => None,
            () if wide.proves(n, given, options)? => Some(Proof::Widened),
            () if narrow.proves(n, given, options)? => Some(Proof::Narrowed),
            () => None,
        };
        verdict.proof = verdict.proof.zip(proof).map(|(a, b)| a.max(b));
        verdict.max_abs_error = verdict.max_abs_error.max(abs);
        verdict.max_rel_error = verdict.max_rel_error.max(rel);
        // What is not proven is worse than anything that is.
        let excess = if proof.is_some() { excess.min(f64::MAX) } else { f64::INFINITY };
        if proof.is_none() {
            unproven.push(n);
        }
        if excess > most {
            most = excess;
            verdict.tolerance = tolerance;
            verdict.worst = worst;
        }
    }
    if !unproven.is_empty() {
        let unpromised = unpromised_results(program, args, options.memory_limit)
            .map_err(|e| Unverified::Run(Stage::OneDevice, e))?;
        verdict.unpromised = unproven.iter().all(|&n| unpromised[n]);
    }
    Ok(verdict)
}

/// Both programs with other floats, which run only where their results are asked for.
struct Variant<'a> {
    floats: Floats,
    program: &'a Module,
    other: Other<'a>,
    args: &'a [Tensor],
    one_device: Option<Vec<Tensor>>,
    spread: Option<Vec<Tensor>>,
}

impl Variant<'_> {
    fn args(&self) -> Vec<Tensor> {
        self.args.iter().map(|arg| self.floats.tensor(arg)).collect()
    }

    fn one_device(&mut self, options: &mut RunOptions<'_>) -> Result<&[Tensor], Unverified> {
        if self.one_device.is_none() {
            let stage = Stage::OneDeviceWith(self.floats);
            self.one_device =
                Some(run_one(&self.floats.program(self.program), &self.args(), options, stage)?);
        }
        Ok(self.one_device.as_deref().unwrap_or_default())
    }

    /// Whether a result of both is the same but for rounding: whether what they are apart with the given floats and with these is
    /// as rounding is.
    fn proves(
        &mut self,
        n: usize,
        given: (&Tensor, &Tensor),
        options: &mut RunOptions<'_>,
    ) -> Result<bool, Unverified> {
        if !self.floats.change(self.program) {
            return Ok(false);
        }
        self.one_device(options)?;
        if self.spread.is_none() {
            let (module, run) = self.other;
            let stage = Stage::PartitionedWith(self.floats);
            self.spread = Some(run(&self.floats.program(module), &self.args(), options, stage)?);
        }
        let one_device = self.one_device.as_deref().unwrap_or_default();
        let spread = self.spread.as_deref().unwrap_or_default();
        let these = (&one_device[n], &spread[n]);
        Ok(match self.floats {
            Floats::Wide => compare::shrinks(given, these),
            Floats::Narrow => compare::shrinks(these, given),
        })
    }
}

fn run_one(
    module: &Module,
    args: &[Tensor],
    options: &mut RunOptions<'_>,
    stage: Stage,
) -> Result<Vec<Tensor>, Unverified> {
    let values = args.iter().cloned().map(Value::Tensor).collect();
    let results = interpret::run(module, FuncId::from_index(0), values, options)
        .map_err(|e| Unverified::Run(stage, e))?;
    results.into_iter().map(|v| v.into_tensor().ok_or(Unverified::NotTensors)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over an axis of cosines, so that rounding is possible.
    const PROGRAM: &str = r#"sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.cosine %arg0 : tensor<4x6xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"#;

    /// The verdict on a program whose per-device program was changed.
    fn verdict_on(program: &str, change: impl Fn(&str) -> String) -> Verdict {
        let module = crate::text::parse(program).expect("a program");
        let mesh = crate::sharding::import::module_mesh(&module).expect("a mesh").expect("a mesh");
        let main = module.func_named("main").expect("@main");
        let program = crate::inline::inline(&module, main).expect("a program");
        let shardings = crate::propagate::propagate(&program, mesh).expect("shardings");
        let mut partitioned =
            crate::partition::partition(&program, &shardings).expect("a per-device program");
        partitioned.expand();
        let text = crate::text::print(&partitioned.module);
        partitioned.module = crate::text::parse(&change(&text)).expect("a program");
        verify(&program.module, &partitioned, 0, &mut RunOptions::default()).expect("it runs")
    }

    #[test]
    fn another_order_of_sums_is_rounding() {
        let verdict = verdict_on(PROGRAM, str::to_string);
        assert!(verdict.ok() && !verdict.exact, "{verdict:?}");
    }

    #[test]
    fn a_wrong_program_is_found() {
        // The partial sums of one device counted from something that is not neutral: a small mistake.
        let verdict = verdict_on(PROGRAM, |text| text.replace("dense<0.000000e+00>", "dense<1.000000e-05>"));
        assert!(!verdict.ok(), "{verdict:?}");
        assert_eq!(verdict.worst.map(|w| w.result), Some(0));
        let verdict = verdict_on(PROGRAM, |text| text.replace("stablehlo.cosine", "stablehlo.sine"));
        assert!(!verdict.ok(), "{verdict:?}");
    }

    #[test]
    fn a_wrong_program_of_wide_floats_is_found() {
        let wide = PROGRAM.replace("f32", "f64");
        assert!(verdict_on(&wide, str::to_string).ok());
        for (right, wrong) in
            [("dense<0.000000e+00>", "dense<1.000000e-09>"), ("stablehlo.cosine", "stablehlo.sine")]
        {
            let verdict = verdict_on(&wide, |text| text.replace(right, wrong));
            assert!(!verdict.ok() && !verdict.unpromised, "{verdict:?}");
        }
    }
}
