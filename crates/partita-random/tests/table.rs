//! The op table and the generator: every row is made into random programs, or is here with the reason.

use partita::ops::OpKind;
use partita_random::generate::program;
use std::collections::BTreeSet;

/// Programs that are looked at. Functions of few element types are rare.
const PROGRAMS: u64 = 12_000;

const OUTSIDE: &str = "it talks to what is outside of the program";
const TESTS: &str = "tests are made of it, not programs";
const UNREDUCED: &str =
    "it is about values that are not combined yet, which the text of a program has no other word for";
const QUANTIZED: &str = "quantized types are refused";
const COMPILED: &str = "only programs that were compiled already have it";

/// Rows that no random program has, and why. Those that end in a dot are whole dialects.
const NEVER: &[(&str, &str)] = &[
    ("check.", TESTS),
    ("interpreter.", TESTS),
    ("stablehlo.infeed", OUTSIDE),
    ("stablehlo.outfeed", OUTSIDE),
    ("stablehlo.send", OUTSIDE),
    ("stablehlo.recv", OUTSIDE),
    ("stablehlo.async_start", COMPILED),
    ("stablehlo.async_done", COMPILED),
    ("sdy.collective_permute", COMPILED),
    ("stablehlo.uniform_dequantize", QUANTIZED),
    ("stablehlo.uniform_quantize", QUANTIZED),
    ("sdy.all_reduce", UNREDUCED),
    ("sdy.reduce_scatter", UNREDUCED),
    ("sdy.replicated_to_unreduced", UNREDUCED),
    ("sdy.sharded_to_unreduced", UNREDUCED),
];

#[test]
fn every_row_is_made_or_has_a_reason() {
    let mut made: BTreeSet<String> = BTreeSet::new();
    for seed in 0..PROGRAMS {
        let text = program(seed);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
        for word in words.filter(|word| word.contains('.') && word.starts_with(char::is_alphabetic)) {
            if !made.contains(word) {
                made.insert(word.to_string());
            }
        }
        // The end of a function is written without its dialect.
        made.insert("func.return".to_string());
    }
    let never =
        |name: &str| NEVER.iter().any(|(op, _)| name == *op || op.ends_with('.') && name.starts_with(op));
    let names: Vec<&str> = OpKind::all().map(|kind| kind.def().name).collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !made.contains(**name) && !never(name)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
    let superfluous: Vec<&&str> = names.iter().filter(|name| made.contains(**name) && never(name)).collect();
    assert!(superfluous.is_empty(), "there are programs with {superfluous:?}");
}
