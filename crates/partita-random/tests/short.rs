//! The programs of some fixed seeds. `cargo run --release -p partita-random` runs as many as one likes.

use partita_random::check::{check, silence_panics};
use partita_random::generate::program;

/// So many programs.
const PROGRAMS: u64 = 1500;

#[test]
fn partitioned_programs_give_what_one_device_gives() {
    silence_panics();
    let mut failures = Vec::new();
    for seed in 0..PROGRAMS {
        let text = program(seed);
        if let Err(failure) = check(&text) {
            failures.push(format!("seed {seed}: {failure}"));
        }
    }
    // What panics say is kept quiet here.
    failures.iter().for_each(|failure| eprintln!("{failure}"));
    assert!(failures.is_empty());
}

#[test]
fn a_seed_gives_one_program() {
    assert_eq!(program(11), program(11));
    assert_ne!(program(11), program(12));
}
