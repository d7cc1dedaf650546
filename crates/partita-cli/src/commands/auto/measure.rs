//! Plans timed on devices: of plans whose simulated times are near each other, a few runs say more.

use super::find::{Outcome, Question};
use super::meshes::Outcomes;
use super::promising::promising;
use crate::error::Failure;
use crate::{format, memory, plan};
use partita::ir::Module;
use partita::partition::Signature;
use partita::sharding::spec::MeshSpec;
use partita::value::{Tensor, sample};
use partita_pjrt::{Client, Plugin, Program};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How often the plans are gone through, each time the faster half of those before: a program takes longer or shorter by a tenth for as long as it stays loaded.
const ROUNDS: usize = 3;

/// How often a program runs each time.
const STEPS: usize = 4;

/// A plan that was timed.
pub struct Measured {
    mesh: MeshSpec,
    words: String,
    described: Value,
    /// Seconds of its fastest step; why there are none.
    seconds: Result<f64, String>,
}

impl Measured {
    /// The plan with its time on a line.
    pub fn words(&self) -> String {
        match &self.seconds {
            Ok(seconds) => format!("measured {:.3} ms on {}: {}", seconds * 1e3, self.mesh, self.words),
            Err(error) => format!("not measured on {}, {error}: {}", self.mesh, self.words),
        }
    }

    /// The plan with its time as JSON.
    pub fn json(&self) -> Value {
        let mut json = self.described.clone();
        json["mesh"] = plan::axes_json(&self.mesh.axes);
        json["measured_seconds"] = json!(self.seconds.as_ref().ok());
        json["error"] = json!(self.seconds.as_ref().err());
        json
    }
}

/// One of the plans of an outcome.
struct Candidate {
    outcome: usize,
    plan: usize,
    rank: f64,
    /// Bytes that a device holds.
    memory: u64,
    module: Module,
    signature: Signature,
    seconds: Result<f64, String>,
}

impl Candidate {
    fn new(
        question: &Question<'_>,
        outcomes: &[Outcome],
        (outcome, plan): (usize, usize),
    ) -> Result<Self, Failure> {
        let (module, signature) = program(question, &outcomes[outcome], plan)?;
        let cost = &outcomes[outcome].found.plans[plan].cost;
        let (rank, memory) = (cost.rank(outcomes[outcome].limit), cost.memory);
        let seconds = Err("stopped before its turn".to_string());
        Ok(Candidate { outcome, plan, rank, memory, module, signature, seconds })
    }

    /// What was measured, after all that was not.
    fn seconds(&self) -> f64 {
        *self.seconds.as_ref().unwrap_or(&f64::INFINITY)
    }
}

/// Times so many of the plans that were found, and gives the fastest first. `tell` hears how far it is and says whether to go on.
pub(super) fn fastest(
    mut found: Outcomes,
    question: &Question<'_>,
    count: usize,
    plugin: &Arc<Plugin>,
    tell: &mut dyn FnMut(String) -> bool,
) -> Result<Outcome, Failure> {
    let mut candidates = candidates(question, &found.outcomes, count)?;
    let Some(first) = candidates.first() else {
        // Nothing fits, which is told there.
        return found.best(question);
    };
    let client = Client::new(plugin, first.signature.mesh.device_count() as usize)?;
    let bench = Bench::new(&client, &first.signature)?;
    let finished = bench.race(&mut candidates, tell);
    let (outcome, plan) = (candidates[0].outcome, candidates[0].plan);
    if let (true, Err(why)) = (finished, &candidates[0].seconds) {
        return Err(
            Failure::new("measure", format!("no plan could be measured: {why}")).fix("leave out `--measure`")
        );
    }
    let measured = |candidate: Candidate| {
        let outcome = &found.outcomes[candidate.outcome];
        Measured {
            mesh: outcome.mesh.clone(),
            words: outcome.words[candidate.plan].clone(),
            described: outcome.described[candidate.plan].clone(),
            seconds: candidate.seconds,
        }
    };
    let measured = candidates.into_iter().map(measured).collect();
    found.outcomes[outcome].put_first(plan);
    found.outcomes[outcome].measured = measured;
    found.take(outcome, question)
}

/// So many times as many plans as are to be timed are looked at, for most may be the same program.
const ATTEMPTS: usize = 8;

/// The plans that are worth timing: the best of each mesh and what is best on any, and others that are unlike these. Plans that differ in nothing but the order of devices are one.
fn candidates(
    question: &Question<'_>,
    outcomes: &[Outcome],
    count: usize,
) -> Result<Vec<Candidate>, Failure> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut known = HashSet::new();
    for plan in promising(outcomes).take(ATTEMPTS * count) {
        if found.len() == count {
            break;
        }
        let candidate = Candidate::new(question, outcomes, plan)?;
        if known.insert(fingerprint(&candidate.module)) {
            found.push(candidate);
        }
    }
    Ok(found)
}

/// What a program does on one device, whichever devices it sends to: the kinds of its operations and the types that they make.
fn fingerprint(module: &Module) -> u64 {
    let mut hasher = DefaultHasher::new();
    for op in module.ops.ids().map(|op| module.op(op)) {
        op.op().kind.hash(&mut hasher);
        op.result_types().for_each(|ty| ty.hash(&mut hasher));
    }
    hasher.finish()
}

/// The program of one device by a plan, as `partition --device` makes it.
fn program(question: &Question<'_>, outcome: &Outcome, plan: usize) -> Result<(Module, Signature), Failure> {
    let Question { program, profile, .. } = question;
    let compiler = outcome.compiler_of(plan, question.options, profile)?;
    let mut compiled = compiler.compile(&program.module).map_err(|e| program.fail(e))?;
    compiled.emit();
    let Some(signature) = compiled.signature() else {
        let message = "arguments and results of a program that is run must be tensors";
        return Err(Failure::new("argument", message).file(&*program.file).fix("leave out `--measure`"));
    };
    Ok((compiled.partitioned.module, signature))
}

/// What programs run on.
struct Bench<'c> {
    client: &'c Client,
    arguments: Vec<Tensor>,
    /// Bytes of this machine that are left for virtual devices.
    spare: u64,
}

impl<'c> Bench<'c> {
    /// Makes the arguments, which are those of all plans.
    fn new(client: &'c Client, signature: &Signature) -> Result<Self, Failure> {
        let types = signature.arguments.iter().map(|global| &global.ty);
        let (needs, spare): (u64, u64) =
            (types.clone().map(|ty| ty.bytes() as u64).sum(), memory::to_spare());
        if needs > spare {
            let message = format!(
                "plans cannot be measured here: the arguments of the program take {}, and there are {}",
                format::bytes(needs),
                format::bytes(spare)
            );
            return Err(Failure::new("memory", message).fix("leave out `--measure`, or use smaller sizes"));
        }
        let arguments = types.enumerate().map(|(n, ty)| sample(ty.clone(), 0, n as u64)).collect();
        Ok(Bench { client, arguments, spare: spare - needs })
    }

    /// Times candidates and sorts them, the fastest first; whether nobody stopped it.
    fn race(&self, candidates: &mut [Candidate], tell: &mut dyn FnMut(String) -> bool) -> bool {
        let mut left = candidates.len();
        for _ in 0..ROUNDS {
            for n in 0..left {
                let fastest = candidates.iter().map(Candidate::seconds).fold(f64::INFINITY, f64::min);
                let mut words = format!("measuring plan {} of {left}", n + 1);
                if fastest.is_finite() {
                    words.push_str(&format!(", the fastest takes {:.3} ms", fastest * 1e3));
                }
                if !tell(words) {
                    sort(candidates);
                    return false;
                }
                let candidate = &mut candidates[n];
                candidate.seconds = match (&candidate.seconds, self.seconds(candidate)) {
                    (Ok(before), Ok(now)) => Ok(before.min(now)),
                    (_, now) => now,
                };
            }
            sort(candidates);
            left = left.div_ceil(2);
        }
        true
    }

    /// Loads a program and runs it a few times: seconds of the fastest step. Why that cannot be done is told in a few words.
    fn seconds(&self, candidate: &Candidate) -> Result<f64, String> {
        let signature = &candidate.signature;
        let needs = candidate.memory.saturating_mul(signature.mesh.device_count() as u64);
        if self.client.platform() == "cpu" && needs > self.spare {
            return Err(format!("it needs {} of this machine", format::bytes(needs)));
        }
        let time = || {
            let program = Program::compile(self.client, &candidate.module, Some(signature.clone()))?;
            program.time(&self.arguments, 1 + STEPS)
        };
        let timing = time().map_err(|error: partita_pjrt::Error| error.to_string())?;
        Ok(timing.steps.into_iter().skip(1).min().unwrap_or_default().as_secs_f64())
    }
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()).then(a.rank.total_cmp(&b.rank)));
}
