//! The tiny examples with each of their annotations: which collectives the per-device programs have.
//!
//! `tests/examples/collectives.txt` has one line per program: what moves along which axes, and how many such collectives are written.
//! It is there to be read: data parallelism reduces each gradient once, ZeRO and FSDP gather weights and scatter gradients, the 2-D scheme
//! gathers weights along one axis and activations along the other, pipelines permute, experts exchange by all-to-all. With
//! `PARTITA_UPDATE=1` it is rewritten.

use super::common;
use libtest_mimic::{Failed, Trial};
use partita::partition::{Partitioned, Pattern};
use partita::sharding::Mesh;
use partita::sharding::apply::Completion;
use partita::{Compiled, Compiler};
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn add(tests: &mut Vec<Trial>) {
    tests.push(Trial::test("examples/collectives", test));
}

fn test() -> Result<(), Failed> {
    let root = common::repository();
    let mut found = String::new();
    for (name, path) in common::programs(&root.join("examples/tiny")) {
        let Some(name) = name.strip_suffix(".sdy") else { continue };
        let text = std::fs::read_to_string(&path)?;
        let module = super::read(&text).map_err(|errors| super::describe(&text, &errors))?;
        if partita::sharding::import::module_mesh(&module)?.is_none() {
            continue;
        }
        let compiled = Compiler::new().completion(Completion::Propagate).compile(&module);
        let Compiled { sharded, partitioned } =
            compiled.map_err(|errors| super::describe(&text, &errors.0))?;
        writeln!(found, "{name}: {}", collectives(&partitioned))?;
        if let Some((op, reason)) = partitioned.replicated.first() {
            let op = sharded.inlined.module.op(*op).def().name;
            return Err(format!("{name}: `{op}` runs whole on every device: {reason}").into());
        }
    }
    let path = root.join("tests/examples/collectives.txt");
    if std::env::var_os("PARTITA_UPDATE").is_some() {
        std::fs::write(&path, &found)?;
    }
    let expected = std::fs::read_to_string(&path)?;
    let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    match differs {
        Some((found, expected)) => Err(format!("found    {found}\nexpected {expected}").into()),
        None if found.lines().count() != expected.lines().count() => Err("there are other examples".into()),
        None => Ok(()),
    }
}

/// How many collectives of each kind there are along which axes: `all_reduce{model}=4`.
fn collectives(partitioned: &Partitioned) -> String {
    let mut counts = BTreeMap::new();
    for collective in &partitioned.collectives {
        let kind = partitioned.module.op(collective.op).def().name.trim_start_matches("stablehlo.");
        let axes = axes(&partitioned.mesh, &collective.pattern);
        *counts.entry(format!("{kind}{{{axes}}}")).or_insert(0) += 1;
    }
    counts.iter().map(|(what, count)| format!("{what}={count}")).collect::<Vec<_>>().join(" ")
}

fn axes(mesh: &Mesh, pattern: &Pattern) -> String {
    let mut names: Vec<&str> =
        pattern.atoms().iter().map(|atom| mesh.axes()[mesh.atom_axis(*atom)].name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(",")
}
