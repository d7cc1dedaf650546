//! `partita solve`.

use crate::error::Failure;
use crate::progress::Spinner;
use crate::{format, input, output};
use partita_solve::{Limits, Outcome, Problem, Progress, StopReason, Unreadable};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A larger file is not read.
const LARGEST_FILE: usize = 1 << 30;
/// Kept back from the time limit for printing and for leaving.
const RESERVE: f64 = 0.5;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Pick one strategy per node of a strategy graph, at the least cost that fits in memory
#[derive(clap::Args)]
pub struct Args {
    /// The problem, as JSON, plain or compressed with gzip
    file: PathBuf,

    /// How long to search, in seconds, reading included; Ctrl-C ends it earlier with the best so far
    #[arg(long, value_name = "SEC", default_value_t = 60.0)]
    time_limit: f64,

    /// Also stop after so many moves of each thread: without other limits in the way, the same solution each time
    #[arg(long, value_name = "N")]
    moves: Option<u64>,

    /// How many threads search
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// What random decisions depend on
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Solves a problem.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    let start = Instant::now();
    if !(args.time_limit.is_finite() && args.time_limit > 0.0) {
        return Err(Failure::usage(format!("a time limit of {} seconds makes no sense", args.time_limit)));
    }
    // Where handlers cannot be set, Ctrl-C ends the command as usual.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let problem = read(args)?;
    let time = Duration::from_secs_f64((args.time_limit - RESERVE).max(args.time_limit / 2.0));
    let limits = Limits {
        deadline: start.checked_add(time),
        moves: args.moves,
        threads: args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        seed: args.seed,
        stop: Some(&INTERRUPTED),
        ..Limits::default()
    };
    let mut line = Spinner::new();
    let outcome = partita_solve::solve(&problem, limits, |progress: Progress| {
        line.say(|| {
            let cost = progress.cost.map_or("nothing fits yet".to_string(), |cost| format!("cost {cost}"));
            format!("{cost}, at least {}", progress.lower_bound)
        });
    });
    drop(line);
    if !outcome.feasible {
        return Err(infeasible(args, &problem, &outcome));
    }
    let seconds = start.elapsed().as_secs_f64();
    if json {
        return output::print_json(&json!({
            "schema": 1,
            "cost": outcome.cost as i64,
            "peak_usage": outcome.peak_usage as i64,
            "feasible": outcome.feasible,
            "lower_bound": outcome.lower_bound as i64,
            "seconds": seconds,
            "stop_reason": stop_reason(outcome.stop_reason),
            "moves": outcome.moves,
            "solution": outcome.solution,
        }));
    }
    output::print(&text(&problem, &outcome, seconds))
}

fn read(args: &Args) -> Result<Problem, Failure> {
    let file = input::name(&args.file);
    let Some(bytes) = input::read_bytes(&args.file, LARGEST_FILE)? else {
        let limit = format::bytes(LARGEST_FILE as u64);
        let message = format!("`{file}` is larger than {limit}, the most that is read");
        return Err(Failure::new("too-large", message).file(file));
    };
    partita_solve::read(&bytes).map_err(|error| {
        match error {
            Unreadable::Json { .. } => Failure::new("json", format!("`{file}` is no problem: {error}")),
            Unreadable::Gzip(_) => Failure::new("gzip", format!("`{file}`: {error}")),
            Unreadable::Malformed(malformed) => {
                Failure::new("problem", format!("`{file}`: {}", malformed.message)).fix(malformed.fix)
            }
        }
        .file(file)
    })
}

fn infeasible(args: &Args, problem: &Problem, outcome: &Outcome) -> Failure {
    let proven = outcome.stop_reason == StopReason::Infeasible;
    let over = outcome.peak_usage - i128::from(problem.usage_limit());
    let file = input::name(&args.file);
    if outcome.forbidden {
        let message = "every choice of strategies has a forbidden cost, of a node or between two".to_string();
        return Failure::new("infeasible", message).file(file);
    }
    let message = if proven {
        format!(
            "no choice of strategies fits in memory: the closest that was found is {over} above the limit"
        )
    } else {
        format!("no choice that fits in memory was found in time: the closest is {over} above the limit")
    };
    let fix = if proven {
        format!("raise the usage limit to {}", outcome.peak_usage)
    } else {
        format!("give more time, or raise the usage limit to {}", outcome.peak_usage)
    };
    Failure::new("infeasible", message).file(file).fix(fix)
}

fn stop_reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Optimal => "optimal",
        StopReason::Gap => "gap",
        StopReason::Infeasible => "infeasible",
        StopReason::TimeLimit => "time limit",
        StopReason::MoveLimit => "move limit",
        StopReason::Interrupted => "interrupted",
    }
}

/// What was found, and the list of strategies last.
fn text(problem: &Problem, outcome: &Outcome, seconds: f64) -> String {
    let gap = 100.0 * (outcome.cost - outcome.lower_bound) as f64 / (outcome.cost as f64).max(1.0);
    let mut out = String::new();
    let _ = writeln!(out, "cost {}", outcome.cost);
    let _ = writeln!(out, "lower bound {} ({gap:.2} % less)", outcome.lower_bound);
    let _ = writeln!(out, "peak usage {} of {}", outcome.peak_usage, problem.usage_limit());
    let _ = writeln!(out, "{} after {seconds:.1} s", stop_reason(outcome.stop_reason));
    let strategies: Vec<String> = outcome.solution.iter().map(u32::to_string).collect();
    let _ = writeln!(out, "[{}]", strategies.join(", "));
    out
}
