//! `tests/complete`: programs with a few annotations, completed by cost.
//!
//! `NAME.out` has the values that completion chose shardings for, and the collectives and ring bytes of the per-device program beside those that
//! propagation alone gives. Completing the program again by the choices in a plan must give the same per-device program. With `PARTITA_UPDATE=1` the
//! expectations are rewritten.

use libtest_mimic::Failed;
use partita::optimise::Options;
use partita::sharding::apply::Completion;
use partita::{Compiled, Compiler};
use std::fmt::Write;
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let program = super::read_annotated(path)?;
    let by = |completion| program.compile(&Compiler::new().completion(completion).passes(Options::none()));
    let mut found = String::new();
    writeln!(found, "propagation: {}", sent(&by(Completion::Propagate)?))?;
    let by_cost = by(Completion::COST)?;
    writeln!(found, "cost: {}", sent(&by_cost))?;
    let plan = by_cost.sharded.plan(&program.module);
    for choice in &plan.choices {
        writeln!(found, "  {}: {}", choice.value, choice.spec)?;
    }
    let again = program.compile(&Compiler::new().plan(&plan)?.passes(Options::none()))?;
    if again.text() != by_cost.text() {
        return Err("the choices in a plan give another program".into());
    }
    let expectation = path.with_extension("out");
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(&expectation, &found)?;
    }
    let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
    if found == expected { Ok(()) } else { Err(format!("found\n{found}\nexpected\n{expected}").into()) }
}

fn sent(compiled: &Compiled) -> String {
    let bytes = compiled.ledger().total().ring_bytes;
    format!("{}, {bytes} bytes", super::partition::collectives(&compiled.partitioned))
}
