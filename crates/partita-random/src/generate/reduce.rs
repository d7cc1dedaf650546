//! Reductions and sorting.

use super::constants::{lowest, neutral};
use super::window::combines_inexactly;
use super::{Generator, Value, array, is_rounded};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};

/// A combiner of one's own: `p + q + p·q` is associative and commutative, and its neutral element is zero.
pub(super) const OWN: &str = "own";

/// The combiners for an element type.
pub(super) fn combiners(g: &Generator, elem: Elem) -> &'static [&'static str] {
    match elem {
        Elem::Bool => &["or", "and", "xor", "maximum", "minimum"],
        Elem::Int(_) | Elem::Uint(_) => {
            &["add", "add", "multiply", "maximum", "minimum", "and", "or", "xor", OWN]
        }
        _ if elem.is_complex() => &["add"],
        _ if g.arithmetic == Arithmetic::Field => {
            &["add", "add", "add", "multiply", "maximum", "minimum", OWN]
        }
        _ => &["add", "add", "multiply", "maximum", "minimum"],
    }
}

/// A region that combines two elements.
pub(super) fn combine_region(combiner: &str, elem: Elem) -> String {
    let ty = format!("tensor<{elem}>");
    let body = if combiner == OWN {
        format!(
            "%r = stablehlo.multiply %p, %q : {ty}\n    %t = stablehlo.add %p, %q : {ty}\n    \
             %s = stablehlo.add %r, %t : {ty}"
        )
    } else {
        format!("%s = stablehlo.{combiner} %p, %q : {ty}")
    };
    format!("{{\n  ^bb0(%p: {ty}, %q: {ty}):\n    {body}\n    stablehlo.return %s : {ty}\n  }}")
}

/// Some dimensions, and the shape without them.
fn reduced(g: &mut Generator, shape: &[i64]) -> (Vec<usize>, Vec<i64>) {
    let count = 1 + g.rng.below(shape.len());
    let mut dims = g.rng.sample(shape.len(), count);
    dims.sort_unstable();
    let kept = (0..shape.len()).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    (dims, kept)
}

pub(super) fn reduce(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let elem = x.ty.elem;
    let combiner = *g.rng.pick(combiners(g, elem));
    let (dims, kept) = reduced(g, &x.ty.shape);
    let initial = g.initial(combiner, elem);
    let exact = x.exact && initial.exact && !(combines_inexactly(combiner) && is_rounded(elem));
    let region = combine_region(combiner, elem);
    let ty = TensorType::new(elem, kept);
    let attributes = format!("dimensions = {}", array(&dims));
    g.emit_all("stablehlo.reduce", &[x, initial], &attributes, &region, &[ty], exact);
    Some(())
}

/// The largest or smallest element and where it stands, as JAX computes them.
pub(super) fn arg_reduce(g: &mut Generator) -> Option<()> {
    let x =
        g.any(|v| v.ty.rank() > 0 && v.exact && lowest(v.ty.elem).is_some() && v.ty.elem != Elem::Bool)?;
    let elem = x.ty.elem;
    let index = x.ty.with_elem(Elem::Int(32));
    let positions = g.emit_iota(&index);
    let (dims, kept) = reduced(g, &x.ty.shape);
    let (direction, combiner) = *g.rng.pick(&[("GT", "maximum"), ("LT", "minimum")]);
    let start = g.emit_constant(&neutral(combiner, elem)?, TensorType::scalar(elem));
    let zero = g.emit_constant("0", TensorType::scalar(Elem::Int(32)));
    let e = format!("tensor<{elem}>");
    let region = format!(
        "{{\n  ^bb0(%p: {e}, %i: tensor<i32>, %q: {e}, %j: tensor<i32>):\n    \
         %better = stablehlo.compare {direction}, %p, %q : ({e}, {e}) -> tensor<i1>\n    \
         %same = stablehlo.compare EQ, %p, %q : ({e}, {e}) -> tensor<i1>\n    \
         %before = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    \
         %tie = stablehlo.and %same, %before : tensor<i1>\n    \
         %first = stablehlo.or %better, %tie : tensor<i1>\n    \
         %value = stablehlo.select %better, %p, %q : tensor<i1>, {e}\n    \
         %where = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>\n    \
         stablehlo.return %value, %where : {e}, tensor<i32>\n  }}"
    );
    let results = [TensorType::new(elem, kept.clone()), TensorType::new(Elem::Int(32), kept)];
    let attributes = format!("dimensions = {}", array(&dims));
    g.emit_all("stablehlo.reduce", &[x, positions, start, zero], &attributes, &region, &results, true);
    Some(())
}

/// Stable, so that ties have one outcome.
pub(super) fn sort(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && v.exact && !v.ty.elem.is_complex())?;
    let dim = g.rng.below(x.ty.rank());
    let mut operands: Vec<Value> = vec![x.clone()];
    if g.rng.chance(50) {
        let elem = *g.rng.pick(&g.elems);
        operands.push(g.of_type(&x.ty.with_elem(elem)));
    }
    let direction = *g.rng.pick(&["LT", "GT"]);
    let mut arguments = Vec::new();
    for (n, value) in operands.iter().enumerate() {
        arguments.push(format!("%p{n}: tensor<{0}>, %q{n}: tensor<{0}>", value.ty.elem));
    }
    let elem = x.ty.elem;
    let region = format!(
        "{{\n  ^bb0({}):\n    \
         %less = stablehlo.compare {direction}, %p0, %q0 : (tensor<{elem}>, tensor<{elem}>) -> tensor<i1>\n    \
         stablehlo.return %less : tensor<i1>\n  }}",
        arguments.join(", ")
    );
    let results: Vec<TensorType> = operands.iter().map(|v| v.ty.clone()).collect();
    let exact = operands.iter().all(|v| v.exact);
    let attributes = format!("dimension = {dim} : i64, is_stable = true");
    g.emit_all("stablehlo.sort", &operands, &attributes, &region, &results, exact);
    Some(())
}
