//! Ops that say what others say too: older ones, ones whose parameters are operands, and ones of libraries.

use super::{Generator, MAX_COUNT, Value, array};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};
use std::fmt::Write;

impl Generator {
    /// A list of numbers as a tensor, for ops that take their parameters so.
    pub(super) fn numbers(&mut self, numbers: &[i64]) -> Value {
        let ty = TensorType::new(*self.rng.pick(&[Elem::Int(32), Elem::Int(64)]), [numbers.len() as i64]);
        self.emit_constant(&format!("{numbers:?}"), ty)
    }
}

/// New leading dimensions, as an older op has it.
pub(super) fn broadcast(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() < 3)?;
    let rank = 1 + g.rng.below(2);
    let sizes = g.random_shape(rank);
    let ty = TensorType::new(x.ty.elem, sizes.iter().chain(&x.ty.shape).copied());
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    g.emit("stablehlo.broadcast", &[x], &format!("broadcast_sizes = {}", array(&sizes)), ty, false);
    Some(())
}

pub(super) fn dynamic_reshape(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let ty = TensorType::new(x.ty.elem, [x.ty.count() as i64]);
    let shape = g.numbers(&ty.shape);
    g.emit("stablehlo.dynamic_reshape", &[x, shape], "", ty, false);
    Some(())
}

pub(super) fn dynamic_iota(g: &mut Generator) -> Option<()> {
    let ty = g.random_type();
    if ty.rank() == 0 || ty.elem == Elem::Bool || ty.elem.bits() < 8 {
        return None;
    }
    let shape = g.numbers(&ty.shape);
    let dim = g.rng.below(ty.rank());
    g.emit("stablehlo.dynamic_iota", &[shape], &format!("iota_dimension = {dim} : i64"), ty, false);
    Some(())
}

/// How large a dimension is, or a dimension of which only the first part counts.
pub(super) fn dimension_size(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let dim = g.rng.below(x.ty.rank());
    let attributes = format!("dimension = {dim} : i64");
    let size = TensorType::scalar(Elem::Int(32));
    if g.rng.chance(50) {
        let exact = Value { exact: true, ..x };
        g.emit("stablehlo.get_dimension_size", &[exact], &attributes, size, false);
    } else {
        let mut ty = x.ty.clone();
        ty.shape[dim] = g.rng.between(1, ty.shape[dim]);
        let size = g.emit_constant(&ty.shape[dim].to_string(), size);
        g.emit("stablehlo.set_dimension_size", &[x, size], &attributes, ty, false);
    }
    Some(())
}

/// Products of vectors and matrices, as older ops have them.
pub(super) fn product(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| matches!(v.ty.rank(), 1 | 2))?;
    let (elem, inner) = (x.ty.elem, *x.ty.shape.last()?);
    let free = *g.rng.pick(&g.sizes);
    if x.ty.rank() == 1 || g.rng.chance(40) {
        let right: Vec<i64> = if g.rng.chance(50) { vec![inner] } else { vec![inner, free] };
        let shape: Vec<i64> = x.ty.shape[..x.ty.rank() - 1].iter().chain(&right[1..]).copied().collect();
        let y = g.of_type(&TensorType::new(elem, right));
        g.emit("stablehlo.dot", &[x, y], "", TensorType::new(elem, shape), true);
        return Some(());
    }
    let outer = x.ty.shape[0];
    match g.rng.below(3) {
        0 => {
            let (config, shape) = *g.rng.pick(&[("ab->ba", 3), ("ab->a", 1), ("ab->b", 2)]);
            let shape = [vec![inner, outer], vec![outer], vec![inner]][shape % 3].clone();
            let attributes = format!("einsum_config = \"{config}\"");
            g.emit("stablehlo.unary_einsum", &[x], &attributes, TensorType::new(elem, shape), true);
        }
        1 => {
            let y = g.of_type(&TensorType::new(elem, [inner, free]));
            let ty = TensorType::new(elem, [free, outer]);
            g.emit("stablehlo.einsum", &[x, y], "einsum_config = \"ab,bc->ca\"", ty, true);
        }
        _ => {
            let y = g.of_type(&x.ty);
            let ty = TensorType::new(elem, [outer]);
            g.emit("stablehlo.einsum", &[x, y], "einsum_config = \"ab,ab->a\"", ty, true);
        }
    }
    Some(())
}

/// A product whose rows go with one matrix or another.
pub(super) fn ragged_dot(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() == 2 && v.ty.elem != Elem::Bool && !v.ty.elem.is_complex())?;
    let (rows, inner) = (x.ty.shape[0], x.ty.shape[1]);
    let (groups, free) = (g.rng.between(1, 4), g.rng.between(1, 5));
    let y = g.of_type(&TensorType::new(x.ty.elem, [groups, inner, free]));
    let sizes: Vec<i64> = (0..groups).map(|_| g.rng.between(0, rows / groups + 1)).collect();
    let sizes = if sizes.iter().sum::<i64>() > rows { vec![rows / groups; groups as usize] } else { sizes };
    let sizes = g.numbers(&sizes);
    let attributes = "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], \
                      rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>";
    let ty = TensorType::new(x.ty.elem, [rows, free]);
    g.emit("chlo.ragged_dot", &[x, y, sizes], attributes, ty, true);
    Some(())
}

/// Rows that indices name, as another library has it.
pub(super) fn index_select(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let dim = g.rng.below(x.ty.rank());
    let batch = g.rng.below(dim + 1) * usize::from(g.rng.chance(30));
    let rank = g.rng.below(2);
    let own = g.random_shape(rank);
    let indices: Vec<i64> = x.ty.shape[..batch].iter().chain(&own).copied().collect();
    let shape: Vec<i64> =
        x.ty.shape[..dim].iter().chain(&own).chain(&x.ty.shape[dim + 1..]).copied().collect();
    let ty = TensorType::new(x.ty.elem, shape);
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    let indices = g.exact_of_type(&TensorType::new(Elem::Int(32), indices));
    let attributes = format!("dim = {dim} : i64, batch_dims = {batch} : i64");
    g.emit("stablehlo.torch_index_select", &[x, indices], &attributes, ty, false);
    Some(())
}

/// The largest elements and where they stand: an op, or a call of a library.
pub(super) fn top_k(g: &mut Generator) -> Option<()> {
    // Floats are ranked by their bits, which elements of a field do not have.
    if g.arithmetic == Arithmetic::Field {
        return None;
    }
    let ranks = |v: &Value| v.exact && v.ty.rank() > 0 && !v.ty.elem.is_complex() && v.ty.elem.bits() >= 8;
    let x = g.any(|v| ranks(v) && v.ty.elem != Elem::Bool)?;
    let last = x.ty.rank() - 1;
    let k = g.rng.between(1, x.ty.shape[last].min(4));
    let mut ty = x.ty.clone();
    ty.shape[last] = k;
    let results = [ty.clone(), ty.with_elem(Elem::Int(32))];
    if g.rng.chance(60) {
        g.emit_all("chlo.top_k", &[x], &format!("k = {k} : i64"), "", &results, true);
        return Some(());
    }
    let name = g.name();
    let attributes = format!("mhlo.attributes = {{k = {k} : i64, largest = {}}}", g.rng.chance(50));
    let _ = writeln!(
        g.body,
        "  {name}:2 = stablehlo.custom_call @mhlo.topk({}) {{{attributes}}} : ({}) -> ({}, {})",
        x.name, x.ty, results[0], results[1]
    );
    g.ops += 1;
    g.used.insert(x.name);
    for (n, ty) in results.into_iter().enumerate() {
        g.scope.push(Value { name: format!("{name}#{n}"), ty, exact: true });
    }
    Some(())
}

/// What a body carries along a dimension.
pub(super) fn scan(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && v.ty.elem != Elem::Bool)?;
    let dim = g.rng.below(x.ty.rank());
    let mut slice = x.ty.clone();
    slice.shape.remove(dim);
    let start = g.of_type(&slice);
    let name = g.name();
    let _ = writeln!(
        g.body,
        "  {name}:2 = chlo.scan({}) inits({}) dimension={dim} {{\n  ^bb0(%s: {slice}, %c: {slice}):\n    \
         %sum = stablehlo.add %s, %c : {slice}\n    stablehlo.return %sum, %sum : {slice}, {slice}\n  }} \
         : ({}, {slice}) -> ({}, {slice})",
        x.name, start.name, x.ty, x.ty
    );
    g.ops += 1;
    g.used.extend([x.name, start.name]);
    let exact = g.arithmetic != Arithmetic::Rounded;
    g.scope.push(Value { name: format!("{name}#0"), ty: x.ty, exact });
    g.scope.push(Value { name: format!("{name}#1"), ty: slice, exact });
    Some(())
}

/// Values put together and taken apart again.
pub(super) fn tuple(g: &mut Generator) -> Option<()> {
    let values = [g.any(|_| true)?, g.any(|_| true)?];
    let pair = g.name();
    let ty = format!("tuple<{}, {}>", values[0].ty, values[1].ty);
    let _ = writeln!(
        g.body,
        "  {pair} = \"stablehlo.tuple\"({}, {}) : ({}, {}) -> {ty}",
        values[0].name, values[1].name, values[0].ty, values[1].ty
    );
    g.used.extend(values.iter().map(|v| v.name.clone()));
    let n = g.rng.below(2);
    let name = g.name();
    let _ = writeln!(
        g.body,
        "  {name} = \"stablehlo.get_tuple_element\"({pair}) <{{index = {n} : i32}}> : ({ty}) -> {}",
        values[n].ty
    );
    g.ops += 2;
    g.scope.push(Value { name, ..values[n].clone() });
    Some(())
}

/// A value that waits for others.
pub(super) fn tokens(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let (first, both, name) = (g.name(), g.name(), g.name());
    let token = "!stablehlo.token";
    let _ = writeln!(
        g.body,
        "  {first} = \"stablehlo.create_token\"() : () -> {token}\n  \
         {both} = \"stablehlo.after_all\"({first}, {first}) : ({token}, {token}) -> {token}\n  \
         {name}:2 = \"stablehlo.optimization_barrier\"({both}, {}) : ({token}, {1}) -> ({token}, {1})",
        x.name, x.ty
    );
    g.ops += 3;
    g.used.insert(x.name.clone());
    g.scope.push(Value { name: format!("{name}#1"), ..x });
    Some(())
}
