//! `partita propagate`.

use super::sharding::{self, Sharded, ShardingArgs};
use crate::device::DeviceArgs;
use crate::error::Failure;
use crate::{format, input, output};
use clap::ValueEnum;
use partita::ir::{ValueDef, ValueId};
use partita::propagate::SlotId;
use partita::propagate::explain::rule_text;
use partita::sharding::apply::Completion;
use partita::sharding::{Sharding, export};
use partita::text::print::print;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Complete the shardings of a program, and print it with all of them
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Where to write it; standard output where nothing is said
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// The notation of the shardings
    #[arg(long, value_enum, default_value = "sdy")]
    notation: Notation,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    sharding: ShardingArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// Meshes and axes, as Shardy has them
    Sdy,
    /// Tiles, as `mhlo.sharding` has them
    Mhlo,
}

/// Prints a program with a sharding for every tensor.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let compiler = args.sharding.compiler(&args.device)?.completion(Completion::Propagate);
    let program = input::load(&args.file)?;
    let start = Instant::now();
    let mut sharded = sharding::completed(program, &compiler)?;
    let propagate_time = start.elapsed();
    let summary = json.then(|| summary(&sharded));
    let start = Instant::now();
    export::complete(&mut sharded.of.inlined.module, &sharded.of.shardings);
    let mut lost = export::own_orders(&sharded.of.inlined.module);
    if args.notation == Notation::Mhlo {
        let tiles = export::to_tiles(&mut sharded.of.inlined.module, &sharded.of.shardings.mesh);
        lost.extend(tiles.map_err(|errors| {
            Failure::in_program(sharded.program.file.clone(), sharded.program.text.clone(), errors)
        })?);
    }
    let text = print(&sharded.of.inlined.module);
    let print_time = start.elapsed();
    for line in &lost {
        output::print_error(&format!("note: left out {line}\n"))?;
    }
    match (&args.output, summary) {
        (Some(to), summary) => {
            output::write(to, |out| out.write_all(text.as_bytes()))?;
            summary.map_or(Ok(()), |s| output::print_json(&timed(s, &sharded, propagate_time, print_time)))
        }
        (None, Some(summary)) => output::print_json(&timed(summary, &sharded, propagate_time, print_time)),
        (None, None) => output::write(Path::new("-"), |out| out.write_all(text.as_bytes())),
    }
}

fn timed(mut summary: Value, sharded: &Sharded, propagate_time: Duration, print_time: Duration) -> Value {
    summary["timing_us"] = json!({
        "parse": format::micros(sharded.program.parse_time),
        "verify": format::micros(sharded.program.verify_time),
        "propagate": format::micros(propagate_time),
        "print": format::micros(print_time),
    });
    summary
}

/// Mesh and shardings of a program.
pub fn summary(sharded: &Sharded) -> Value {
    let Sharded { program, of } = sharded;
    let (inlined, found) = (&of.inlined, &of.shardings);
    let module = &inlined.module;
    let mesh = export::mesh_symbol(module).map_or("mesh", |s| &module.strings[s]);
    let text = |slot: Option<SlotId>, rank| {
        // What nothing uses has no slot.
        let sharding = slot.map_or_else(|| Sharding::replicated(rank), |slot| found.sharding(slot));
        export::text(&found.mesh, mesh, &sharding)
    };
    let rank = |v: ValueId| module.tensor_type(v).map_or(0, |t| t.rank());
    let body = module.funcs.iter().next().and_then(|f| f.body);
    let args = body.map(|b| module.regions[b].args);
    let arguments: Vec<String> =
        args.into_iter().flat_map(|a| a.iter()).map(|v| text(found.graph.value_slot(v), rank(v))).collect();
    let results: Vec<String> = found.graph.result_slots().iter().map(|s| text(*s, 0)).collect();
    let values: Vec<Value> = module
        .values
        .ids()
        .filter(|v| rank(*v) > 0)
        .map(|v| {
            let name = inlined.input_name(&program.module, v);
            let mut value = json!({"value": name, "sharding": text(found.graph.value_slot(v), rank(v))});
            if let ValueDef::Result(op, _) = module.values[v].def
                && let Some(rule) = rule_text(module, op)
            {
                value["rule"] = rule.into();
            }
            value
        })
        .collect();
    let axes: Vec<Value> = found.mesh.axes().iter().map(|a| json!([a.name, a.size])).collect();
    json!({
        "schema": 1,
        "devices": found.mesh.device_count(),
        "mesh": axes,
        "device_order": found.mesh.device_ids(),
        "nodes": found.graph.node_count(),
        "steps": found.steps,
        "shardings": {"arguments": arguments, "results": results, "values": values},
    })
}
