//! `tests/optimise`: programs before and after a pass.
//!
//! `// pass: sums` names the pass. The per-device program without it and with it must both give what the program gives on one device,
//! bit for bit; `// before: all_reduce=2 sent=96 held=160` says which collectives the first has, what each device sends in rings and
//! the most it holds, and `// after:` says it of the second. `// device: tpu-v4` and `// memory: 4096` say for what device the pass runs, and how many bytes
//! it has.

use super::partition::{collectives, same_results};
use libtest_mimic::Failed;
use partita::device::{built_in, read};
use partita::optimise::{Options, pass_named};
use partita::partition::Prices;
use partita::sharding::apply::Completion;
use partita::{Compiled, Compiler, Device};
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let program = super::read_annotated(path)?;
    let text = &program.text;
    let said = |word: &str| -> Result<&str, Failed> {
        let line =
            text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(word)?.strip_prefix(":"));
        line.map(str::trim).ok_or_else(|| format!("there is no line `// {word}: …`").into())
    };
    let pass = said("pass")?;
    for word in ["before", "after"] {
        let (mut options, mut device) = (Options::none(), Device::default());
        let zero = pass == "weight-update" && word == "after";
        if pass != "weight-update" {
            let pass = pass_named(pass).ok_or_else(|| format!("there is no pass `{pass}`"))?;
            options = options.set(pass, word == "after");
        }
        if let Ok(memory) = said("memory") {
            device.memory = Some(memory.parse()?);
        }
        if let Ok(name) = said("device") {
            device.profile = Some(read(built_in(name).ok_or("there is no such device")?)?);
        }
        let compiler = Compiler::new().completion(Completion::Propagate).passes(options).zero(zero);
        let mut compiled = program.compile(&compiler.device(device).prices(Prices::default()))?;
        let found = describe(&compiled);
        same_results(&program.module, &mut compiled)?;
        let wanted = said(word)?;
        if found != wanted {
            return Err(format!("{word}: {found} instead of {wanted}\n{}", compiled.text()).into());
        }
    }
    Ok(())
}

/// Collectives, bytes sent and bytes held.
fn describe(compiled: &Compiled) -> String {
    let (sent, held) = (compiled.ledger().total().ring_bytes, compiled.memory().peak);
    format!("{} sent={sent} held={held}", collectives(&compiled.partitioned)).trim_start().to_string()
}
