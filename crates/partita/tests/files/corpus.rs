//! Programs of other projects: all must be read, verified, printed, and read again to the same text;
//! those with checks must pass them.

use libtest_mimic::{Failed, Trial};
use partita::text::print::print;
use std::path::Path;

/// Programs that are refused by design: a part of their names, and the code of the error.
const REFUSED: [(&str, &str); 3] = [
    ("quantized_ops", "quantized"),
    ("dynamic_shaped_func_output_skipped", "dynamic-shape"),
    ("vhlo/all_ops", "dynamic-shape"),
];

/// Folders of programs that check their own results.
const WITH_CHECKS: [&str; 2] = ["stablehlo/interpret/", "stablehlo/testdata/"];

/// Programs that are not run, with the reason:
/// * `cumprod_complex64_8_9`: what it expects is known to be inaccurate; its authors leave it out too.
const INACCURATE: [&str; 1] = ["cumprod_complex64_8_9"];

pub fn add(tests: &mut Vec<Trial>) {
    let Some(root) = crate::common::corpus() else {
        eprintln!("note: there are no corpora on this machine");
        return;
    };
    for (name, path) in crate::common::programs(&root) {
        let run_path = path.clone();
        let refusal = REFUSED.iter().find(|(part, _)| name.contains(part));
        let test = move || match refusal {
            Some((_, code)) => refused(&path, code),
            None => reads_back(&path),
        };
        tests.push(Trial::test(format!("corpus/{name}"), test));
        if WITH_CHECKS.iter().any(|folder| name.starts_with(folder)) && refusal.is_none() {
            let exception = INACCURATE.iter().any(|part| name.contains(part));
            let run = move || crate::run::test(&run_path);
            tests.push(Trial::test(format!("run/corpus/{name}"), run).with_ignored_flag(exception));
        }
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

fn refused(path: &Path, code: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    match crate::read(&text) {
        Err(errors) if errors.iter().any(|e| e.code == code) => Ok(()),
        Err(errors) => Err(crate::describe(&text, &errors)),
        Ok(_) => Err("the program was accepted".into()),
    }
}
