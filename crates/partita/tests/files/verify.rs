//! `tests/verify`: programs that must be refused, or accepted.
//!
//! A file holds cases separated by lines `// -----`. A line `// error: TEXT` says that on the next line that is
//! no such comment an error is reported whose message contains TEXT. Exactly the expected errors must be
//! reported; a case that expects none must be accepted.

use libtest_mimic::Failed;
use partita::diagnostic::line_column;
use std::path::Path;

struct Expected<'t> {
    line: usize,
    text: &'t str,
}

pub fn test(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut failures = Vec::new();
    let mut first_line = 0;
    for case in text.split_inclusive("// -----\n") {
        check(case, first_line, &mut failures);
        first_line += case.matches('\n').count();
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn check(case: &str, first_line: usize, failures: &mut Vec<String>) {
    let mut expected = expected_errors(case);
    let errors = super::read(case).err().unwrap_or_default();
    for error in &errors {
        let (line, column) = line_column(case, error.span.start);
        match expected.iter().position(|e| e.line == line && error.message.contains(e.text)) {
            Some(found) => {
                expected.remove(found);
            }
            None => failures.push(format!("{}:{column}: unexpected error: {error}", first_line + line)),
        }
    }
    for missing in expected {
        failures.push(format!("{}: expected an error: {}", first_line + missing.line, missing.text));
    }
}

fn expected_errors(case: &str) -> Vec<Expected<'_>> {
    let mut expected = Vec::new();
    let mut open = 0;
    for (line, text) in case.lines().enumerate() {
        if let Some(text) = text.trim().strip_prefix("// error: ") {
            expected.push(Expected { line: usize::MAX, text });
        } else {
            for e in &mut expected[open..] {
                e.line = line + 1;
            }
            open = expected.len();
        }
    }
    expected
}
