//! The search for a plan on one mesh, and what comes of it.

use super::describe::{self, Names};
use super::measure::Measured;
use crate::error::Failure;
use crate::input::Program;
use crate::{format, plan};
use partita::compiler::{Compiler, Device, Imported, Sharded};
use partita::device::Profile;
use partita::ir::{Module, ValueId};
use partita::sharding::apply::Options;
use partita::sharding::export;
use partita::sharding::plan::Plan;
use partita::sharding::spec::MeshSpec;
use partita_auto::{
    Analysis, Assignment, Estimator, Event, Found, GraphCost, Judge, Layers, Limits, Machine, Store, Tactic,
    fixed, graph_cost, plan as write_plan, search,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What a plan is looked for under.
pub struct Question<'a> {
    /// The program.
    pub program: &'a Program,
    /// What is said of its tensors already.
    pub options: &'a Options,
    /// The devices.
    pub profile: &'a Profile,
    /// The bytes that a device can hold, where that is not what the profile says.
    pub memory: Option<u64>,
    /// What is done first.
    pub tactics: &'a [Tactic],
    /// Whether one decision is taken for dimensions that are alike.
    pub grouping: bool,
    /// How long to search, on all meshes together.
    pub limits: Limits,
}

/// What was found for one mesh.
pub struct Outcome {
    /// The mesh.
    pub mesh: MeshSpec,
    /// The plans that were judged in full, the best first.
    pub plans: Vec<Plan>,
    /// What they cost, and how the search went.
    pub found: Found,
    /// What each of them decides, in words.
    pub words: Vec<String>,
    pub(super) described: Vec<Value>,
    pub(super) limit: u64,
    /// The lines of the user's program on which the values are made that plans constrain.
    lines: HashMap<String, String>,
    /// What was timed on devices, of this mesh and of others, the fastest first.
    pub measured: Vec<Measured>,
}

/// A program on a mesh, and what a search begins with.
struct Setting<'a, 'p> {
    analysis: &'a Analysis<'p>,
    machine: &'a Machine,
    estimator: Estimator<'a>,
    /// What the program, the options and the tactics decide.
    start: Assignment,
}

/// Does something with the program on a mesh; that of the program where the options name none.
fn on_mesh<T>(
    question: &Question<'_>,
    options: &Options,
    work: impl FnOnce(Setting<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let program = question.program;
    let imported = Compiler::new().options(options.clone()).import(&program.module);
    let Imported { inlined, mesh } = imported.map_err(|e| program.fail(e))?;
    let layers = Layers::of_deep(&inlined);
    let analysis = Analysis::new(&inlined, layers.as_ref(), mesh, question.grouping);
    let analysis = analysis.map_err(|e| program.fail(e))?;
    let Analysis { subject, space, .. } = &analysis;
    let mut machine = Machine::new(question.profile, &subject.mesh)?;
    if let Some(memory) = question.memory {
        machine.memory = memory;
    }
    let mut estimator = Estimator::new(subject, space, machine.clone());
    let mut start = fixed(subject, space);
    for tactic in question.tactics {
        start = tactic.apply(subject, space, &mut estimator, &start)?;
    }
    work(Setting { analysis: &analysis, machine: &machine, estimator, start })
}

/// The best plan on one mesh.
pub(super) fn one_mesh(
    question: &Question<'_>,
    options: &Options,
    limits: &Limits,
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<Outcome, Failure> {
    on_mesh(question, options, |setting| searched(question.program, setting, limits, watch))
}

/// What the strategy graph says of the mesh on which something was found, in about so much time.
pub(super) fn graph_of(
    question: &Question<'_>,
    outcome: &Outcome,
    time: Duration,
) -> Result<Option<GraphCost>, Failure> {
    let options = Options { mesh: Some(outcome.mesh.clone()), ..question.options.clone() };
    let found = &outcome.found;
    on_mesh(question, &options, |Setting { estimator, start, .. }| {
        let cuts = found.plans.first().map(|plan| &plan.cuts[..]);
        Ok(graph_cost(&estimator, &start, cuts, Some(Instant::now() + time), question.limits.seed))
    })
}

fn searched(
    program: &Program,
    Setting { analysis, machine, mut estimator, start }: Setting<'_, '_>,
    limits: &Limits,
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<Outcome, Failure> {
    let Analysis { subject, space, shorter } = analysis;
    let judge = Judge::new(subject, space, machine).by_layers(shorter.as_ref());
    let found = search(&judge, &mut estimator, &start, limits, watch).map_err(|e| program.fail(e))?;
    if found.plans.is_empty() {
        let message = "the time limit is too short to look at one plan in full";
        return Err(Failure::new("auto", message).fix("give more seconds: `--time-limit 60`"));
    }
    let names = Names { subject, space, input: &program.module };
    let described = found.plans.iter().map(|p| names.alternative(p)).collect();
    let words = found.plans.iter().map(|p| names.words(p)).collect();
    let plans: Vec<Plan> = found.plans.iter().map(|p| write_plan(subject, &program.module, p)).collect();
    let axes = subject.mesh.axes().iter().map(|axis| (axis.name.clone(), axis.size)).collect();
    let line = |(value, _): &(ValueId, _)| {
        let module = &subject.whole.module;
        let line = module.source_line(module.values[*value].loc)?;
        Some((subject.whole.input_name(&program.module, *value), line))
    };
    let lines = found.plans.iter().flat_map(|plan| &plan.constraints).filter_map(line).collect();
    let (mesh, limit, measured) = (MeshSpec { axes }, machine.memory, Vec::new());
    Ok(Outcome { mesh, plans, found, limit, described, words, lines, measured })
}

impl Outcome {
    /// Puts a plan first: it is the best from now on.
    pub(super) fn put_first(&mut self, plan: usize) {
        self.plans[..=plan].rotate_right(1);
        self.found.plans[..=plan].rotate_right(1);
        self.words[..=plan].rotate_right(1);
        self.described[..=plan].rotate_right(1);
    }

    /// What outcomes are compared by.
    pub(super) fn rank(&self) -> f64 {
        self.found.plans[0].cost.rank(self.limit)
    }

    /// Says by how much the best plan is too large, and what would help.
    pub(super) fn refuse_what_does_not_fit(&self, program: &Program) -> Result<(), Failure> {
        let best = &self.found.plans[0];
        if best.cost.memory <= self.limit {
            return Ok(());
        }
        let least = self.found.plans.iter().map(|p| p.cost.memory).min().unwrap_or(best.cost.memory);
        let devices: i64 = self.mesh.axes.iter().map(|a| a.1).product();
        let factor = least.div_ceil(self.limit.max(1));
        let message = format!(
            "no plan that was found fits: the smallest holds {} on a device, {} more than the {} it has",
            format::bytes(least),
            format::bytes(least.saturating_sub(self.limit)),
            format::bytes(self.limit)
        );
        let stored = best.assignment.store.contains(&Store::Parameters);
        let zero = if stored || best.by_tensor {
            ""
        } else {
            ", with parameters and optimizer state split over all of them (`--tactic zero3:AXIS`)"
        };
        let fix = format!(
            "about {} devices would hold it{zero}, or fewer with smaller batches or with activations that are computed again (`jax.checkpoint`)",
            devices.saturating_mul(factor as i64)
        );
        Err(Failure::new("memory", message).file(&*program.file).fix(fix))
    }

    /// The plan, what it costs, how the search went, and the alternatives.
    pub fn json(&self) -> Value {
        let cost = &self.found.plans[0].cost;
        json!({
            "schema": 1,
            "mesh": plan::axes_json(&self.mesh.axes),
            "plan": self.plan_json(),
            "decisions": self.described[0]["decisions"],
            "cost": cost.seconds,
            "step_seconds": cost.seconds,
            "compute_seconds": cost.compute,
            "communication_seconds": cost.communication,
            "ring_bytes": cost.ring_bytes,
            "executions": cost.executions,
            "peak_memory": cost.memory,
            "graph_cost": self.found.graph.and_then(|graph| graph.cost),
            "lower_bound": self.found.graph.map(|graph| graph.lower_bound),
            "evaluations": self.found.estimates,
            "judged": self.found.judged,
            "by_layers": self.found.plans[0].by_layers,
            "lines": describe::lines(&self.found.plans[0]),
            "seconds": self.found.time.as_secs_f64(),
            "stop_reason": self.found.stop.name(),
            "alternatives": self.described[1..],
            "measured": self.measured.iter().map(Measured::json).collect::<Vec<_>>(),
        })
    }

    /// Why an argument, a result or a value lies as it does: what the best plan costs in which it lies otherwise, and where that sends more.
    pub fn explain(&self, name: &str) -> Result<String, Failure> {
        let lies = |n: usize| {
            let Plan { arguments, results, constraints, .. } = &self.plans[n];
            arguments
                .iter()
                .chain(results)
                .chain(constraints)
                .find(|(known, _)| known == name)
                .map(|(_, spec)| spec)
        };
        let known = |n: usize| lies(n).map_or("left to propagation", String::as_str);
        if (0..self.plans.len()).all(|n| lies(n).is_none()) {
            let message = format!("no plan says anything of `{name}`");
            return Err(Failure::new("name", message).fix(
                "name an argument, a result (`result0`) or a value with a constraint, as the plan has it",
            ));
        }
        let mut text = format!("{name} is {}\n", known(0));
        let Some(other) = (1..self.plans.len()).find(|n| lies(*n) != lies(0)) else {
            text.push_str("no plan that was judged in full has it otherwise\n");
            return Ok(text);
        };
        text.push_str(&format!("the best plan in which it is {}: {}\n", known(other), self.words[other]));
        text.push_str(&describe::compared(&self.found.plans[0], &self.found.plans[other]));
        Ok(text)
    }

    /// The plan, with the lines that its constraints stand on.
    pub fn plan_json(&self) -> Value {
        let mut json = plan::json(&self.plans[0]);
        if let Some(constraints) = json["constraints"].as_array_mut() {
            for constraint in constraints {
                let line = constraint["value"].as_str().and_then(|name| self.lines.get(name));
                constraint["location"] = json!(line);
            }
        }
        json
    }

    /// The compiler by which the plan gives what was found.
    pub fn compiler(&self, options: &Options, profile: &Profile) -> Result<Compiler, Failure> {
        self.compiler_of(0, options, profile)
    }

    /// The same with another of the plans.
    pub(super) fn compiler_of(
        &self,
        plan: usize,
        options: &Options,
        profile: &Profile,
    ) -> Result<Compiler, Failure> {
        let device = Device { profile: Some(profile.clone()), memory: Some(self.limit), ..Device::default() };
        Ok(Compiler::new().options(self.options_of(plan, options)?).device(device))
    }

    /// What is said of a program, the plan included.
    pub fn options(&self, options: &Options) -> Result<Options, Failure> {
        self.options_of(0, options)
    }

    /// The same with another of the plans.
    pub(super) fn options_of(&self, plan: usize, options: &Options) -> Result<Options, Failure> {
        let mut options = Options { mesh: Some(self.mesh.clone()), ..options.clone() };
        self.plans[plan].add_to(&mut options)?;
        Ok(options)
    }

    /// The program with the shardings of the plan, completed.
    pub fn annotated(&self, program: &Program, options: &Options) -> Result<Module, Failure> {
        let compiler = Compiler::new().options(self.options(options)?);
        let Sharded { mut inlined, shardings, .. } =
            compiler.shard_all(&program.module).map_err(|e| program.fail(e))?;
        export::complete(&mut inlined.module, &shardings);
        Ok(inlined.module)
    }
}
