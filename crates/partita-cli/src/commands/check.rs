//! `partita check`.

use crate::error::Failure;
use crate::{format, input, output};
use serde_json::json;
use std::path::PathBuf;

/// Parse and verify a program
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,
}

/// Says whether a program is sound.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let program = input::load(&args.file)?;
    let functions = program.module.funcs.len();
    let ops = program.module.ops.len();
    if json {
        return output::print_json(&json!({
            "schema": 1,
            "ok": true,
            "functions": functions,
            "ops": ops,
            "timing_us": {
                "parse": format::micros(program.parse_time),
                "verify": format::micros(program.verify_time),
            },
        }));
    }
    output::print(&format!(
        "{}: ok, {} with {}\n",
        program.file,
        format::counted(functions, "function"),
        format::counted(ops, "operation"),
    ))
}
