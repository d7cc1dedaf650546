//! Loops, branches, calls, and what shardings are said with inside of a program.

use super::{Generator, Value, names, types};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};
use std::fmt::Write;

/// Regions in regions beyond this depth find nothing new.
const MAX_DEPTH: usize = 2;

/// A loop of a few steps, whose number may come from data.
pub(super) fn counted_loop(g: &mut Generator) -> Option<()> {
    if g.depth >= MAX_DEPTH {
        return None;
    }
    let counter = TensorType::scalar(Elem::Int(32));
    let limit = if g.rng.chance(70) {
        let steps = g.rng.below(4).to_string();
        g.emit_constant(&steps, counter.clone())
    } else {
        let (low, high) = (g.emit_constant("0", counter.clone()), g.emit_constant("3", counter.clone()));
        let steps = g.exact_of_type(&counter);
        g.emit("stablehlo.clamp", &[low, steps, high], "", counter.clone(), false)
    };
    let mut starts = vec![g.emit_constant("0", counter.clone())];
    for _ in 0..1 + g.rng.below(3) {
        starts.push(g.any(|_| true)?);
    }
    // What a carry holds after a step is not known before: nothing it feeds counts as exact.
    let exact = g.arithmetic != Arithmetic::Rounded;
    let carries: Vec<Value> = starts
        .iter()
        .enumerate()
        .map(|(n, start)| Value { name: g.name(), ty: start.ty.clone(), exact: exact || n == 0 })
        .collect();
    let ops = 1 + g.rng.below(4);
    let (body, returned) = g.region(ops, &carries, |g| {
        let one = g.emit_constant("1", TensorType::scalar(Elem::Int(32)));
        let next = g.emit("stablehlo.add", &[carries[0].clone(), one], "", carries[0].ty.clone(), false);
        let mut returned = vec![next];
        for carry in &carries[1..] {
            returned.push(g.next_of(carry));
        }
        g.used.extend(returned.iter().map(|v| v.name.clone()));
        returned
    });
    let list = |values: &[Value]| {
        values.iter().map(|v| format!("{}: {}", v.name, v.ty)).collect::<Vec<_>>().join(", ")
    };
    let tests: Vec<Value> =
        carries.iter().map(|v| Value { name: g.name(), ty: v.ty.clone(), exact: true }).collect();
    let regions = format!(
        "{{\n  ^bb0({}):\n  %more = \"stablehlo.compare\"({}, {}) <{{comparison_direction = \
         #stablehlo<comparison_direction LT>}}> : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  \
         stablehlo.return %more : tensor<i1>\n  }}, {{\n  ^bb0({}):\n{body}  \
         stablehlo.return {} : {}\n  }}",
        list(&tests),
        tests[0].name,
        limit.name,
        list(&carries),
        names(&returned),
        types(&returned),
    );
    let results: Vec<TensorType> = carries.iter().map(|v| v.ty.clone()).collect();
    g.emit_all("stablehlo.while", &starts, "", &regions, &results, false);
    Some(())
}

impl Generator {
    /// A region that sees nothing but arguments of the types of these values: its text, its arguments, and what it returns.
    fn isolated(&mut self, operands: &[Value]) -> (String, String, Vec<Value>) {
        let exact = self.arithmetic != Arithmetic::Rounded;
        let parameters: Vec<Value> =
            operands.iter().map(|v| Value { name: self.name(), ty: v.ty.clone(), exact }).collect();
        let outer = std::mem::take(&mut self.scope);
        self.can_take_arguments = false;
        let ops = 1 + self.rng.below(4);
        let (body, returned) = self.region(ops, &parameters, |g| {
            let others = g.rng.below(2);
            let results = g.results(others);
            if results.is_empty() { parameters.clone() } else { results }
        });
        self.can_take_arguments = true;
        self.scope = outer;
        let list = parameters.iter().map(|v| format!("{}: {}", v.name, v.ty)).collect::<Vec<_>>().join(", ");
        (body, list, returned)
    }

    /// What a carry holds after a step: often a sum with what it held before, as gradients accumulate.
    fn next_of(&mut self, carry: &Value) -> Value {
        let unused: Vec<Value> =
            self.scope.iter().filter(|v| v.ty == carry.ty && !self.used.contains(&v.name)).cloned().collect();
        let value = unused.last().cloned().unwrap_or_else(|| self.of_type(&carry.ty));
        if carry.ty.elem != Elem::Bool && self.rng.chance(50) {
            return self.emit("stablehlo.add", &[carry.clone(), value], "", carry.ty.clone(), true);
        }
        value
    }
}

pub(super) fn branches(g: &mut Generator) -> Option<()> {
    if g.depth >= MAX_DEPTH {
        return None;
    }
    let index = TensorType::scalar(Elem::Int(32));
    let (op, selector, count) = if g.rng.chance(60) {
        let (a, b) = (g.exact_of_type(&index), g.exact_of_type(&index));
        ("stablehlo.if", g.emit_compare(&a, &b), 2)
    } else {
        ("stablehlo.case", g.exact_of_type(&index), 1 + g.rng.below(3))
    };
    // The first branch says what there is to return, the others make something of the same types.
    let mut results: Vec<TensorType> = Vec::new();
    let mut regions = Vec::new();
    let mut exact = selector.exact;
    for n in 0..count {
        let ops = g.rng.below(4);
        let (body, returned) = g.region(ops, &[], |g| {
            let inner = g.body.is_empty();
            if n > 0 {
                results.iter().map(|ty| g.of_type(ty)).collect::<Vec<Value>>()
            } else if inner {
                g.recent(|_| true).into_iter().collect()
            } else {
                g.results(0).into_iter().take(2).collect()
            }
        });
        if returned.is_empty() {
            return None;
        }
        g.used.extend(returned.iter().map(|v| v.name.clone()));
        results = returned.iter().map(|v| v.ty.clone()).collect();
        exact &= returned.iter().all(|v| v.exact);
        regions.push(format!(
            "{{\n{body}  stablehlo.return {} : {}\n  }}",
            names(&returned),
            types(&returned)
        ));
    }
    g.emit_all(op, &[selector], "", &regions.join(", "), &results, exact);
    Some(())
}

/// A function, called once or twice.
pub(super) fn call(g: &mut Generator) -> Option<()> {
    if g.depth > 0 || !g.can_take_arguments {
        return None;
    }
    let mut operands = Vec::new();
    for _ in 0..1 + g.rng.below(3) {
        operands.push(g.any(|_| true)?);
    }
    let (body, parameters, returned) = g.isolated(&operands);
    let function = g.name().replace('%', "f");
    let _ = writeln!(
        g.functions,
        "func.func private @{function}({parameters}) -> ({}) {{\n{body}  return {} : {}\n}}",
        types(&returned),
        names(&returned),
        types(&returned),
    );
    let results: Vec<TensorType> = returned.iter().map(|v| v.ty.clone()).collect();
    for _ in 0..1 + g.rng.below(2) {
        let arguments: Vec<Value> = operands.iter().map(|v| g.of_type(&v.ty.clone())).collect();
        let (op, attributes) = match g.rng.chance(80) {
            true => ("func.call", format!("callee = @{function}")),
            false => (
                "stablehlo.composite",
                format!("name = \"own.part\", decomposition = @{function}, version = 1 : i32"),
            ),
        };
        g.emit_all(op, &arguments, &attributes, "", &results, false);
    }
    Some(())
}

/// What is said of the sharding of a value.
pub(super) fn constraint(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let sharding = g.mesh.sharding(&mut g.rng, x.ty.rank());
    let name = g.name();
    let (operand, ty) = (&x.name, &x.ty);
    let _ = match g.rng.below(12) {
        0 => writeln!(g.body, "  {name} = sdy.reshard {operand} {sharding} : {ty}"),
        1 => {
            let direction = g.rng.pick(&["NONE", "FORWARD", "BACKWARD"]);
            writeln!(
                g.body,
                "  {name} = sdy.propagation_barrier {operand} allowed_direction={direction} : {ty}"
            )
        }
        2 => writeln!(g.body, "  {name} = sdy.data_flow_edge {operand} sharding={sharding} : {ty}"),
        3 => writeln!(g.body, "  {name} = sdy.func_data_flow_edge {operand} : {ty}"),
        _ => writeln!(g.body, "  {name} = sdy.sharding_constraint {operand} {sharding} : {ty}"),
    };
    g.ops += 1;
    g.used.insert(x.name.clone());
    g.scope.push(Value { name, ..x });
    Some(())
}

/// A value that is cut, moved and put together again, as a program says that was partitioned by Shardy.
pub(super) fn explicit(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 1)?;
    let axis = g.mesh.some_axes(&mut g.rng).into_iter().find(|axis| !g.mesh.manual.contains(axis))?;
    let axis = g.mesh.axis_names(&[axis]);
    let (whole, cut, moved, back) = (g.name(), g.name(), g.name(), g.name());
    let others = ", {}".repeat(x.ty.rank() - 2);
    let (operand, ty) = (&x.name, &x.ty);
    let _ = writeln!(
        g.body,
        "  {whole} = sdy.sharding_constraint {operand} <@mesh, [{{}}, {{}}{others}]> : {ty}\n  \
         {cut} = sdy.all_slice [{{{axis}}}, {{}}{others}] {whole} out_sharding=<@mesh, [{{{axis}}}, {{}}{others}]> : {ty}\n  \
         {moved} = sdy.all_to_all [{{{axis}}}: 0->1] {cut} out_sharding=<@mesh, [{{}}, {{{axis}}}{others}]> : {ty}\n  \
         {back} = sdy.all_gather [{{}}, {{{axis}}}{others}] {moved} out_sharding=<@mesh, [{{}}, {{}}{others}]> : {ty}"
    );
    g.ops += 4;
    g.used.insert(x.name.clone());
    let name = if g.rng.chance(50) { moved } else { back };
    g.scope.push(Value { name, ..x });
    Some(())
}

/// Values that are to be split alike: new ones, of which nothing else is said.
pub(super) fn group(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let y = g.recent(|v| v.ty.shape == x.ty.shape)?;
    let number = g.names;
    for value in [x, y] {
        let ty = value.ty.clone();
        let new = g.emit("stablehlo.reshape", &[value], "", ty, false);
        let _ = writeln!(g.body, "  sdy.sharding_group {} group_id={number} : {}", new.name, new.ty);
    }
    Some(())
}

/// A part of the program with a name.
pub(super) fn named(g: &mut Generator) -> Option<()> {
    if g.depth > 0 || !g.can_take_arguments {
        return None;
    }
    let operands = [g.any(|_| true)?, g.any(|_| true)?];
    let (body, parameters, returned) = g.isolated(&operands);
    let name = g.name();
    let count = if returned.len() == 1 { String::new() } else { format!(":{}", returned.len()) };
    let _ = writeln!(
        g.body,
        "  {name}{count} = sdy.named_computation<\"part\">({}) ({}) {{\n{body}  sdy.return {} : {}\n  }} : ({}) -> ({})",
        names(&operands),
        parameters,
        names(&returned),
        types(&returned),
        types(&operands),
        types(&returned),
    );
    g.ops += 1;
    g.used.extend(operands.into_iter().map(|v| v.name));
    let exact = g.arithmetic != Arithmetic::Rounded;
    for (n, value) in returned.iter().enumerate() {
        let name = if returned.len() == 1 { name.clone() } else { format!("{name}#{n}") };
        g.scope.push(Value { name, ty: value.ty.clone(), exact });
    }
    Some(())
}

pub(super) fn barrier(g: &mut Generator) -> Option<()> {
    let values = [g.any(|_| true)?, g.any(|_| true)?];
    let results = [values[0].ty.clone(), values[1].ty.clone()];
    let exact = values.iter().all(|v| v.exact);
    g.emit_all("stablehlo.optimization_barrier", &values, "", "", &results, exact);
    Some(())
}
