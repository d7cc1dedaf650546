//! Prints what propagation makes of a program, one line for each tensor, for scripts that compare it with others.
//!
//! `shardings FILE [RUNS]` prints lines of fields with tabs between them:
//! `time STEP MICROSECONDS` (the best of RUNS) and `size NODES STEPS`, and where RUNS is not given `arg N SHARDING`,
//! `result N SHARDING`, `value KEY N SHARDING` and `rule KEY RULE`. The key of an operation is its attribute `compare.key`; a sharding has
//! `;` between dimensions and `,` between axes; a rule is written as Shardy writes it.

use partita::inline::{Inlined, inline};
use partita::ir::{Attr, Module, OpRef, names};
use partita::ops::Spread;
use partita::ops::rule::{Access, DimMap, Factor, FactorId, Kind, Rule, TensorMap};
use partita::propagate::{Propagated, SlotId, propagate};
use partita::sharding::import::module_mesh;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which file?")?;
    let runs: Option<usize> = arguments.next().map(|n| n.parse()).transpose()?;
    let text = std::fs::read_to_string(path)?;
    let mut best = [Duration::MAX; 3];
    let mut last = None;
    for _ in 0..runs.unwrap_or(1).max(1) {
        let start = Instant::now();
        let module = partita::text::parse(&text).map_err(|e| format!("{e:?}"))?;
        let parsed = Instant::now();
        let entry = module.func_named("main").or_else(|| module.funcs.ids().next()).ok_or("no function")?;
        let mesh = module_mesh(&module).map_err(|e| e.to_string())?.unwrap_or_default();
        let program = inline(&module, entry).map_err(|e| e.to_string())?;
        let inlined = Instant::now();
        let result = propagate(&program, mesh).map_err(|e| format!("{e:?}"))?;
        let times = [parsed - start, inlined - parsed, inlined.elapsed()];
        best.iter_mut().zip(times).for_each(|(b, t)| *b = t.min(*b));
        last = Some((program, result));
    }
    for (name, time) in ["parse", "inline", "propagate"].iter().zip(best) {
        println!("time\t{name}\t{}", time.as_micros());
    }
    if let Some((program, result)) = last {
        println!("size\t{}\t{}", result.graph.node_count(), result.steps);
        if runs.is_none() {
            print_values(&program, &result);
        }
    }
    Ok(())
}

fn print_values(program: &Inlined, result: &Propagated) {
    let module = &program.module;
    let Some(body) = module.funcs.iter().next().and_then(|f| f.body) else { return };
    for (n, arg) in module.regions[body].args.iter().enumerate() {
        println!("arg\t{n}\t{}", sharding(result, result.graph.value_slot(arg)));
    }
    for (n, slot) in result.graph.result_slots().iter().enumerate() {
        println!("result\t{n}\t{}", sharding(result, *slot));
    }
    for id in module.ops.ids() {
        let op = module.op(id);
        let Some(key) = key(module, op) else { continue };
        for (n, value) in op.results().enumerate() {
            if let Some(slot) = result.graph.value_slot(value) {
                println!("value\t{key}\t{n}\t{}", sharding(result, Some(slot)));
            }
        }
        if op.attr(names::SDY_SHARDING_RULE).is_none()
            && let Spread::Rule(rule, _) = op.def().spread
            && let Ok(rule) = rule(op)
        {
            println!("rule\t{key}\t{}", shardy_form(&rule));
        }
    }
}

fn key(module: &Module, op: OpRef<'_>) -> Option<i64> {
    let (_, attr) = op.op().attrs.iter().find(|(name, _)| &module.strings[*name] == "compare.key")?;
    match attr {
        Attr::Int(key, _) => Some(*key),
        _ => None,
    }
}

fn sharding(result: &Propagated, slot: Option<SlotId>) -> String {
    let Some(slot) = slot else { return String::new() };
    let mesh = &result.mesh;
    let dims = result.sharding(slot).dims;
    let dim = |atoms: &[partita::sharding::Atom]| {
        let parts = mesh.parts(atoms).into_iter().map(|p| {
            let part = p.part.map(|(pre, size)| format!(":({pre}){size}")).unwrap_or_default();
            format!("{}{part}", mesh.axes()[p.axis].name)
        });
        parts.collect::<Vec<_>>().join(",")
    };
    dims.iter().map(|d| dim(&d.atoms)).collect::<Vec<_>>().join(";")
}

/// The name that Shardy gives a factor: `i` to `z`, then `z_1` and so on.
fn factor_name(id: usize) -> String {
    match id {
        0..18 => char::from(b'i' + id as u8).to_string(),
        _ => format!("z_{}", id - 17),
    }
}

/// `([i, j])->([i]) {i=4, j=8} reduction={j}`: the factors as propagation sees them, without windows and offsets.
fn shardy_form(rule: &Rule) -> String {
    let name = |f: &FactorId| factor_name(usize::from(f.0));
    let tensor = |map: &TensorMap| {
        let dims = map.iter().map(|d| match d.factors.is_empty() {
            true => "1".to_string(),
            false => d.factors.iter().map(name).collect(),
        });
        format!("[{}]", dims.collect::<Vec<_>>().join(", "))
    };
    let side = |maps: &[TensorMap]| maps.iter().map(tensor).collect::<Vec<_>>().join(", ");
    let affine = |id: usize| {
        let walks =
            |d: &DimMap| d.access != Access::Direct && d.factors.iter().any(|f| usize::from(f.0) == id);
        rule.tensors().any(|t| t.iter().any(walks))
    };
    let set = |title: &str, has: &dyn Fn(usize, &Factor) -> bool| {
        let members = rule.factors.iter().enumerate().filter(|(i, f)| has(*i, f));
        let members: Vec<String> = members.map(|(i, _)| factor_name(i)).collect();
        if members.is_empty() { String::new() } else { format!(" {title}={{{}}}", members.join(", ")) }
    };
    let sizes = rule.factors.iter().enumerate().map(|(i, f)| format!("{}={}", factor_name(i), f.size));
    format!(
        "({})->({}) {{{}}}{}{}{}{}",
        side(&rule.operands),
        side(&rule.results),
        sizes.collect::<Vec<_>>().join(", "),
        set("reduction", &|_, f| matches!(f.kind, Kind::Reduce(_))),
        set("need_replication", &|_, f| f.kind == Kind::Whole),
        set("permutation", &|i, f| f.kind == Kind::Scan || f.kind == Kind::Parallel && affine(i)),
        set("blocked_propagation", &|_, f| f.blocked),
    )
}
