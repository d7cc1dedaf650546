//! `tests/partition`: programs with shardings, partitioned and run.
//!
//! The partitioned program on all devices of its mesh must give, bit for bit, what the program gives on one device;
//! the inputs are small exact values, and what pads uneven shards is neutral for nothing. A line
//! `// collectives: all_reduce=2 all_gather=1` says which collectives the partitioner writes, before any pass, and a line
//! `// sent: 96` how many bytes each device sends in rings; no line says nothing.

use libtest_mimic::Failed;
use partita::interpret::{RunOptions, Value, run};
use partita::ir::{Module, TensorType};
use partita::optimise::Options;
use partita::partition::{Partitioned, spoiled_shard};
use partita::sharding::apply::Completion;
use partita::value::{Tensor, sample, spread};
use partita::{Compiled, Compiler};
use std::collections::BTreeMap;
use std::path::Path;

pub fn test(path: &Path) -> Result<(), Failed> {
    let program = super::read_annotated(path)?;
    let compiler = Compiler::new().completion(Completion::Propagate).passes(Options::none());
    let mut compiled = program.compile(&compiler)?;
    same_results(&program.module, &mut compiled)?;
    let (ledger, partitioned) = (compiled.ledger(), &compiled.partitioned);
    let found =
        [("collectives:", collectives(partitioned)), ("sent:", ledger.total().ring_bytes.to_string())];
    for (word, found) in found {
        let line = |line: &&str| line.strip_prefix("// ").is_some_and(|l| l.starts_with(word));
        let wanted = program.text.lines().find(line).map(|l| l["// ".len() + word.len()..].trim());
        if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
            let printed = partita::text::print(&partitioned.module);
            return Err(format!("{word} {found} instead of {wanted}\n{printed}").into());
        }
    }
    Ok(())
}

/// Writes out a per-device program, and runs it and the program it was made of.
pub fn same_results(module: &Module, compiled: &mut Compiled) -> Result<(), Failed> {
    compiled.emit();
    let printed = compiled.text();
    super::read(&printed).map_err(|errors| super::describe(&printed, &errors))?;
    let main = module.func_named("main").ok_or("there is no @main")?;
    let tensor = |ty: &partita::ir::TypeId| module.types[*ty].as_tensor().cloned();
    let inputs: Option<Vec<TensorType>> = module.funcs[main].inputs.iter().map(tensor).collect();
    let signature = compiled.signature();
    let (inputs, signature) = inputs.zip(signature).ok_or("arguments and results must be tensors")?;
    // Values of both kinds, and a few of the second: what goes wrong may depend on them.
    let mut all: Vec<Vec<Tensor>> = vec![make(&inputs, |ty, n| sample(ty, 7, n))];
    all.extend((0..8).map(|seed| make(&inputs, |ty, n| spread(ty, seed, n))));
    for args in all {
        let values = args.iter().cloned().map(Value::Tensor).collect();
        let expected = run(module, main, values, &mut RunOptions::default())?;
        let found =
            signature.run(&compiled.partitioned.module, &args, spoiled_shard, &mut RunOptions::default())?;
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            if expected.as_tensor() != Some(found) {
                return Err(format!("result {n}: {found:?} instead of {expected:?}\n{printed}").into());
            }
        }
    }
    Ok(())
}

fn make(types: &[TensorType], value: impl Fn(TensorType, u64) -> Tensor) -> Vec<Tensor> {
    types.iter().cloned().enumerate().map(|(n, ty)| value(ty, n as u64)).collect()
}

/// How many collectives of each kind there are: `all_gather=1 all_reduce=2`.
pub fn collectives(partitioned: &Partitioned) -> String {
    let module: &Module = &partitioned.module;
    let mut counts = BTreeMap::new();
    for collective in &partitioned.collectives {
        let name = module.op(collective.op).def().name.trim_start_matches("stablehlo.");
        *counts.entry(name).or_insert(0) += 1;
    }
    counts.iter().map(|(name, count)| format!("{name}={count}")).collect::<Vec<_>>().join(" ")
}
