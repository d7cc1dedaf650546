//! Every program with shardings goes from its notation to Shardy's, to tiles, and back, and says the same.

use libtest_mimic::{Failed, Trial};
use partita::ir::sdy::{SdyAttr, TensorSharding};
use partita::ir::{Attr, Module, OpRef, Span, names};
use partita::ops::OpKind;
use partita::sharding::import::{Subject, from_sdy, module_mesh};
use partita::sharding::unify::unify;
use partita::sharding::{AtomSet, Mesh, export, tiles};
use partita::text::print::print;
use std::path::Path;

/// Programs whose shardings do not go over one mesh, with a part of the error.
///
/// * Meshes over different devices.
/// * A dimension of unknown size.
const REFUSED: &[(&str, &str)] = &[
    ("source_result_different_meshes_not_propagated", "devices"),
    ("dynamic_shaped_func_output_skipped", "dynamic"),
];

pub fn add(tests: &mut Vec<Trial>) {
    let mut folders = vec![(crate::common::repository().join("examples/tiny"), "examples")];
    if let Some(corpus) = crate::common::corpus() {
        folders.extend(["xla", "programs", "shardy"].map(|name| (corpus.join(name), name)));
    }
    for (folder, name) in folders {
        for (program, path) in crate::common::programs(&folder) {
            let name = format!("notation/{name}/{program}");
            tests.push(Trial::test(name.clone(), move || test(&name, &path)));
        }
    }
}

fn test(name: &str, path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let unified = crate::read(&text).and_then(|mut module| unify(&mut module).map(|_| module));
    let module = match (unified, REFUSED.iter().find(|(part, _)| name.contains(part))) {
        (Ok(module), None) => module,
        (Err(errors), Some((_, message))) if errors.iter().any(|e| e.message.contains(message)) => {
            return Ok(());
        }
        (Err(errors), _) => return Err(crate::describe(&text, &errors)),
        (Ok(_), Some(_)) => return Err("the program was accepted".into()),
    };
    // The program in Shardy's notation is one that can be read.
    let sdy = print(&module);
    let module = crate::read(&sdy).map_err(|errors| crate::describe(&sdy, &errors))?;
    let Some(mesh) = module_mesh(&module).map_err(|error| crate::describe(&sdy, &[error]))? else {
        return Ok(());
    };
    let before = annotations(&module, &mesh)?;
    let mut tiled = module.clone();
    match export::to_tiles(&mut tiled, &mesh) {
        Ok(_) => {}
        Err(errors) => return Err(crate::describe(&sdy, &errors)),
    }
    let tiled = print(&tiled);
    let mut again = crate::read(&tiled).map_err(|errors| crate::describe(&tiled, &errors))?;
    let regions =
        |module: &Module| module.ops.iter().filter(|op| op.kind == OpKind::SdyManualComputation).count();
    if regions(&module) > 0 {
        // The calls that end them are annotations too, so annotations are not compared one by one.
        return match unify(&mut again) {
            Ok(_) if regions(&again) == regions(&module) => Ok(()),
            Ok(_) => Err("the manual regions do not come back".into()),
            Err(errors) => Err(crate::describe(&tiled, &errors)),
        };
    }
    unify(&mut again).map_err(|errors| crate::describe(&tiled, &errors))?;
    let mesh = module_mesh(&again).map_err(|error| crate::describe(&tiled, &[error]))?.unwrap_or_default();
    let after = annotations(&again, &mesh)?;
    let different = before.iter().zip(&after).find(|(a, b)| a != b);
    match different {
        Some((a, b)) => Err(format!("{a}\n  is afterwards\n{b}").into()),
        None if before.len() != after.len() => {
            Err(format!("{} annotations are {} afterwards", before.len(), after.len()).into())
        }
        None => Ok(()),
    }
}

/// What every annotation of a program says, in program order: the grid of tiles and the open dimensions.
fn annotations(module: &Module, mesh: &Mesh) -> Result<Vec<String>, Failed> {
    let mut list = Vec::new();
    let mut add = |place: String, rank: usize, sharding: &TensorSharding| -> Result<(), Failed> {
        let subject = Subject { name: &place, span: Span::default(), rank };
        let sharding = from_sdy(module, mesh, sharding, &subject).map_err(|e| Failed::from(e.to_string()))?;
        let open: Vec<bool> = sharding.dims.iter().map(|d| d.open).collect();
        let split = !sharding.used().is_empty() || !sharding.unreduced.is_empty();
        if split || !open.iter().all(|o| *o) {
            let kind = tiles::to_tiles(mesh, &sharding, AtomSet::EMPTY);
            list.push(format!("{place}: {kind} {open:?}"));
        }
        Ok(())
    };
    let rank = |ty: &partita::ir::Type| ty.as_tensor().map_or(0, |t| t.rank());
    for func in module.funcs.iter() {
        let name = &module.strings[func.name];
        for (n, (attrs, ty)) in func.arg_attrs.iter().zip(&func.inputs).enumerate() {
            if let Some(sharding) = partita::sharding::import::boundary_sharding(attrs) {
                add(format!("@{name} argument {n}"), rank(&module.types[*ty]), sharding)?;
            }
        }
        for (n, (attrs, ty)) in func.result_attrs.iter().zip(&func.results).enumerate() {
            if let Some(sharding) = partita::sharding::import::boundary_sharding(attrs) {
                add(format!("@{name} result {n}"), rank(&module.types[*ty]), sharding)?;
            }
        }
        let mut stack: Vec<OpRef<'_>> = func.body.iter().flat_map(|b| ops(module, *b)).collect();
        while let Some(op) = stack.pop() {
            for name in [names::SDY_SHARDING, names::SHARDING] {
                let Some(Attr::Sdy(sdy)) = op.attr(name) else { continue };
                let shardings = match &**sdy {
                    SdyAttr::Sharding(one) => std::slice::from_ref(one),
                    SdyAttr::PerValue(list) => list,
                    _ => continue,
                };
                for (n, sharding) in shardings.iter().enumerate() {
                    let ty = op.result_types().nth(n).map_or(0, rank);
                    add(
                        format!("a result of {}", op.def().name.split('.').next_back().unwrap_or("")),
                        ty,
                        sharding,
                    )?;
                }
            }
            stack.extend(op.regions().iter().flat_map(|r| ops(module, *r)));
        }
    }
    // A constraint is a call of another name in between.
    Ok(list.into_iter().map(|line| line.replace("reshard", "sharding_constraint")).collect())
}

/// The operations of a region, last first.
fn ops(module: &Module, region: partita::ir::RegionId) -> Vec<OpRef<'_>> {
    module.regions[region].ops.iter().rev().map(|op| module.op(*op)).collect()
}
