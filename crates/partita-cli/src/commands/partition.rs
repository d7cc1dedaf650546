//! `partita partition`.

use super::passes::{self, PassArgs};
use super::sharding::{Sharded, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::report::{Report, ledger};
use crate::{format, input, memory, output, plan};
use partita::Diagnostic;
use partita::compiler::{Compiled, Snapshot, Stage, Stopped};
use partita::equal::{self, Unverified, Verdict};
use partita::interpret::RunOptions;
use partita::ir::OpId;
use partita::ledger::Entry;
use partita::optimise::pass_named;
use partita::partition::Partitioned;
use partita::text::print;
use serde_json::json;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Write the program that every device of a mesh runs
///
/// Shows what it sends, and which operation needed that.
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Where to write it
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Run the program on one device and on all devices of the mesh, and compare
    ///
    /// Where they differ nothing is written. The inputs are made from the seed: small exact values.
    #[arg(long)]
    verify: bool,

    /// What the inputs of `--verify` are made from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Refuse to verify a program whose values need more memory, such as `512M` or `8G`
    #[arg(long, value_name = "BYTES", value_parser = format::parse_bytes)]
    memory_limit: Option<u64>,

    /// Split the state of the optimizer and the update of the weights over the axes that gradients are summed over
    #[arg(long)]
    zero: bool,

    /// Refuse a program in which an operation had to be gathered, or a value went through full replication
    #[arg(long)]
    strict: bool,

    /// Refuse a program whose collectives send more bytes per device
    #[arg(long, value_name = "N", value_parser = format::parse_bytes)]
    max_bytes: Option<u64>,

    /// Write the plan by which `--plan` gives the same shardings again
    #[arg(long, value_name = "OUT")]
    save_plan: Option<PathBuf>,

    /// Write the program as it is after a stage, and stop: `parse`, `import`, `propagate`, `partition`, or a pass by its name
    #[arg(long, value_name = "STAGE", value_parser = DumpAfter::parse)]
    dump_after: Option<DumpAfter>,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

/// The stage after which `--dump-after` stops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DumpAfter {
    /// As it was read
    Parse,
    /// After a stage of the compiler
    Stage(Stage),
}

impl DumpAfter {
    fn parse(name: &str) -> Result<DumpAfter, String> {
        Ok(DumpAfter::Stage(match name {
            "parse" => return Ok(DumpAfter::Parse),
            "import" => Stage::Import,
            "propagate" => Stage::Complete,
            "partition" => Stage::Partition,
            _ => Stage::Pass(pass_named(name).ok_or_else(|| {
                format!("the stages are parse, import, propagate, partition, {}", passes::names())
            })?),
        }))
    }
}

/// How long each phase took. Each begins where the one before ends, so that they add up.
struct Clock {
    last: Instant,
}

impl Clock {
    fn phase(&mut self) -> Duration {
        let now = Instant::now();
        let time = now - self.last;
        self.last = now;
        time
    }
}

/// Partitions a program and tells what it sends.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    refuse_impossible(args, json)?;
    let mut clock = Clock { last: Instant::now() };
    let program = input::load(&args.file)?;
    let parse = clock.phase();
    if args.dump_after == Some(DumpAfter::Parse) {
        return write(args, json, &print(&program.module));
    }
    let compiler = args.sharding.compiler(&args.device)?.passes(args.passes.options()).zero(args.zero);
    let (mut dumped, mut propagate, mut partition) = (None, Duration::ZERO, Duration::ZERO);
    let mut observer = |stage: Stage, snapshot: Snapshot<'_>| {
        match stage {
            Stage::Complete => propagate = clock.phase(),
            Stage::Partition => partition = clock.phase(),
            Stage::Import | Stage::Pass(_) => {}
        }
        if args.dump_after != Some(DumpAfter::Stage(stage)) {
            return ControlFlow::Continue(());
        }
        dumped = Some(snapshot.text());
        ControlFlow::Break(())
    };
    let compiled = match compiler.compile_observed(&program.module, &mut observer) {
        Ok(compiled) => compiled,
        Err(Stopped::Errors(errors)) => return Err(program.fail(errors)),
        Err(Stopped::ByObserver) => return write(args, json, &dumped.unwrap_or_default()),
    };
    let optimise = clock.phase();
    // Taking large modules apart piece by piece takes time for nothing: the process ends soon after.
    let mut compiled = ManuallyDrop::new(compiled);
    compiled.emit();
    let text = compiled.text();
    let Compiled { sharded, partitioned } = ManuallyDrop::into_inner(compiled);
    let (sharded, partitioned) =
        (ManuallyDrop::new(Sharded { program, of: sharded }), ManuallyDrop::new(partitioned));
    let program = &sharded.program;
    let mut report = ManuallyDrop::new(Report::new(&sharded, &partitioned));
    let print = clock.phase();
    if let Some(limit) = args.device.memory.filter(|limit| report.memory.peak > *limit) {
        let (peak, limit) = (format::bytes(report.memory.peak), format::bytes(limit));
        output::print_error(&format!(
            "note: the program holds {peak}, more than `--memory` allows ({limit}): nothing is left to gather or compute again\n"
        ))?;
    }
    let mut errors = Vec::new();
    if args.strict {
        errors.extend(not_strict(&report));
    }
    if let Some(limit) = args.max_bytes {
        errors.extend(too_many_bytes(&report, limit));
    }
    if !errors.is_empty() {
        return Err(program.fail(errors));
    }
    if args.verify {
        let limit = args.memory_limit.unwrap_or_else(memory::to_spare);
        report.verdict = Some(verify(&sharded, &partitioned, args.seed, limit, None)?);
    }
    let verify = clock.phase();
    let wrong = report.is_wrong();
    if let Some(to) = args.save_plan.as_ref().filter(|_| !wrong) {
        let plan = plan::json(&sharded.plan());
        output::write(to, |out| writeln!(out, "{plan:#}"))?;
    }
    if let Some(to) = args.output.as_ref().filter(|_| !wrong) {
        output::write(to, |out| out.write_all(text.as_bytes()))?;
    }
    if json || wrong {
        let mut object = ManuallyDrop::new(report.json());
        let print = print + clock.phase();
        object["timing_us"] = json!({
            "parse": format::micros(parse),
            "propagate": format::micros(propagate),
            "partition": format::micros(partition),
            "optimise": format::micros(optimise),
            "print": format::micros(print),
        });
        if args.verify {
            object["timing_us"]["verify"] = json!(format::micros(verify));
        }
        output::print_json(&object)?;
    }
    match (json, wrong) {
        (true, true) => Err(Failure::told("the results differ")),
        (false, true) => {
            let message = "the partitioned program does not give what one device gives";
            let failure = Failure::new("verify", message).file(&*program.file);
            Err(match report.verdict.as_ref().is_some_and(|verdict| verdict.unpromised) {
                true => failure.fix(
                    "on these inputs all that differs follows from an infinity or a NaN in a product, a quotient or a reduction, of \
                     which nothing is promised: try another `--seed`",
                ),
                false => failure,
            })
        }
        (true, false) => Ok(()),
        // Standard output may hold the program.
        (false, false) if args.output.as_deref().is_some_and(input::is_standard) => {
            output::print_error(&report.words())
        }
        (false, false) => output::print(&report.words()),
    }
}

/// Refuses options that cannot go together, before anything is read.
fn refuse_impossible(args: &Args, json: bool) -> Result<(), Failure> {
    let to_standard = match &args.output {
        Some(path) => input::is_standard(path),
        None => args.dump_after.is_some(),
    };
    if json && to_standard {
        return Err(Failure::usage("`--json` takes standard output, so the program cannot be written there")
            .fix("name a file: `-o OUT`"));
    }
    Ok(())
}

fn write(args: &Args, json: bool, text: &str) -> Result<(), Failure> {
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    output::write(to, |out| out.write_all(text.as_bytes()))?;
    if json {
        return output::print_json(&json!({"schema": 1, "output": to.display().to_string()}));
    }
    Ok(())
}

/// Runs the program and what it was partitioned to on inputs made from a seed, in at most so many bytes, and compares.
pub fn verify(
    sharded: &Sharded,
    partitioned: &Partitioned,
    seed: u64,
    limit: u64,
    stop: Option<&AtomicBool>,
) -> Result<Verdict, Failure> {
    let program = &sharded.program;
    let mut options = RunOptions {
        engine: partita_exec::run_grid,
        memory_limit: Some(limit),
        stop,
        ..RunOptions::default()
    };
    let verdict = equal::verify(&sharded.of.inlined.module, partitioned, seed, &mut options);
    verdict.map_err(|error| match error {
        Unverified::Memory(needed) => match memory::check(&program.file, needed, limit) {
            Err(failure) => failure,
            Ok(()) => Failure::new("memory", "the program needs too much memory"),
        },
        Unverified::NotTensors => {
            Failure::new("verify", "only programs from tensors to tensors can be verified")
                .file(&*program.file)
        }
        Unverified::Run(stage, error) => {
            let failures: Vec<String> = error.failures.iter().map(ToString::to_string).collect();
            let message =
                format!("the program cannot be verified, for it fails {stage}: {}", failures.join("; "));
            let span = match stage {
                equal::Stage::Partitioned | equal::Stage::PartitionedWith(_) => None,
                _ => error.failures.first().map(|f| f.span),
            };
            program.fail(vec![Diagnostic::new("verify", span.unwrap_or_default(), message)])
        }
    })
}

/// One error for each op that runs whole on every device, and for each value that is replicated only to be cut again.
fn not_strict(report: &Report<'_>) -> Vec<Diagnostic> {
    let (module, names) = (&report.sharded.of.inlined.module, report.names());
    let error = |(op, why): &(OpId, String)| {
        let message = format!("`{}` runs whole on every device: {why}", module.op(*op).def().name);
        let mut error = Diagnostic::new("strict", module.ops[*op].span, message)
            .fix("shard it along other dimensions, or leave out `--strict`");
        error.value = names.op(*op);
        error
    };
    let through = |entry: &Entry| {
        let value = names.entry(entry);
        let named = value.as_deref().map_or("a value".to_string(), |v| format!("`{v}`"));
        let message =
            format!("{named} goes through full replication towards a split layout ({})", entry.reason);
        let span = entry.cause.map(|op| module.ops[op].span).unwrap_or_default();
        let mut error = Diagnostic::new("strict", span, message)
            .fix("shard producer and consumer along axes that go together, or leave out `--strict`");
        error.value = value;
        error
    };
    let replicated = report.ledger.entries.iter().filter(|e| e.replicates);
    let whole = report.partitioned.replicated.iter().map(error);
    whole.chain(replicated.map(through)).collect()
}

/// One error that names the collectives which send the most.
fn too_many_bytes(report: &Report<'_>, limit: u64) -> Option<Diagnostic> {
    const NAMED: usize = 5;
    let sent = report.ledger.total().ring_bytes;
    if sent <= limit {
        return None;
    }
    let (module, names) = (&report.sharded.of.inlined.module, report.names());
    let mut entries: Vec<&Entry> = report.ledger.entries.iter().collect();
    entries.sort_by_key(|e| std::cmp::Reverse(e.ring_bytes));
    let describe = |e: &&Entry| {
        let value = names.entry(e).map_or(String::new(), |v| format!(" of `{v}`"));
        let line = e.location.as_ref().map_or(String::new(), |l| format!(" ({l})"));
        let axes = ledger::axes(&report.partitioned.mesh, &e.axes).join("+");
        format!("{}{value} over {axes} sends {}{line}", e.kind, e.ring_bytes)
    };
    let named: Vec<String> = entries.iter().take(NAMED).map(describe).collect();
    let more = if entries.len() > NAMED { ", …" } else { "" };
    let message = format!("every device sends {sent} bytes, more than {limit}: {}{more}", named.join(", "));
    let span = entries.first().and_then(|e| e.cause).map(|op| module.ops[op].span).unwrap_or_default();
    let mut error =
        Diagnostic::new("max-bytes", span, message).fix("shard so that less moves, or raise `--max-bytes`");
    error.value = entries.first().and_then(|e| names.entry(e));
    Some(error)
}
