//! `tests/optimise`: programs before and after a pass.
//!
//! `// pass: sums` names the pass. The per-device program without it and with it must both give what the program gives on one device,
//! bit for bit; `// before: all_reduce=2 sent=96 held=160` says which collectives the first has, what each device sends in rings and
//! the most it holds, and `// after:` says it of the second. `// device: tpu-v4` and `// memory: 4096` say for what device the pass runs, and how many bytes
//! it has.

use super::partition::{collectives, same_results};
use libtest_mimic::Failed;
use partita::device::{built_in, read};
use partita::inline::Inlined;
use partita::ledger::{Ledger, Memory};
use partita::optimise::{Options, Target, optimise, pass_named, weight_update};
use partita::partition::{Partitioned, partition};
use partita::propagate::propagate;
use partita::simulate::placement;
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let super::Annotated { text, module, main, mesh } = super::read_annotated(path)?;
    let said = |word: &str| -> Result<&str, Failed> {
        let line =
            text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(word)?.strip_prefix(":"));
        line.map(str::trim).ok_or_else(|| format!("there is no line `// {word}: …`").into())
    };
    let pass = said("pass")?;
    for word in ["before", "after"] {
        let mut program = partita::inline::inline(&module, main)?;
        let wrong = |errors: Vec<partita::Diagnostic>| super::describe(&text, &errors);
        let mut shardings = propagate(&program, mesh.clone()).map_err(wrong)?;
        let mut options = Options::none();
        match pass {
            "weight-update" if word == "after" => {
                shardings = weight_update::shard(&mut program, shardings).map_err(wrong)?;
            }
            "weight-update" => {}
            _ => {
                let pass = pass_named(pass).ok_or_else(|| format!("there is no pass `{pass}`"))?;
                options = options.set(pass, word == "after");
            }
        }
        let mut partitioned = partition(&program, &shardings)?;
        if let Ok(memory) = said("memory") {
            options = options.within(Some(memory.parse()?));
        }
        if let Ok(device) = said("device") {
            let profile = read(built_in(device).ok_or("there is no such device")?)?;
            let placement = placement(&partitioned.program(), &profile, None)?;
            options.target = Some(Target { profile, placement, memory: said("memory")?.parse()? });
        }
        optimise(&mut partitioned, &options);
        let found = describe(&program, &partitioned);
        same_results(&module, &program, &mut partitioned)?;
        let wanted = said(word)?;
        if found != wanted {
            let printed = partita::text::print(&partitioned.module);
            return Err(format!("{word}: {found} instead of {wanted}\n{printed}").into());
        }
    }
    Ok(())
}

/// Collectives, bytes sent and bytes held.
fn describe(program: &Inlined, partitioned: &Partitioned) -> String {
    let sent = Ledger::new(partitioned, program).total().ring_bytes;
    let held = Memory::new(&partitioned.module).peak;
    format!("{} sent={sent} held={held}", collectives(partitioned)).trim_start().to_string()
}
