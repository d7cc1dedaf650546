//! `partita-random`: random programs, partitioned and compared with one device.

use clap::Parser;
use partita_random::check::{Failure, check, check_well, silence_panics};
use partita_random::generate::program;
use partita_random::shrink::shrink;
use partita_random::statistics::Statistics;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Makes random programs, partitions them, runs them on one device and on all devices of their mesh, and compares.
#[derive(Parser)]
struct Arguments {
    /// How many programs.
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// The seed of the first program; the others have the seeds that follow.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many threads.
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Prints each program instead of checking it.
    #[arg(long)]
    print: bool,
    /// Checks this program instead of random ones, and makes it small where it fails.
    #[arg(long)]
    file: Option<PathBuf>,
    /// Writes failures, made small, to this folder: some of each kind, and of those with the same ops one.
    #[arg(long)]
    save: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.print {
        (0..arguments.programs).for_each(|n| println!("{}", program(arguments.seed + n)));
        return ExitCode::SUCCESS;
    }
    silence_panics();
    if let Some(path) = &arguments.file {
        return check_file(path);
    }
    let start = Instant::now();
    let statistics = run(&arguments);
    let seconds = start.elapsed().as_secs_f64();
    print!("{statistics}");
    println!(
        "{} programs in {seconds:.1} s, {:.0} per second: {} set aside, {} failed",
        statistics.programs,
        statistics.programs as f64 / seconds,
        statistics.set_aside_count(),
        statistics.failed_count()
    );
    if let Some(folder) = &arguments.save
        && let Err(error) = save(folder, &statistics)
    {
        eprintln!("{}: {error}", folder.display());
    }
    if statistics.failed_count() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks all programs, each thread every n-th of them.
fn run(arguments: &Arguments) -> Statistics {
    let threads = arguments.threads.max(1);
    let mut total = Statistics::default();
    std::thread::scope(|scope| {
        let share = |thread| {
            let mut statistics = Statistics::default();
            for n in (thread..arguments.programs).step_by(threads as usize) {
                let seed = arguments.seed + n;
                match check(&program(seed)) {
                    Ok(passed) => statistics.passed(seed, &passed),
                    Err(failure) => statistics.failed(seed, &failure),
                }
            }
            statistics
        };
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).for_each(|part| total.add(part));
    });
    total
}

/// So many failures of a kind are made small: more show little new.
const SAVED: usize = 24;

/// Writes failures made small, of those with the same ops one.
fn save(folder: &std::path::Path, statistics: &Statistics) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut seen = BTreeSet::new();
    for seed in statistics.failures.values().flat_map(|seeds| seeds.iter().take(SAVED)) {
        let text = program(*seed);
        let Err(failure) = check(&text) else { continue };
        let small = small(&text, &failure);
        let ops = op_names(&small);
        if seen.insert((failure.kind(), ops.clone())) {
            let path = folder.join(format!("{}_{seed}.mlir", ops.join("_")));
            std::fs::write(&path, small)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

/// The distinct ops of a program, shortly, without those that every program has.
fn op_names(text: &str) -> Vec<&'static str> {
    let Ok(module) = partita::text::parse::parse(text) else { return Vec::new() };
    let names: BTreeSet<&str> = module
        .ops
        .ids()
        .map(|op| module.op(op))
        .filter(|op| !op.def().traits.terminator)
        .map(|op| op.def().name)
        .collect();
    names.into_iter().filter_map(|name| name.rsplit('.').next()).take(4).collect()
}

/// The smallest program that fails in the same way, with what is wrong with it in a comment.
fn small(text: &str, failure: &Failure) -> String {
    let small = shrink(text, failure);
    let reason = check_well(&small).err().map_or_else(String::new, |f| f.to_string());
    let comment: String = reason.lines().map(|line| format!("// {line}\n")).collect();
    // The comment about arithmetic stays first.
    match small.split_once('\n').filter(|(first, _)| first.starts_with("//")) {
        Some((first, rest)) => format!("{first}\n{comment}{rest}"),
        None => comment + &small,
    }
}

fn check_file(path: &std::path::Path) -> ExitCode {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    match check_well(&text) {
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}: {failure}", path.display());
            print!("{}", small(&text, &failure));
            ExitCode::FAILURE
        }
    }
}
