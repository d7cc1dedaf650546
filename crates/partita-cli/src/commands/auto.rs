//! `partita auto`.

mod describe;

use super::sharding::{self, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::input::{self, Program};
use crate::progress::Spinner;
use crate::{format, output, plan};
use describe::Names;
use partita::device::Profile;
use partita::inline::Inlined;
use partita::propagate::propagate;
use partita::sharding::apply::{Options, prepare};
use partita::sharding::export;
use partita::sharding::plan::Plan;
use partita::sharding::spec::MeshSpec;
use partita::text::print::print;
use partita_auto::{
    Estimator, Event, Found, Judge, Limits, Machine, Space, Subject, Tactic, fixed, plan as write_plan,
    search,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Find how a program is best split over a mesh
///
/// What the program, `--shard` and `--plan` say is kept; the search decides the rest. Every plan it looks at is a correct program.
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Where to write the program with the shardings that were found
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Where to write the plan, as JSON that `--plan` reads
    #[arg(long, value_name = "PLAN.json")]
    save_plan: Option<PathBuf>,

    /// How many devices there are, in place of `--mesh`: meshes of one and two axes are tried
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), conflicts_with = "mesh")]
    devices: Option<i64>,

    /// What a device can hold, such as `16G`; that of the kind of device where nothing is said
    #[arg(long, value_name = "BYTES", value_parser = format::parse_bytes)]
    memory: Option<u64>,

    /// Seconds that the search may take
    #[arg(long, value_name = "SEC", default_value_t = 60.0)]
    time_limit: f64,

    /// What ties are broken by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// What a faster plan must gain over one with fewer collectives, as a part of its time
    #[arg(long, value_name = "PART", default_value_t = Limits::default().margin)]
    margin: f64,

    /// Print the decisions that are left, and stop
    #[arg(long)]
    space: bool,

    /// Print a line of JSON on standard error for each plan that is looked at
    #[arg(long)]
    record: bool,

    /// What to do first, as `data:x`: data, megatron, zero1, zero2, zero3, fsdp, sequence, expert, spatial or pipeline, over an axis; in this order
    #[arg(long = "tactic", value_name = "TACTIC:AXIS")]
    tactics: Vec<String>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

/// What the search takes the devices for where nothing is said of them: cores of 16 GiB on a torus.
const DEFAULT_DEVICE: &str = partita::device::BUILT_IN[0].1;

/// Finds a plan for a program.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    refuse_impossible(args, json)?;
    let options = args.sharding.options()?;
    let tactics: Vec<Tactic> = args.tactics.iter().map(|t| Tactic::parse(t)).collect::<Result<_, _>>()?;
    let profile = match args.device.profile()? {
        Some(profile) => profile,
        None => partita::device::read(DEFAULT_DEVICE)?,
    };
    let program = input::load(&args.file)?;
    if args.space {
        return print_space(&program, &options, json);
    }
    // Where the handler cannot be set, Ctrl-C ends the command.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let start = Instant::now();
    let mut best: Option<Outcome> = None;
    let meshes = meshes(args, &options);
    for (n, mesh) in meshes.iter().enumerate() {
        let options = Options { mesh: mesh.clone(), ..options.clone() };
        let left = (args.time_limit - start.elapsed().as_secs_f64()).max(0.0) / (meshes.len() - n) as f64;
        let outcome =
            one_mesh(args, (&program, &profile, &tactics), &options, Duration::from_secs_f64(left))?;
        let limit = outcome.limit;
        let better =
            |known: &Outcome| outcome.found.plans[0].cost.rank(limit) < known.found.plans[0].cost.rank(limit);
        if best.as_ref().is_none_or(better) {
            best = Some(outcome);
        }
    }
    let Some(best) = best else { return Err(Failure::new("auto", "there is no mesh to try")) };
    best.refuse_what_does_not_fit(&program)?;
    finish(args, json, &program, &options, &best)
}

fn refuse_impossible(args: &Args, json: bool) -> Result<(), Failure> {
    if !args.time_limit.is_finite() || args.time_limit < 0.0 {
        return Err(
            Failure::usage("`--time-limit` is no number of seconds").fix("write it as `--time-limit 60`")
        );
    }
    if !args.margin.is_finite() || args.margin < 0.0 {
        return Err(Failure::usage("`--margin` is no part of a time").fix("write it as `--margin 0.1`"));
    }
    if json && args.output.as_deref().is_some_and(input::is_standard) {
        return Err(Failure::usage("`--json` takes standard output, so the program cannot be written there")
            .fix("name a file: `-o OUT`"));
    }
    Ok(())
}

/// The meshes to try.
fn meshes(args: &Args, options: &Options) -> Vec<Option<MeshSpec>> {
    let Some(devices) = args.devices else { return vec![options.mesh.clone()] };
    let axis = |name: &str, size| (name.to_string(), size);
    let mut list = vec![Some(MeshSpec { axes: vec![axis("data", devices)] })];
    for model in (2..devices).filter(|n| devices % n == 0) {
        list.push(Some(MeshSpec { axes: vec![axis("data", devices / model), axis("model", model)] }));
    }
    list
}

/// What was found for one mesh.
struct Outcome {
    mesh: MeshSpec,
    plan: Plan,
    found: Found,
    limit: u64,
    described: Vec<Value>,
    words: Vec<String>,
}

/// Ctrl-C ends the search, not the command.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn one_mesh(
    args: &Args,
    (program, profile, tactics): (&Program, &Profile, &[Tactic]),
    options: &Options,
    time: Duration,
) -> Result<Outcome, Failure> {
    let mut inlined = sharding::inlined(program)?;
    let mesh = prepare(&program.module, &mut inlined, options).map_err(|e| program.fail(e))?;
    let subject = Subject::new(&inlined, mesh).map_err(|e| program.fail(e))?;
    let space = Space::new(&subject);
    let mut machine = Machine::new(profile, &subject.mesh)?;
    if let Some(memory) = args.memory {
        machine.memory = memory;
    }
    let limit = machine.memory;
    let mut estimator = Estimator::new(&subject, &space, machine.clone());
    let judge = Judge { subject: &subject, space: &space, machine: &machine };
    let limits = Limits { time, seed: args.seed, margin: args.margin, ..Limits::default() };
    let mut start = fixed(&subject, &space);
    for tactic in tactics {
        start = tactic.apply(&subject, &space, &mut estimator, &start)?;
    }
    let mut line = Spinner::new();
    let mut watch = |event: Event<'_>| {
        line.say(|| describe::progress(&event));
        if args.record {
            // A record that cannot be written is no reason to end the search.
            let _ = output::print_error(&format!("{}\n", describe::record(&event)));
        }
        !INTERRUPTED.load(Ordering::Relaxed)
    };
    let found =
        search(&judge, &mut estimator, &start, &limits, &mut watch).map_err(|e| program.fail(vec![e]))?;
    drop(line);
    let names = Names { subject: &subject, space: &space };
    let described = found.plans.iter().map(|p| names.alternative(p)).collect();
    let words = found.plans.iter().map(|p| names.words(p)).collect();
    let Some(best) = found.plans.first() else {
        let message = "the time limit is too short to look at one plan in full";
        return Err(Failure::new("auto", message).fix("give more seconds: `--time-limit 60`"));
    };
    let plan = write_plan(&subject, &program.module, best);
    let mesh = MeshSpec { axes: plan.mesh.clone() };
    Ok(Outcome { mesh, plan, found, limit, described, words })
}

impl Outcome {
    /// Says by how much the best plan is too large, and what would help.
    fn refuse_what_does_not_fit(&self, program: &Program) -> Result<(), Failure> {
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
        let fix = format!(
            "about {} devices would hold it, or fewer with smaller batches or with activations that are computed again (`jax.checkpoint`)",
            devices.saturating_mul(factor as i64)
        );
        Err(Failure::new("memory", message).file(&*program.file).fix(fix))
    }
}

/// Writes what was asked for.
fn finish(
    args: &Args,
    json: bool,
    program: &Program,
    options: &Options,
    best: &Outcome,
) -> Result<(), Failure> {
    let plan_json = plan::json(&best.plan);
    if let Some(path) = &args.save_plan {
        let text = format!("{plan_json:#}\n");
        output::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    if let Some(path) = &args.output {
        let text = print(&annotated(program, options, best)?.module);
        output::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    let plans = &best.found.plans;
    if json {
        let cost = &plans[0].cost;
        return output::print_json(&json!({
            "schema": 1,
            "mesh": best.mesh.axes.iter().map(|(name, size)| json!([name, size])).collect::<Vec<_>>(),
            "plan": plan_json,
            "decisions": best.described[0]["decisions"],
            "cost": cost.seconds,
            "step_seconds": cost.seconds,
            "compute_seconds": cost.compute,
            "communication_seconds": cost.communication,
            "ring_bytes": cost.ring_bytes,
            "peak_memory": cost.memory,
            "evaluations": best.found.estimates,
            "judged": plans.len(),
            "seconds": best.found.time.as_secs_f64(),
            "stop_reason": best.found.stop.name(),
            "alternatives": best.described[1..],
        }));
    }
    let mut text = format!("{}\n", best.words[0]);
    for (n, other) in best.words.iter().enumerate().skip(1) {
        text.push_str(&format!("alternative {n}: {other}\n"));
    }
    text.push_str(&format!(
        "{} looked at, {} in full, in {} ({})\n",
        format::counted(best.found.estimates, "plan"),
        format::count(plans.len()),
        format::duration(best.found.time),
        best.found.stop.name()
    ));
    if args.output.as_deref().is_some_and(input::is_standard) {
        return output::print_error(&text);
    }
    output::print(&text)
}

/// The program with the shardings of the plan, completed.
fn annotated(program: &Program, options: &Options, best: &Outcome) -> Result<Inlined, Failure> {
    let mut options = Options { mesh: Some(best.mesh.clone()), ..options.clone() };
    best.plan.add_to(&mut options)?;
    let mut inlined = sharding::inlined(program)?;
    let mesh = prepare(&program.module, &mut inlined, &options).map_err(|e| program.fail(e))?;
    let found = propagate(&inlined, mesh).map_err(|e| program.fail(e))?;
    export::complete(&mut inlined, &found);
    Ok(inlined)
}

fn print_space(program: &Program, options: &Options, json: bool) -> Result<(), Failure> {
    let mut inlined = sharding::inlined(program)?;
    let mesh = prepare(&program.module, &mut inlined, options).map_err(|e| program.fail(e))?;
    let subject = Subject::new(&inlined, mesh).map_err(|e| program.fail(e))?;
    let space = Space::new(&subject);
    let names = Names { subject: &subject, space: &space };
    if json {
        return output::print_json(&names.space_json(&program.module));
    }
    output::print(&names.space_words(&program.module))
}
