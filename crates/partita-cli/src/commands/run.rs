//! `partita run`.

use super::job::Job;
use super::pjrt;
use super::sharding::ShardingArgs;
use crate::arguments::{self, Arguments};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::input;
use crate::npz::{self, Archive};
use crate::profile::Profile;
use crate::progress::Spinner;
use crate::results::{self, NamedResult};
use crate::{format, memory, output};
use partita::Diagnostic;
use partita::interpret::{self, Event, Output, RunError, RunErrorKind, RunOptions, Value};
use partita::ir::{FuncId, Module, Type};
use partita::partition::{Signature, shard};
use partita::value::Tensor;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Run a program on one device, or on all devices of a mesh
///
/// With `--spmd` the program is partitioned first. A file that `partita partition` wrote runs on its devices as it is. Arrays are
/// global in any case.
///
/// Runs `@main`. In a file without one every function that takes no arguments runs, as the conformance tests of
/// StableHLO want it; a check that fails exits 1.
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Arrays for the arguments, matched by name (`arg0`, or the name JAX gave), then by order
    ///
    /// Arguments without an array are made from the seed.
    #[arg(long, value_name = "IN.npz")]
    inputs: Option<PathBuf>,

    /// Where to write the results, as `out0`, `out1`, …; otherwise their first elements are printed
    #[arg(long, value_name = "OUT.npz")]
    outputs: Option<PathBuf>,

    /// What runs the program
    #[arg(long, value_enum, default_value_t = Engine::Embedded)]
    engine: Engine,

    /// The PJRT plug-in for `--engine pjrt`, a shared library
    ///
    /// Where none is named: `PARTITA_PJRT_PLUGIN`, then the one for CPUs that `scripts/plugin` installs.
    #[arg(long, value_name = "SO")]
    plugin: Option<PathBuf>,

    /// Refuse a program whose values need more memory, such as `512M` or `8G`
    ///
    /// What the system has to spare where nothing is said.
    #[arg(long, value_name = "BYTES", value_parser = format::parse_bytes)]
    memory_limit: Option<u64>,

    /// Tell which operations took how long, on standard error
    ///
    /// With a file, also write there what each device did when, as Perfetto and Chrome read it.
    #[arg(long, value_name = "OUT.json", num_args = 0..=1, require_equals = true)]
    profile: Option<Option<PathBuf>>,

    /// Partition the program and run it on all devices of its mesh
    #[arg(long)]
    spmd: bool,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,

    /// The function to run
    #[arg(long, value_name = "F")]
    function: Option<String>,

    /// What arguments without an array are made from
    ///
    /// Floats become multiples of 1/8 from -1 to 1, integers 0 to 3: small values that do not round.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// The engine of this program: compiled loops and kernels, devices on all cores
    Embedded,
    /// The reference interpreter: plain, slow and exact
    Reference,
    /// XLA behind a PJRT plug-in, on the devices it has
    Pjrt,
}

/// Runs a program and shows or saves what it returns.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    refuse_impossible(args, json)?;
    let program = input::load(&args.file)?;
    let compiler = args.spmd.then(|| args.sharding.compiler(&args.device)).transpose()?;
    let Job { program, module, signature } = Job::new(program, compiler.as_ref())?;
    let module: &Module = &module;
    let functions =
        choose(module, args.function.as_deref()).map_err(|failure| failure.file(&*program.file))?;
    let limit = args.memory_limit.unwrap_or_else(memory::to_spare);
    let needs = |func: &FuncId| estimate(args.engine, module, *func, signature.as_ref());
    let estimate = functions.iter().map(needs).max().unwrap_or(0);
    memory::check(&program.file, estimate, limit)?;

    let archive = args.inputs.as_deref().map(Archive::open).transpose()?;
    let globals: Option<Vec<Type>> =
        signature.as_ref().map(|s| s.arguments.iter().map(|a| Type::Tensor(a.ty.clone())).collect());
    let mut input_time = Duration::ZERO;
    let mut run_time = Duration::ZERO;
    let mut results = Vec::new();
    let mut errors = Vec::new();
    let mut numbered = 0;
    let mut profile = args.profile.as_ref().map(|_| Profile::new(module));
    for &func in &functions {
        let start = Instant::now();
        let arguments = arguments::gather(module, func, globals.as_deref(), archive.as_ref(), args.seed)?;
        tell(&arguments, args.seed);
        input_time += start.elapsed();
        let start = Instant::now();
        let engine =
            if args.engine == Engine::Reference { interpret::run_grid } else { partita_exec::run_grid };
        let what = What { engine, module, func, signature: signature.as_ref() };
        let outcome = match args.engine {
            Engine::Pjrt => Ok(pjrt::run(module, func, signature.clone(), arguments, args.plugin.as_deref())
                .map_err(|failure| failure.file(&*program.file))?),
            Engine::Embedded | Engine::Reference => {
                run_function(what, arguments, limit, json, profile.as_mut())
            }
        };
        run_time += start.elapsed();
        match outcome {
            Ok(values) => numbered = results::collect(name(module, func), values, numbered, &mut results),
            Err(error) => errors.extend(diagnostics(module, &error)),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::in_program(program.file, program.text, errors));
    }

    let start = Instant::now();
    if let Some(path) = &args.outputs {
        let arrays: Vec<_> = results.iter().map(|r| (r.name.clone(), &r.tensor)).collect();
        output::write(path, |out| npz::write(out, &arrays))?;
    }
    if let (Some(profile), Some(Some(path))) = (&profile, &args.profile) {
        output::write(path, |out| Ok(serde_json::to_writer(out, &profile.trace())?))?;
    }
    let write_time = start.elapsed();
    if json {
        let engine = match args.engine {
            Engine::Embedded => "embedded",
            Engine::Reference => "reference",
            Engine::Pjrt => "pjrt",
        };
        let mut object = json!({
            "schema": 1,
            "ok": true,
            "engine": engine,
            "devices": signature.as_ref().map_or(1, |s| s.mesh.device_count()),
            "functions": functions.iter().map(|&f| name(module, f)).collect::<Vec<_>>(),
            "results": results.iter().map(NamedResult::json).collect::<Vec<_>>(),
            "memory": { "estimate": estimate, "limit": limit },
            "timing_us": {
                "parse": format::micros(program.parse_time),
                "verify": format::micros(program.verify_time),
                "inputs": format::micros(input_time),
                "run": format::micros(run_time),
                "write": format::micros(write_time),
            },
        });
        if let Some(profile) = &profile {
            object["profile"] = profile.json();
        }
        return output::print_json(&object);
    }
    if args.outputs.is_none() {
        output::print(&summary(module, &functions, &results))?;
    }
    match &profile {
        Some(profile) => output::print_error(&profile.text()),
        None => Ok(()),
    }
}

/// Refuses options that cannot go together, before anything is read.
fn refuse_impossible(args: &Args, json: bool) -> Result<(), Failure> {
    if args.engine != Engine::Pjrt && args.plugin.is_some() {
        return Err(Failure::usage("`--plugin` is for `--engine pjrt`").fix("add `--engine pjrt`"));
    }
    if args.engine == Engine::Pjrt && args.profile.is_some() {
        return Err(Failure::usage("`--engine pjrt` cannot tell the time of single operations")
            .fix("leave out `--profile`, or use another engine"));
    }
    if !args.spmd && (args.sharding.is_given() || args.device.is_given()) {
        let message = "options for shardings and devices are for a run on all devices of a mesh";
        return Err(Failure::usage(message).fix("add `--spmd`"));
    }
    let is_standard = |path: &Option<PathBuf>| path.as_deref().is_some_and(input::is_standard);
    if input::is_standard(&args.file) && is_standard(&args.inputs) {
        return Err(Failure::usage("the program and its inputs cannot both come from standard input"));
    }
    if json && is_standard(&args.outputs) {
        return Err(Failure::usage("`--json` takes standard output, so the results cannot be written there")
            .fix("name a file: `--outputs OUT.npz`"));
    }
    Ok(())
}

fn name(module: &Module, func: FuncId) -> &str {
    &module.strings[module.funcs[func].name]
}

/// The function that was asked for, or `@main`, or every function without arguments.
fn choose(module: &Module, asked: Option<&str>) -> Result<Vec<FuncId>, Failure> {
    let names = || -> String {
        let names: Vec<String> =
            module.funcs.ids().take(8).map(|f| format!("`@{}`", name(module, f))).collect();
        let more = if module.funcs.len() > names.len() { ", …" } else { "" };
        format!("the file has {}{more}", names.join(", "))
    };
    if module.funcs.is_empty() {
        return Err(Failure::new("no-function", "the file has no functions to run"));
    }
    if let Some(asked) = asked {
        let bare = asked.trim_start_matches('@');
        let found = module.func_named(bare);
        return match found {
            Some(func) => Ok(vec![func]),
            None => Err(Failure::new("no-function", format!("there is no function `@{bare}`")).fix(names())),
        };
    }
    if let Some(main) = module.func_named("main") {
        return Ok(vec![main]);
    }
    let ready = |f: &FuncId| module.funcs[*f].inputs.is_empty() && module.funcs[*f].body.is_some();
    let functions: Vec<FuncId> = module.funcs.ids().filter(ready).collect();
    if functions.is_empty() {
        return Err(Failure::new("no-function", "there is no `@main`, and no function without arguments")
            .fix(format!("choose one with `--function`; {}", names())));
    }
    Ok(functions)
}

/// Bytes that a run of a function needs; at least those of its arguments, which are made before it starts. Global arrays are there besides
/// their shards.
fn estimate(engine: Engine, module: &Module, func: FuncId, signature: Option<&Signature>) -> u64 {
    let devices = signature.map_or(1, |s| s.mesh.device_count() as u64);
    let values = match engine {
        Engine::Embedded => partita_exec::estimate_memory(module, func, devices),
        _ => interpret::estimate_memory(module, func).saturating_mul(devices),
    };
    let inputs = module.funcs[func].inputs.iter().map(|&ty| module.types[ty].bytes() as u64);
    let globals = signature.into_iter().flat_map(|s| s.arguments.iter().chain(&s.results));
    let globals = globals.map(|global| global.ty.bytes() as u64).fold(0, u64::saturating_add);
    values.max(inputs.fold(0, u64::saturating_add)).saturating_add(globals)
}

/// Says where arguments came from, where that is not plain.
fn tell(arguments: &Arguments, seed: u64) {
    let mut notes = arguments.notes.clone();
    if arguments.sampled > 0 {
        let whole = format::counted(arguments.count, "argument");
        let made = if arguments.sampled == arguments.count {
            whole
        } else {
            format!("{} of {whole}", format::count(arguments.sampled))
        };
        notes.push(format!("{made} made from the seed {seed}"));
    }
    for note in notes {
        // A note that cannot be shown is no reason to fail.
        let _ = output::print_error(&format!("note: {note}\n"));
    }
}

/// What is run: a function, on one device or on all that its signature names.
struct What<'m> {
    engine: interpret::Engine,
    module: &'m Module,
    func: FuncId,
    signature: Option<&'m Signature>,
}

fn run_function(
    what: What<'_>,
    arguments: Arguments,
    limit: u64,
    json: bool,
    profile: Option<&mut Profile<'_>>,
) -> Result<Vec<Value>, RunError> {
    let mut spinner = Spinner::new();
    let mut progress = |progress| spinner.update(progress);
    let mut show = |shown: Output<'_>| show(&shown, json);
    let mut trace = profile.map(|profile| |event| profile.add(event));
    let mut options = RunOptions {
        engine: what.engine,
        memory_limit: Some(limit),
        progress: Some(&mut progress),
        trace: trace.as_mut().map(|trace| trace as &mut dyn FnMut(Event)),
        threads: threads(),
        output: Some(&mut show),
        ..RunOptions::default()
    };
    match what.signature {
        Some(signature) => {
            let tensors: Vec<Tensor> = arguments.values.into_iter().filter_map(Value::into_tensor).collect();
            let results = signature.run(what.module, &tensors, shard, &mut options);
            results.map(|tensors| tensors.into_iter().map(Value::Tensor).collect())
        }
        None => interpret::run(what.module, what.func, arguments.values, &mut options),
    }
}

/// How many threads the environment allows, where it says so.
fn threads() -> Option<usize> {
    std::env::var("PARTITA_THREADS").ok()?.parse().ok().filter(|count| *count > 0)
}

/// Shows what a program prints on standard output, unless that is kept for JSON; the rest are notes.
fn show(shown: &Output<'_>, json: bool) {
    let list = |tensors: &[Tensor]| tensors.iter().map(|t| t.ty().to_string()).collect::<Vec<_>>().join(", ");
    let (text, printed) = match shown {
        Output::Print { name, tensor } => (format!("{name} = {}\n", interpret::render_tensor(tensor)), true),
        Output::Probe { id, iteration, tensor } => {
            (format!("note: probe `{id}`, iteration {iteration}: {}\n", tensor.ty()), false)
        }
        Output::Outfeed { tensors, .. } => (format!("note: outfeed of {}\n", list(tensors)), false),
        Output::HostSend { channel, tensors } => {
            (format!("note: sent to the host on channel {channel}: {}\n", list(tensors)), false)
        }
        _ => return,
    };
    // The program runs on even where nobody reads what it shows.
    let _ = if printed && !json { output::print(&text) } else { output::print_error(&text) };
}

/// The errors of a run, each at the operation that failed.
fn diagnostics(module: &Module, error: &RunError) -> Vec<Diagnostic> {
    let code = match error.kind {
        RunErrorKind::Program => "run",
        RunErrorKind::Checks => "check-failed",
        RunErrorKind::Refused => "refused",
        RunErrorKind::Memory => "memory",
        RunErrorKind::Deadlock => "deadlock",
        RunErrorKind::Stopped => "stopped",
    };
    let diagnostic = |failure: &interpret::Failure| {
        let mut diagnostic = Diagnostic::new(code, failure.span, failure.to_string());
        if let Some(op) = failure.op {
            let results = module.ops[op].results;
            diagnostic.value = (!results.is_empty()).then(|| module.value_name(results.at(0)));
            if let Some(line) = module.source_line(module.ops[op].loc) {
                diagnostic.label = format!("from {line}").into();
            }
        }
        diagnostic
    };
    error.failures.iter().map(diagnostic).collect()
}

fn summary(module: &Module, functions: &[FuncId], results: &[NamedResult]) -> String {
    let mut text = String::new();
    for &func in functions {
        let function = name(module, func);
        text.push_str(&format!("@{function}: ok\n"));
        for result in results.iter().filter(|r| r.function == function) {
            text.push_str(&format!("  {}\n", result.summary()));
        }
    }
    text
}
