//! Any bytes: libFuzzer changes them as it likes.

#![no_main]

#[path = "../../crates/partita/tests/mutate/check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(failure) = check::check(text) {
        panic!("{failure}");
    }
});
