//! Programs: changed by tokens, numbers, lines and pieces of themselves, and kept where they reach new code.

#![no_main]

#[path = "../../crates/partita/tests/mutate/check.rs"]
mod check;
#[path = "../../crates/partita/tests/mutate/mutator.rs"]
mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use mutator::{Mutator, Random};

fuzz_target!(|text: &str| {
    if let Err(failure) = check::check(text) {
        panic!("{failure}");
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = String::from_utf8_lossy(&data[..size]).into_owned();
    if text.is_empty() {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let changed = Mutator::new(vec![text]).mutate(&mut Random::new(u64::from(seed))).into_bytes();
    let length = changed.len().min(max_size);
    data[..length].copy_from_slice(&changed[..length]);
    length
});
