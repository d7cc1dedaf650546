//! What a simulated program takes, for people and for programs.

use crate::device::describe;
use crate::error::Failure;
use crate::{format, plan};
use partita::device::{Placement, Profile};
use partita::ir::OpRef;
use partita::sharding::spec::MeshSpec;
use partita::simulate::{OpTime, Program, Simulation};
use partita::text::print::printed_names;
use serde_json::{Value, json};
use std::time::Duration;

/// How many of the costliest are shown.
const SHOWN: usize = 10;

/// A program that was simulated.
pub struct Simulated {
    /// What it takes.
    pub simulation: Simulation,
    /// Where its mesh lies.
    pub placement: Placement,
    /// The part of the peak that the program as it was written takes, where that is known.
    pub model_flops_utilization: Option<f64>,
    /// The bytes that every device would hold less with the state of the optimizer split.
    pub zero_saves: u64,
    /// How long simulating it took.
    pub time: Duration,
}

/// What one step works through, where the user says so.
#[derive(Clone, Copy, Default)]
pub struct Rates {
    /// Tokens.
    pub tokens: Option<f64>,
    /// Samples.
    pub samples: Option<f64>,
}

impl Rates {
    fn per_second(self, seconds: f64) -> impl Iterator<Item = (&'static str, f64)> {
        let rates = [("tokens", self.tokens), ("samples", self.samples)];
        rates.into_iter().filter_map(move |(what, n)| Some((what, n? / seconds)))
    }
}

/// What is known of a program that came partitioned.
pub fn head(program: &Program<'_>) -> Value {
    let axes: Vec<Value> = program.mesh.axes().iter().map(|a| json!([a.name, a.size])).collect();
    json!({"schema": 1, "devices": program.mesh.device_count(), "mesh": axes})
}

/// Adds what was found to a JSON object.
pub fn add_json(object: &mut Value, simulated: &Simulated, rates: Rates) {
    let Simulation { step_seconds, compute_seconds, communication_seconds, flops, peak_memory, .. } =
        simulated.simulation;
    object["step_seconds"] = json!(step_seconds);
    object["compute_seconds"] = json!(compute_seconds);
    object["communication_seconds"] = json!(communication_seconds);
    object["exposed_communication_seconds"] = json!(simulated.simulation.exposed_communication_seconds);
    object["flops"] = json!(flops);
    object["model_flops_utilization"] = json!(simulated.model_flops_utilization);
    object["hardware_flops_utilization"] = json!(simulated.simulation.hardware_flops_utilization);
    object["peak_memory"] = json!(peak_memory);
    object["zero_saves"] = json!(simulated.zero_saves);
    object["topology"] = json!(simulated.placement.lengths);
    object["timing_us"] = json!({"simulate": format::micros(simulated.time)});
    for (what, rate) in rates.per_second(step_seconds) {
        object[format!("{what}_per_second")] = json!(rate);
    }
}

/// Everything, in words.
pub fn words(
    program: &Program<'_>,
    profile: &Profile,
    simulated: &Simulated,
    rates: Rates,
    limit: u64,
) -> String {
    let s = &simulated.simulation;
    let mut text = format!("step {}", seconds(s.step_seconds));
    for (what, rate) in rates.per_second(s.step_seconds) {
        text.push_str(&format!(", {} {what} per second", format::count(rate.round() as usize)));
    }
    let devices = program.mesh.device_count();
    text.push_str(&format!(" on {} of {}\n", format::counted(devices as usize, "device"), profile.name));
    let lies = describe(program.mesh, profile, &simulated.placement);
    if !lies.is_empty() {
        text.push_str(&format!("  mesh         {lies}\n"));
    }
    text.push_str(&format!("  computing    {}\n", seconds(s.compute_seconds)));
    text.push_str(&format!(
        "  collectives  {}, of which the device waits for {}\n",
        seconds(s.communication_seconds),
        seconds(s.exposed_communication_seconds)
    ));
    let model = simulated.model_flops_utilization;
    let model = model.map_or(String::new(), |m| format!("{:.1} % of peak by the model, ", 100.0 * m));
    let hardware = 100.0 * s.hardware_flops_utilization;
    text.push_str(&format!("  utilization  {model}{hardware:.1} % as it runs\n"));
    let share = 100.0 * s.peak_memory as f64 / limit.max(1) as f64;
    text.push_str(&format!(
        "  memory       {} of {} ({share:.0} %)\n",
        format::bytes(s.peak_memory),
        format::bytes(limit)
    ));
    if simulated.zero_saves > 0 {
        let saved = format::bytes(simulated.zero_saves);
        text.push_str(&format!("  --zero       would split the state of the optimizer: {saved} less\n"));
    }
    if s.unknown_trips {
        text.push_str("  a loop says not how often it runs: it counts once\n");
    }
    text.push_str(&costliest("operations", program, s, false));
    text.push_str(&costliest("collectives", program, s, true));
    text
}

/// The ops that take the most, with their source lines.
fn costliest(title: &str, program: &Program<'_>, simulation: &Simulation, collectives: bool) -> String {
    let mut ops: Vec<&OpTime> = simulation.ops.iter().filter(|o| o.is_collective == collectives).collect();
    if ops.is_empty() {
        return format!("no {title}\n");
    }
    let total = |o: &OpTime| o.seconds * o.times;
    ops.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let name = printed_names(program.module);
    let mut text = format!("costliest {title}\n");
    for entry in ops.iter().take(SHOWN) {
        let op = program.module.op(entry.op);
        let value = op.results().next().map(&name).unwrap_or_default();
        let source = program.module.source_line(op.op().loc).unwrap_or_default();
        let line = format!(
            "  {:>10} {:>6} × {:<24} {value:<10} {}",
            seconds(total(entry)),
            entry.times,
            short(op),
            source.rsplit('/').next().unwrap_or_default()
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The name of an op without its dialect.
pub fn short(op: OpRef<'_>) -> &'static str {
    let name = op.def().name;
    name.split_once('.').map_or(name, |(_, short)| short)
}

/// `812.3 ms`.
fn seconds(time: f64) -> String {
    match time {
        t if t >= 1.0 => format!("{t:.3} s"),
        t if t >= 1e-3 => format!("{:.2} ms", t * 1e3),
        t => format!("{:.1} µs", t * 1e6),
    }
}

/// Meshes and what came of them, as JSON.
pub fn sweep_json(tried: &[(MeshSpec, Result<Simulated, Failure>)], rates: Rates) -> Value {
    let entry = |(mesh, outcome): &(MeshSpec, Result<Simulated, Failure>)| {
        let mut object = json!({"mesh": plan::axes_json(&mesh.axes)});
        match outcome {
            Ok(simulated) => add_json(&mut object, simulated, rates),
            Err(failure) => object["error"] = json!(reason(failure)),
        }
        object
    };
    json!({"schema": 1, "sweep": tried.iter().map(entry).collect::<Vec<_>>()})
}

/// Meshes and what came of them, in words.
pub fn sweep_words(tried: &[(MeshSpec, Result<Simulated, Failure>)], rates: Rates) -> String {
    let width = tried.iter().map(|(mesh, _)| mesh.to_string().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (mesh, outcome) in tried {
        let mesh = mesh.to_string();
        match outcome {
            Ok(simulated) => {
                let s = &simulated.simulation;
                text.push_str(&format!(
                    "{mesh:<width$}  {:>10}  waiting {:>10}  {:>5.1} % of peak  {:>10}",
                    seconds(s.step_seconds),
                    seconds(s.exposed_communication_seconds),
                    100.0 * simulated.model_flops_utilization.unwrap_or(s.hardware_flops_utilization),
                    format::bytes(s.peak_memory)
                ));
                for (what, rate) in rates.per_second(s.step_seconds) {
                    text.push_str(&format!("  {} {what}/s", format::count(rate.round() as usize)));
                }
                text.push('\n');
            }
            Err(failure) => text.push_str(&format!("{mesh:<width$}  {}\n", reason(failure))),
        }
    }
    text
}

fn reason(failure: &Failure) -> String {
    failure.diagnostics.first().map_or_else(String::new, |d| d.message.clone())
}
