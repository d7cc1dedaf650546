//! `partita partition`.

use super::sharding::{self, Sharded, ShardingArgs};
use crate::error::Failure;
use crate::ledger::{self, Names};
use crate::{format, input, output};
use clap::ValueEnum;
use partita::Diagnostic;
use partita::ir::Module;
use partita::ledger::Ledger;
use partita::partition::{Partitioned, partition};
use partita::sharding::export;
use partita::text::print;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
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

    /// Refuse a program in which an operation had to be gathered, or a value went through full replication
    #[arg(long)]
    strict: bool,

    /// Refuse a program whose collectives send more bytes per device
    #[arg(long, value_name = "N", value_parser = format::parse_bytes)]
    max_bytes: Option<u64>,

    /// Write the program as it is after a stage, and stop
    #[arg(long, value_enum, value_name = "STAGE")]
    dump_after: Option<Stage>,

    #[command(flatten)]
    sharding: ShardingArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// As it was read
    Parse,
    /// One function, all shardings over one mesh
    Import,
    /// A sharding for every tensor
    Propagate,
    /// The program of one device
    Partition,
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
    if args.dump_after == Some(Stage::Parse) {
        return dump(args, json, &program.module);
    }
    let imported = sharding::import(program, &args.sharding)?;
    if args.dump_after == Some(Stage::Import) {
        return dump(args, json, &imported.inlined.module);
    }
    let mut sharded = sharding::propagated(imported)?;
    if args.dump_after == Some(Stage::Propagate) {
        export::complete(&mut sharded.inlined, &sharded.found);
        return dump(args, json, &sharded.inlined.module);
    }
    let propagate = clock.phase();
    let Sharded { program, inlined, found, .. } = &sharded;
    let mut partitioned = partition(inlined, found).map_err(|e| program.fail(vec![e]))?;
    let partition = clock.phase();
    partitioned.expand();
    partitioned.annotate(&inlined.module);
    let text = print(&partitioned.module);
    if args.dump_after == Some(Stage::Partition) {
        return write(args, json, &text);
    }
    let ledger = Ledger::new(&partitioned, inlined);
    let names = Names { input: &program.module, inlined };
    let print = clock.phase();
    let mut errors = Vec::new();
    if args.strict {
        errors.extend(not_strict(&sharded, &partitioned, &names));
    }
    if let Some(limit) = args.max_bytes {
        errors.extend(too_many_bytes(&sharded, &ledger, limit, &names));
    }
    if !errors.is_empty() {
        return Err(program.fail(errors));
    }
    if let Some(to) = &args.output {
        output::write(to, |out| out.write_all(text.as_bytes()))?;
    }
    if json {
        let mut object = summary(&sharded, &partitioned, &ledger, &names);
        object["timing_us"] = json!({
            "parse": format::micros(parse),
            "propagate": format::micros(propagate),
            "partition": format::micros(partition),
            "optimise": 0,
            "print": format::micros(print),
        });
        return output::print_json(&object);
    }
    let words = words(&sharded, &partitioned, &ledger, &names);
    // Standard output may hold the program.
    if args.output.as_deref().is_some_and(input::is_standard) {
        output::print_error(&words)
    } else {
        output::print(&words)
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

fn dump(args: &Args, json: bool, module: &Module) -> Result<(), Failure> {
    write(args, json, &print(module))
}

fn write(args: &Args, json: bool, text: &str) -> Result<(), Failure> {
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    output::write(to, |out| out.write_all(text.as_bytes()))?;
    if json {
        return output::print_json(&json!({"schema": 1, "output": to.display().to_string()}));
    }
    Ok(())
}

/// One error for each op that runs whole on every device.
fn not_strict(sharded: &Sharded, partitioned: &Partitioned, names: &Names<'_>) -> Vec<Diagnostic> {
    let module = &sharded.inlined.module;
    let error = |(op, why): &(partita::ir::OpId, String)| {
        let message = format!("`{}` runs whole on every device: {why}", module.op(*op).def().name);
        let mut error = Diagnostic::new("strict", module.ops[*op].span, message)
            .fix("shard it along other dimensions, or leave out `--strict`");
        error.value = names.op(*op);
        error
    };
    partitioned.replicated.iter().map(error).collect()
}

/// One error that names the collectives which send the most.
fn too_many_bytes(sharded: &Sharded, ledger: &Ledger, limit: u64, names: &Names<'_>) -> Option<Diagnostic> {
    const NAMED: usize = 5;
    let sent = ledger.total().ring_bytes;
    if sent <= limit {
        return None;
    }
    let mut entries: Vec<_> = ledger.entries.iter().collect();
    entries.sort_by_key(|e| std::cmp::Reverse(e.ring_bytes));
    let named: Vec<String> = entries
        .iter()
        .take(NAMED)
        .map(|e| {
            let value = names.entry(e).map_or(String::new(), |v| format!(" of `{v}`"));
            let line = e.location.as_ref().map_or(String::new(), |l| format!(" ({l})"));
            format!(
                "{}{value} over {} sends {}{line}",
                e.kind,
                ledger::axes(&sharded.found.mesh, &e.axes).join("+"),
                e.ring_bytes
            )
        })
        .collect();
    let more = if entries.len() > NAMED { ", …" } else { "" };
    let message = format!("every device sends {sent} bytes, more than {limit}: {}{more}", named.join(", "));
    let module = &sharded.inlined.module;
    let span = entries.first().and_then(|e| e.cause).map(|op| module.ops[op].span).unwrap_or_default();
    let mut error =
        Diagnostic::new("max-bytes", span, message).fix("shard so that less moves, or raise `--max-bytes`");
    error.value = entries.first().and_then(|e| names.entry(e));
    Some(error)
}

/// Everything but the times, as JSON.
fn summary(sharded: &Sharded, partitioned: &Partitioned, ledger: &Ledger, names: &Names<'_>) -> Value {
    let mesh = &partitioned.mesh;
    let axes: Vec<Value> = mesh.axes().iter().map(|a| json!([a.name, a.size])).collect();
    let text = |layouts: &[partita::partition::Layout]| -> Vec<String> {
        layouts.iter().map(|l| l.text(mesh)).collect()
    };
    let replicated: Vec<Value> = partitioned
        .replicated
        .iter()
        .map(|(op, why)| {
            let name = sharded.inlined.module.op(*op).def().name;
            json!({"value": names.op(*op), "op": name, "reason": why})
        })
        .collect();
    json!({
        "schema": 1,
        "devices": mesh.device_count(),
        "mesh": axes,
        "device_order": mesh.device_ids(),
        "collectives": ledger::collectives(ledger, mesh, names),
        "totals": ledger::totals(ledger),
        "shardings": {"arguments": text(&partitioned.arguments), "results": text(&partitioned.results)},
        "replicated": replicated,
        "verify": null,
    })
}

/// Everything, in words.
fn words(sharded: &Sharded, partitioned: &Partitioned, ledger: &Ledger, names: &Names<'_>) -> String {
    let mut text = ledger::table(ledger, &partitioned.mesh, names);
    for (op, why) in &partitioned.replicated {
        let name = sharded.inlined.module.op(*op).def().name;
        let value = names.op(*op).unwrap_or_default();
        text.push_str(&format!("whole on every device: {value} ({name}), {why}\n"));
    }
    text
}
