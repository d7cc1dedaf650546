//! What a per-device program that any partitioner made sends and holds, by Partita's own count.
//!
//!     cargo run --release -p partita --example measure -- PROGRAM.mlir DEVICES
//!
//! Prints ring bytes by kind of collective and in sum, how many loops have an unknown trip count (their bodies count once),
//! and the bytes held: arguments, results, and the most at any time. So two partitioners are compared by one ruler.

use partita::inline::inline;
use partita::ledger::{Ledger, Memory};
use partita::sharding::Mesh;
use partita::text;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match measure(&arguments) {
        Ok(words) => {
            print!("{words}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &[String]) -> Result<String, String> {
    let [file, devices] = arguments else { return Err("usage: measure PROGRAM.mlir DEVICES".to_string()) };
    let devices: i64 = devices.parse().map_err(|error| format!("{devices}: {error}"))?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let module = text::parse(&text).map_err(|errors| format!("{file}: {}", errors[0].message))?;
    let main = module.func_named("main").ok_or("the program has no function `@main`")?;
    let module = inline(&module, main).map_err(|error| format!("{file}: {}", error.message))?.module;
    let mesh = Mesh::new([("devices", devices)]).map_err(|error| format!("{devices} devices: {error:?}"))?;
    let ledger = Ledger::of_foreign(&module, &mesh);
    let mut words = String::new();
    let mut say = |name: &str, number: u64| words += &format!("{name} {number}\n");
    for (kind, total) in ledger.by_kind() {
        say(kind, total.ring_bytes);
    }
    say("ring_bytes", ledger.total().ring_bytes);
    say("unknown_trips", ledger.entries.iter().filter(|entry| entry.executions.is_none()).count() as u64);
    let memory = Memory::new(&module);
    say("arguments", memory.arguments);
    say("results", memory.results);
    say("peak", memory.peak);
    Ok(words)
}
