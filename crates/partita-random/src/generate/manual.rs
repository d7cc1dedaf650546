//! Regions written for one device along some axes, with the collectives that such programs write themselves.

use super::reduce::{combine_region, combiners};
use super::window::combines_inexactly;
use super::{Generator, MAX_COUNT, Value, is_rounded, names, types};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};
use std::fmt::Write;

/// Axes of each dimension of a tensor.
type Axes = Vec<Vec<usize>>;

pub(super) fn region(g: &mut Generator) -> Option<()> {
    if g.depth > 0 || !g.can_take_arguments {
        return None;
    }
    let manual = g.mesh.some_axes(&mut g.rng);
    if manual.is_empty() {
        return None;
    }
    let exact = g.arithmetic != Arithmetic::Rounded;
    let (mut operands, mut parameters, mut entries) = (vec![], vec![], vec![]);
    for _ in 0..1 + g.rng.below(2) {
        let x = g.any(|v| v.ty.rank() > 0)?;
        let (axes, local) = cut(g, &manual, &x.ty);
        entries.push(g.mesh.manual_sharding(&axes, g.rng.chance(50)));
        parameters.push(Value { name: g.name(), ty: local, exact: exact || x.exact });
        operands.push(x);
    }
    let outer = std::mem::take(&mut g.scope);
    g.can_take_arguments = false;
    g.mesh.manual = manual.clone();
    let ops = 1 + g.rng.below(5);
    let (body, returned) = g.region(ops, &parameters, |g| {
        for _ in 0..g.rng.below(3) {
            let _ = if g.rng.chance(85) { collective(g) } else { device(g) };
        }
        let mut results: Vec<Value> = g.results(1);
        results.retain(|v| v.ty.rank() > 0);
        results.truncate(2);
        results
    });
    g.mesh.manual.clear();
    g.can_take_arguments = true;
    g.scope = outer;
    if returned.is_empty() {
        return None;
    }
    let (mut exits, mut results) = (vec![], vec![]);
    for value in &returned {
        // Every device has something of its own to return.
        let mut axes: Axes = vec![Vec::new(); value.ty.rank()];
        let mut ty = value.ty.clone();
        for &axis in &manual {
            let dim = g.rng.below(ty.rank());
            axes[dim].push(axis);
            ty.shape[dim] *= g.mesh.sizes[axis] as i64;
        }
        if ty.count() as i64 > 4 * MAX_COUNT {
            return None;
        }
        exits.push(g.mesh.manual_sharding(&axes, g.rng.chance(50)));
        results.push(Value { ty, ..value.clone() });
    }
    let name = g.name();
    let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
    let list = parameters.iter().map(|v| format!("{}: {}", v.name, v.ty)).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        g.body,
        "  {name}{count} = sdy.manual_computation({}) in_shardings=[{}] out_shardings=[{}] manual_axes={{{}}} ({list}) {{\n\
         {body}  sdy.return {} : {}\n  }} : ({}) -> ({})",
        names(&operands),
        entries.join(", "),
        exits.join(", "),
        g.mesh.axis_names(&manual),
        names(&returned),
        types(&returned),
        types(&operands),
        types(&results),
    );
    g.ops += 1;
    g.used.extend(operands.iter().map(|v| v.name.clone()));
    for (n, value) in results.iter().enumerate() {
        let name = if results.len() == 1 { name.clone() } else { format!("{name}#{n}") };
        g.scope.push(Value { name, ..value.clone() });
    }
    Some(())
}

/// Splits the dimensions of a tensor along some manual axes, as far as they divide: axes, and the type that is left.
fn cut(g: &mut Generator, manual: &[usize], ty: &TensorType) -> (Axes, TensorType) {
    let mut axes: Axes = vec![Vec::new(); ty.rank()];
    let mut local = ty.clone();
    for &axis in manual {
        let (dim, size) = (g.rng.below(ty.rank()), g.mesh.sizes[axis] as i64);
        if local.shape[dim] % size == 0 && g.rng.chance(80) {
            axes[dim].push(axis);
            local.shape[dim] /= size;
        }
    }
    (axes, local)
}

/// A collective of the program itself, along some of the axes that the region around it is local in.
pub(super) fn collective(g: &mut Generator) -> Option<()> {
    if g.mesh.manual.is_empty() {
        return None;
    }
    let axes: Vec<usize> = g.mesh.manual.clone().into_iter().filter(|_| g.rng.chance(70)).collect();
    let groups = g.mesh.groups(&axes);
    let size = groups[0].len() as i64;
    let x = g.any(|v| v.ty.rank() > 0)?;
    let dim = g.rng.below(x.ty.rank());
    let handle = g.names as i64 + 1;
    let matrix = format!(
        "replica_groups = dense<{groups:?}> : tensor<{}x{size}xi64>, channel_handle = #stablehlo.channel_handle<handle = {handle}, type = 1>",
        groups.len()
    );
    let mut ty = x.ty.clone();
    let combiner = *g.rng.pick(combiners(g, x.ty.elem));
    let region = combine_region(combiner, x.ty.elem);
    let exact = x.exact && !(combines_inexactly(combiner) && is_rounded(x.ty.elem));
    let kind = g.rng.below(6);
    let (op, attributes, region, exact) = match kind {
        0 => {
            ty.shape[dim] *= size;
            (
                "all_gather",
                format!("all_gather_dim = {dim} : i64, {matrix}, use_global_device_ids"),
                "",
                x.exact,
            )
        }
        1 => {
            let op = *g.rng.pick(&["all_reduce", "all_reduce", "collective_reduce"]);
            (op, format!("{matrix}, use_global_device_ids"), region.as_str(), exact)
        }
        2 if ty.shape[dim] % size == 0 => {
            ty.shape[dim] /= size;
            let attributes = format!("scatter_dimension = {dim} : i64, {matrix}, use_global_device_ids");
            ("reduce_scatter", attributes, region.as_str(), exact)
        }
        3 if ty.shape[dim] % size == 0 => {
            ty.shape[dim] /= size;
            let to = g.rng.below(ty.rank());
            ty.shape[to] *= size;
            let attributes = format!(
                "split_dimension = {dim} : i64, concat_dimension = {to} : i64, split_count = {size} : i64, {matrix}"
            );
            ("all_to_all", attributes, "", x.exact)
        }
        4 => ("collective_broadcast", matrix, "", x.exact),
        _ => {
            // Each device of a group sends to the next one; the last to nobody, or to the first.
            let round = g.rng.chance(50);
            let mut pairs = Vec::new();
            for group in &groups {
                let last = if round { group.len() } else { group.len() - 1 };
                pairs.extend((0..last).map(|n| [group[n], group[(n + 1) % group.len()]]));
            }
            if pairs.is_empty() {
                return None;
            }
            let attributes = format!(
                "source_target_pairs = dense<{pairs:?}> : tensor<{}x2xi64>, channel_handle = #stablehlo.channel_handle<handle = {handle}, type = 1>",
                pairs.len()
            );
            ("collective_permute", attributes, "", x.exact)
        }
    };
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    g.emit_all(&format!("stablehlo.{op}"), &[x], &attributes, region, &[ty], exact);
    Some(())
}

/// Which device this is, as a number to compute with.
pub(super) fn device(g: &mut Generator) -> Option<()> {
    if g.mesh.manual.len() < g.mesh.sizes.len() {
        return None;
    }
    let op = *g.rng.pick(&["stablehlo.partition_id", "stablehlo.replica_id"]);
    let ty = TensorType::scalar(Elem::Uint(32));
    let id = g.emit(op, &[], "", ty, false);
    let to = *g.rng.pick(&g.elems);
    if !to.is_complex() && to != Elem::Bool && g.arithmetic != Arithmetic::Rounded {
        g.emit("stablehlo.convert", &[id], "", TensorType::scalar(to), false);
    }
    Some(())
}
