//! What was found, as a plan that others read.

use crate::truth::Judged;
use partita::complete::{Subject, named};
use partita::ir::{Module, ValueId};
use partita::sharding::plan::Plan;
use partita::sharding::{Mesh, Sharding};
use rustc_hash::{FxHashMap, FxHashSet};

/// The plan of decisions that were judged. `input` is the program before inlining, whose names users know.
pub fn plan(subject: &Subject<'_>, input: &Module, judged: &Judged) -> Plan {
    let mesh = &subject.mesh;
    let names = argument_names(subject);
    let mut constraints: Vec<(String, String)> = Vec::new();
    let mut known = FxHashSet::default();
    for (value, sharding) in &judged.constraints {
        let name = subject.whole.input_name(input, *value);
        // Several copies of a function have one name.
        if known.insert(name.clone()) {
            constraints.push((name, text(mesh, sharding)));
        }
    }
    // The search evaluates plans by propagation, which this plan says: so it gives what was evaluated.
    let annotated = Plan::of(&subject.whole.module, mesh, named(subject.whole, input, mesh, &judged.choices));
    let arguments = judged.arguments.iter().map(|(n, s)| (names[*n].clone(), text(mesh, s)));
    let results = judged.results.iter().map(|(n, s)| (format!("result{n}"), text(mesh, s)));
    Plan {
        arguments: annotated.arguments.into_iter().chain(arguments).collect(),
        results: annotated.results.into_iter().chain(results).collect(),
        constraints,
        ..annotated
    }
}

/// The names of the arguments of the whole program: those JAX gave, where each is of one argument.
pub fn argument_names(subject: &Subject<'_>) -> Vec<String> {
    let module = &subject.whole.module;
    let body = module.funcs.iter().next().and_then(|func| func.body);
    let arguments: Vec<ValueId> =
        body.into_iter().flat_map(|body| module.regions[body].args.iter()).collect();
    let given = |value: &ValueId| module.locs.name(module.values[*value].loc).map(|s| &module.strings[s]);
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    for name in arguments.iter().filter_map(given) {
        *count.entry(name).or_default() += 1;
    }
    let name = |(n, value): (usize, &ValueId)| match given(value) {
        Some(name) if count[name] == 1 && !name.contains(['*', '?']) => name.to_string(),
        _ => format!("arg{n}"),
    };
    arguments.iter().enumerate().map(name).collect()
}

/// A sharding as `--shard` reads it.
pub fn text(mesh: &Mesh, sharding: &Sharding) -> String {
    let dim = |dim: &partita::sharding::DimSharding| {
        let axis = |part: &partita::sharding::mesh::AxisPart| {
            let name = &mesh.axes()[part.axis].name;
            part.part.map_or_else(|| name.clone(), |(pre, size)| format!("{name}:({pre}){size}"))
        };
        let axes: Vec<String> = mesh.parts(&dim.atoms).iter().map(axis).collect();
        if axes.is_empty() { "_".to_string() } else { axes.join("+") }
    };
    sharding.dims.iter().map(dim).collect::<Vec<_>>().join(",")
}
