//! `partita fmt`.

use crate::error::Failure;
use crate::{format, input, output};
use partita::text::{PrintOptions, print_with};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Print a program back, in text that MLIR reads
#[derive(clap::Args)]
pub struct Args {
    /// The program, as StableHLO text
    file: PathBuf,

    /// Where to write it; standard output where nothing is said
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Leave locations out
    #[arg(long)]
    no_locations: bool,

    /// Print every operation in the generic form
    #[arg(long)]
    generic: bool,
}

/// Prints a sound program.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    if json && input::is_standard(to) {
        return Err(Failure::usage("`--json` takes standard output, so the program cannot be printed there")
            .fix("name a file: `-o OUT`"));
    }
    let program = input::load(&args.file)?;
    // From here on nothing points into the text; a large one would only stand beside the new one.
    drop(program.text);
    let start = Instant::now();
    let options = PrintOptions { no_locations: args.no_locations, generic: args.generic };
    let text = print_with(&program.module, options);
    let print_time = start.elapsed();
    output::write(to, |out| out.write_all(text.as_bytes()))?;
    if json {
        return output::print_json(&json!({
            "schema": 1,
            "ok": true,
            "output": to.display().to_string(),
            "bytes": text.len(),
            "timing_us": {
                "parse": format::micros(program.parse_time),
                "verify": format::micros(program.verify_time),
                "print": format::micros(print_time),
            },
        }));
    }
    Ok(())
}
