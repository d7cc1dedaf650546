//! Mutated programs must be read or refused: no panic, no hang, no runaway memory. Those that are still sound must
//! be printed and read back to the same text.
//!
//! `cargo test` runs a few thousand. The long tier runs millions; see `scripts/long`. Each execution follows from its
//! number alone, so that a failure can be repeated:
//!
//! * `PARTITA_EXECUTIONS`: how many;
//! * `PARTITA_FIRST`: the number of the first;
//! * `PARTITA_TRACE=1`: save each program before it runs, and delete it after: what is left ended the process.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod memory;
mod mutator;

use check::check;
use mutator::{Mutator, Random};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many programs `cargo test` runs.
const DEFAULT_EXECUTIONS: u64 = 6_000;

/// Larger sources are left out: they take longer and show nothing else.
const MAX_SOURCE: u64 = 24 << 10;

/// How long one program may take; generous, since other work may share the machine.
const MAX_TIME: Duration = Duration::from_secs(2);

/// How long the process waits for a program that does not end.
const HANG: Duration = Duration::from_secs(30);

/// How much memory one program may take: for tables of fixed size, and per byte of text.
const BASE_MEMORY: usize = 1 << 20;
const MEMORY_PER_BYTE: usize = 200;

#[test]
fn mutated_programs_are_read_or_refused() {
    let executions = number("PARTITA_EXECUTIONS", DEFAULT_EXECUTIONS);
    let first = number("PARTITA_FIRST", 0);
    let mutator = Mutator::new(sources());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let next = AtomicU64::new(first);
    let done = AtomicU64::new(0);
    let sound = AtomicU64::new(0);
    let running: Vec<AtomicU64> = (0..workers).map(|_| AtomicU64::new(u64::MAX)).collect();
    let start = Instant::now();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = |slot: usize| {
            let mut failures = Vec::new();
            loop {
                let execution = next.fetch_add(1, Ordering::Relaxed);
                if execution >= first + executions || failures.len() >= 5 {
                    running[slot].store(u64::MAX, Ordering::Relaxed);
                    return failures;
                }
                running[slot].store(execution, Ordering::Relaxed);
                match execute(&mutator, execution) {
                    Ok(was_sound) => sound.fetch_add(u64::from(was_sound), Ordering::Relaxed),
                    Err(failure) => {
                        failures.push(failure);
                        0
                    }
                };
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        let threads: Vec<_> = (0..workers as usize).map(|slot| scope.spawn(move || work(slot))).collect();
        watch(&running, || threads.iter().all(|t| t.is_finished()), || report(&done, &sound, start));
        threads.into_iter().flat_map(|t| t.join().unwrap_or_default()).collect()
    });
    report(&done, &sound, start);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.replace('_', "").parse().ok()).unwrap_or(default)
}

/// All programs at hand: the project's own and the corpora.
fn sources() -> Vec<String> {
    let repository = common::repository();
    let mut files = common::programs(&repository.join("tests"));
    files.extend(common::programs(&repository.join("examples")));
    files.extend(common::corpus().iter().flat_map(|root| common::programs(root)));
    let small = |path: &std::path::Path| std::fs::metadata(path).is_ok_and(|m| m.len() <= MAX_SOURCE);
    let paths = files.into_iter().map(|(_, path)| path).filter(|path| small(path));
    paths.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// Runs one program; says whether it was sound, or how it failed.
fn execute(mutator: &Mutator, execution: u64) -> Result<bool, String> {
    let text = mutator.mutate(&mut Random::new(execution));
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutated-{execution}.mlir"));
    let trace = std::env::var_os("PARTITA_TRACE").is_some();
    if trace {
        eprintln!("{}", file.display());
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
    }
    let start = Instant::now();
    memory::start();
    let outcome = catch_unwind(AssertUnwindSafe(|| check(&text)));
    let peak = memory::peak();
    let time = start.elapsed();
    let limit = BASE_MEMORY + MEMORY_PER_BYTE * text.len();
    let failure = match outcome {
        Err(_) => "panicked".to_string(),
        Ok(Err(reason)) => reason,
        Ok(Ok(_)) if time > MAX_TIME => format!("took {time:?}"),
        Ok(Ok(_)) if peak > limit => format!("took {peak} bytes for {} bytes of text", text.len()),
        Ok(Ok(sound)) => {
            if trace {
                let _ = std::fs::remove_file(&file);
            }
            return Ok(sound);
        }
    };
    let written = std::fs::write(&file, &text).is_ok();
    Err(format!("execution {execution}: {failure} (saved: {written}, {})", file.display()))
}

/// Waits for the workers, and ends the process where a program does not end.
fn watch(running: &[AtomicU64], finished: impl Fn() -> bool, report: impl Fn()) {
    let mut seen: Vec<(u64, Instant)> = running.iter().map(|_| (u64::MAX, Instant::now())).collect();
    let mut reported = Instant::now();
    while !finished() {
        std::thread::sleep(Duration::from_millis(20));
        for (slot, last) in running.iter().zip(&mut seen) {
            let current = slot.load(Ordering::Relaxed);
            if current != last.0 {
                *last = (current, Instant::now());
            } else if current != u64::MAX && last.1.elapsed() > HANG {
                eprintln!("execution {current} does not end");
                std::process::exit(1);
            }
        }
        if reported.elapsed() > Duration::from_secs(30) {
            report();
            reported = Instant::now();
        }
    }
}

fn report(done: &AtomicU64, sound: &AtomicU64, start: Instant) {
    let (done, sound) = (done.load(Ordering::Relaxed), sound.load(Ordering::Relaxed));
    let rate = done as f64 / start.elapsed().as_secs_f64();
    eprintln!("{done} executions, {sound} of them sound programs, {rate:.0} per second");
}
