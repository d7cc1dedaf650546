//! The programs of some fixed seeds. `cargo run --release -p partita-random` runs as many as one likes.

use partita_random::check::{check, silence_panics};
use partita_random::generate::program;

/// So many programs.
const PROGRAMS: u64 = 1500;

/// What is known to fail today: the kind of failure, and what is wrong. An entry goes with the fault that it names.
const KNOWN: &[(&str, &str)] = &[
    ("Different", "a scatter whose windows are split keeps windows that do not fit as a whole"),
    ("Output `stablehlo.convolution`", "a kernel is split along its window"),
    ("Output `stablehlo.pad`", "a padded dimension is split as if it had no padding"),
    ("Output `stablehlo.reshape`", "an uneven dimension is split in a reshape that mixes it with another"),
];

#[test]
fn partitioned_programs_give_what_one_device_gives() {
    silence_panics();
    let mut unknown = Vec::new();
    for seed in 0..PROGRAMS {
        if let Err(failure) = check(&program(seed))
            && !KNOWN.iter().any(|(kind, _)| failure.kind().starts_with(kind))
        {
            unknown.push(format!("seed {seed}: {failure}"));
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn a_seed_gives_one_program() {
    assert_eq!(program(11), program(11));
    assert_ne!(program(11), program(12));
}
