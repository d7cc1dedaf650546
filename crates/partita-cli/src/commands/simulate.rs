//! `partita simulate`.

use super::passes::PassArgs;
use super::sharding::{self, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::report::simulation::{Rates, Simulated};
use crate::report::{Report, simulation, trace};
use crate::{calibrate, format, input, output};
use partita::device::Profile;
use partita::inline::Inlined;
use partita::optimise::weight_update;
use partita::partition::Signature;
use partita::simulate::{Program, Simulation, model_flops, simulate};
use partita::{Compiler, Device};
use serde_json::json;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Tell what a program takes on devices that need not be there
///
/// A program for one device is partitioned first; what `partita partition` wrote is taken as it is.
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    #[arg(required_unless_present = "calibrate")]
    file: Option<PathBuf>,

    /// Tokens in one step, to show tokens per second
    #[arg(long, value_name = "N")]
    tokens: Option<f64>,

    /// Samples in one step, to show samples per second
    #[arg(long, value_name = "N")]
    samples: Option<f64>,

    /// The memory of a device, such as `16G`, where it is not that of the profile
    #[arg(long, value_name = "BYTES", value_parser = format::parse_bytes)]
    memory_limit: Option<u64>,

    /// Split the state of the optimizer and the update of the weights over the axes that gradients are summed over
    #[arg(long)]
    zero: bool,

    /// Write what happens when, to be opened in Perfetto
    #[arg(long, value_name = "OUT.json")]
    trace: Option<PathBuf>,

    /// Try every mesh with as many devices and the same axes, and show the fastest
    #[arg(long, value_name = "WHAT")]
    sweep: Option<Sweep>,

    /// Measure the devices behind a PJRT plug-in instead, and write a profile of them
    #[arg(long, conflicts_with_all = ["file", "device", "sweep", "trace"])]
    calibrate: bool,

    /// Where to write the profile that `--calibrate` makes
    #[arg(short, long, value_name = "OUT.toml", requires = "calibrate")]
    output: Option<PathBuf>,

    /// How many devices `--calibrate` measures together
    #[arg(long, value_name = "N", default_value_t = 8, requires = "calibrate", value_parser = clap::value_parser!(u16).range(1..=1024))]
    devices: u16,

    /// The PJRT plug-in that `--calibrate` measures
    #[arg(long, value_name = "SO", requires = "calibrate")]
    plugin: Option<PathBuf>,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sweep {
    /// The sizes of the axes
    Mesh,
}

/// Simulates a program and tells what it takes.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let Some(file) = args.file.as_deref() else { return calibrated(args, json) };
    let device = Device { memory: args.device.memory.or(args.memory_limit), ..args.device.device()? };
    let Some(profile) = &device.profile else {
        return Err(
            Failure::usage("`--device` is missing").fix("name what the program runs on: `--device tpu-v4`")
        );
    };
    if json && args.trace.as_deref().is_some_and(input::is_standard) {
        return Err(Failure::usage("`--json` takes standard output, so the trace cannot be written there"));
    }
    let rates = Rates { tokens: args.tokens, samples: args.samples };
    let limit = args.memory_limit.or(args.device.memory).unwrap_or(profile.memory_size);
    let program = input::load(file)?;
    let signature = Signature::read(&program.module).map_err(|e| program.fail(e))?;
    if let Some(signature) = signature {
        if args.sharding.is_given() || args.sweep.is_some() || args.zero {
            return Err(Failure::usage("the program is partitioned already, so it cannot be sharded")
                .file(&*program.file)
                .fix("leave out what shards it: it is simulated as it is"));
        }
        let per_device = Program { module: &program.module, mesh: &signature.mesh, collectives: &[] };
        let simulated = one(&device, &per_device, profile, None)?;
        return show(args, json, &per_device, profile, &simulated, rates, limit, None);
    }
    if args.sweep.is_some() {
        return sweep(args, json, program, &device, profile, rates, limit);
    }
    let compiler = compiler(args, &device)?;
    // Taking large modules apart piece by piece takes time for nothing: the process ends soon after.
    let (sharded, partitioned) = sharding::compiled(program, &compiler)?;
    let (sharded, partitioned) = (ManuallyDrop::new(sharded), ManuallyDrop::new(partitioned));
    let inlined = &sharded.of.inlined;
    let zero_saves = if args.zero { 0 } else { weight_update::saved_bytes(inlined, &sharded.of.shardings) };
    let mut simulated = one(&device, &partitioned.program(), profile, Some(inlined))?;
    simulated.zero_saves = zero_saves;
    let report = Report::new(&sharded, &partitioned);
    show(args, json, &partitioned.program(), profile, &simulated, rates, limit, Some(&report))
}

/// Measures devices and writes a profile of them.
fn calibrated(args: &Args, json: bool) -> Result<(), Failure> {
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    if json && input::is_standard(to) {
        return Err(Failure::usage("`--json` takes standard output, so the profile cannot be written there")
            .fix("name a file: `-o OUT.toml`"));
    }
    let profile = calibrate::measure(usize::from(args.devices), args.plugin.as_deref())?;
    output::write(to, |out| out.write_all(profile.as_bytes()))?;
    if json {
        return output::print_json(&json!({"schema": 1, "output": to.display().to_string()}));
    }
    Ok(())
}

/// The compiler for the device that is simulated.
fn compiler(args: &Args, device: &Device) -> Result<Compiler, Failure> {
    let compiler = Compiler::new().options(args.sharding.options()?).device(device.clone());
    Ok(compiler.passes(args.passes.options()).zero(args.zero))
}

/// Simulates one per-device program; `inlined` is what it was made of.
fn one(
    device: &Device,
    program: &Program<'_>,
    profile: &Profile,
    inlined: Option<&Inlined>,
) -> Result<Simulated, Failure> {
    let placement = device.placement(program, profile)?;
    let start = Instant::now();
    let simulation = simulate(program, profile, &placement);
    let time = start.elapsed();
    let devices = program.mesh.device_count();
    let model = inlined.map(|inlined| model_flops(&inlined.module));
    let utilization = model.map(|flops| simulation.model_flops_utilization(flops, profile, devices));
    Ok(Simulated { simulation, placement, model_flops_utilization: utilization, zero_saves: 0, time })
}

/// That a program fits the memory of a device.
fn fits(simulation: &Simulation, profile: &Profile, limit: u64) -> Result<(), Failure> {
    let needed = simulation.peak_memory;
    if needed <= limit {
        return Ok(());
    }
    let message = format!(
        "the program needs {} on every device, {} more than the {} of {}",
        format::bytes(needed),
        format::bytes(needed - limit),
        format::bytes(limit),
        profile.name
    );
    Err(Failure::new("memory", message)
        .fix("shard it over more devices or along more axes, or raise `--memory-limit`"))
}

#[allow(clippy::too_many_arguments, reason = "what a report is made of")]
fn show(
    args: &Args,
    json: bool,
    program: &Program<'_>,
    profile: &Profile,
    simulated: &Simulated,
    rates: Rates,
    limit: u64,
    report: Option<&Report<'_>>,
) -> Result<(), Failure> {
    fits(&simulated.simulation, profile, limit).map_err(|failure| match &args.file {
        Some(file) => failure.file(input::name(file)),
        None => failure,
    })?;
    if let Some(path) = &args.trace {
        let events = trace::json(program, profile, &simulated.simulation);
        output::write(path, |out| Ok(serde_json::to_writer(out, &events)?))?;
    }
    if json {
        let mut object = report.map_or_else(|| simulation::head(program), Report::json);
        simulation::add_json(&mut object, simulated, rates);
        return output::print_json(&object);
    }
    let text = simulation::words(program, profile, simulated, rates, limit);
    // Standard output may hold the trace.
    if args.trace.as_deref().is_some_and(input::is_standard) {
        output::print_error(&text)
    } else {
        output::print(&text)
    }
}

/// Simulates every mesh with the same axes and as many devices.
fn sweep(
    args: &Args,
    json: bool,
    program: input::Program,
    device: &Device,
    profile: &Profile,
    rates: Rates,
    limit: u64,
) -> Result<(), Failure> {
    let compiler = compiler(args, device)?;
    let mut tried = Vec::new();
    for mesh in sharding::meshes_alike(&program, &compiler)? {
        let compiled = compiler.clone().mesh(mesh.clone()).compile(&program.module);
        let outcome = compiled.map_err(|e| program.fail(e)).and_then(|compiled| {
            let inlined = &compiled.sharded.inlined;
            let simulated = one(device, &compiled.partitioned.program(), profile, Some(inlined))?;
            fits(&simulated.simulation, profile, limit)?;
            Ok(simulated)
        });
        tried.push((mesh, outcome));
    }
    // The fastest first; those that cannot be last, as they were tried.
    tried.sort_by(|(_, a), (_, b)| {
        let seconds =
            |o: &Result<Simulated, Failure>| o.as_ref().map_or(f64::INFINITY, |s| s.simulation.step_seconds);
        seconds(a).total_cmp(&seconds(b))
    });
    if json {
        return output::print_json(&simulation::sweep_json(&tried, rates));
    }
    output::print(&simulation::sweep_words(&tried, rates))
}
