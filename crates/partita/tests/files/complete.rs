//! `tests/complete`: programs with a few annotations, completed by cost.
//!
//! `NAME.out` has the values that completion chose shardings for, and the collectives and ring bytes of the per-device program beside those that
//! propagation alone gives. Completing the program again by the choices in a plan must give the same per-device program. With `PARTITA_UPDATE=1` the
//! expectations are rewritten.

use libtest_mimic::Failed;
use partita::complete::{Completed, Machine, complete, named, replay};
use partita::inline::Inlined;
use partita::ledger::Ledger;
use partita::partition::{Partitioned, partition};
use partita::sharding::apply::Completion;
use std::fmt::Write;
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let super::Annotated { text, module, main, mesh } = super::read_annotated(path)?;
    let program = partita::inline::inline(&module, main)?;
    let machine = Machine::unknown(&mesh);
    let by = |method| {
        complete(&program, mesh.clone(), method, &machine).map_err(|errors| super::describe(&text, &errors))
    };
    let mut found = String::new();
    let propagated = by(Completion::Propagate)?;
    writeln!(found, "propagation: {}", sent(&program, &partitioned(&program, propagated)?))?;
    let by_cost = by(Completion::COST)?;
    let choices = named(&program, &module, &mesh, &by_cost.choices);
    let finished = partitioned(&program, by_cost)?;
    writeln!(found, "cost: {}", sent(&program, &finished))?;
    for choice in &choices {
        writeln!(found, "  {}: {}", choice.value, choice.spec)?;
    }
    let again = replay(&program, &module, mesh.clone(), &choices)
        .map_err(|errors| super::describe(&text, &errors))?;
    if partita::text::print(&partitioned(&program, again)?.module) != partita::text::print(&finished.module) {
        return Err("the choices in a plan give another program".into());
    }
    let expectation = path.with_extension("out");
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(&expectation, &found)?;
    }
    let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
    if found == expected { Ok(()) } else { Err(format!("found\n{found}\nexpected\n{expected}").into()) }
}

fn partitioned(program: &Inlined, completed: Completed) -> Result<Partitioned, Failed> {
    match completed.partitioned {
        Some(partitioned) => Ok(partitioned),
        None => Ok(partition(program, &completed.shardings)?),
    }
}

fn sent(program: &Inlined, partitioned: &Partitioned) -> String {
    let bytes = Ledger::new(partitioned, program).total().ring_bytes;
    format!("{}, {bytes} bytes", super::partition::collectives(partitioned))
}
