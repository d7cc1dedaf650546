//! Programs of other projects: all must be read, verified, printed, and read again to the same text.

use libtest_mimic::{Failed, Trial};
use partita::text::print::print;
use std::path::Path;

/// Part of the names of programs with quantized types, which are refused.
const QUANTIZED: &str = "quantized_ops";

pub fn add(tests: &mut Vec<Trial>) {
    let Some(root) = crate::common::corpus() else {
        eprintln!("note: there are no corpora on this machine");
        return;
    };
    for (name, path) in crate::common::programs(&root) {
        let test = if name.contains(QUANTIZED) { refused } else { reads_back };
        tests.push(Trial::test(format!("corpus/{name}"), move || test(&path)));
    }
}

fn reads_back(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let module = crate::read(&text).map_err(|errors| crate::describe(&text, &errors))?;
    let printed = print(&module);
    let again = crate::read(&printed).map_err(|errors| crate::describe(&printed, &errors))?;
    let printed_again = print(&again);
    if printed == printed_again {
        return Ok(());
    }
    Err(crate::print::first_difference(&printed, &printed_again).into())
}

fn refused(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    match crate::read(&text) {
        Err(errors) if errors.iter().any(|e| e.code == "quantized") => Ok(()),
        Err(errors) => Err(crate::describe(&text, &errors)),
        Ok(_) => Err("a program with quantized types was accepted".into()),
    }
}
