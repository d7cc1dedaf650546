//! `tests/print`: programs that must be printed back byte for byte, after the comment lines at the top.

use libtest_mimic::Failed;
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let comment: usize = text.split_inclusive('\n').take_while(|l| l.starts_with("//")).map(str::len).sum();
    let (comment, program) = text.split_at(comment);
    let module = super::read(&text).map_err(|errors| super::describe(&text, &errors))?;
    let printed = partita::text::print::print(&module);
    if printed == program {
        return Ok(());
    }
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(path, format!("{comment}{printed}"))?;
        return Ok(());
    }
    Err(first_difference(program, &printed).into())
}

/// The first line where two texts differ.
pub fn first_difference(expected: &str, printed: &str) -> String {
    let (mut a, mut b) = (expected.lines(), printed.lines());
    let mut line = 1;
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => line += 1,
            (x, y) => {
                let show = |side: Option<&str>| side.unwrap_or("(the end)").to_string();
                return format!("line {line} differs:\n  expected {}\n  printed  {}", show(x), show(y));
            }
        }
    }
}
