//! Reductions and sorting.

use super::constants::{lowest, neutral};
use super::window::combines_inexactly;
use super::{Generator, Value, array, is_rounded};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};
use std::fmt::Write;

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

/// What takes the second element for the first.
pub(super) const SET: &str = "set";

/// A region that combines two elements.
pub(super) fn combine_region(combiner: &str, elem: Elem) -> String {
    combine_regions(&[(elem, combiner)])
}

/// A region that combines two elements of each of several types.
pub(super) fn combine_regions(parts: &[(Elem, &str)]) -> String {
    let (mut firsts, mut seconds, mut body, mut results, mut types) =
        (vec![], vec![], String::new(), vec![], vec![]);
    for (n, (elem, combiner)) in parts.iter().enumerate() {
        let ty = format!("tensor<{elem}>");
        firsts.push(format!("%p{n}: {ty}"));
        seconds.push(format!("%q{n}: {ty}"));
        let _ = match *combiner {
            SET => Ok(()),
            OWN => write!(
                body,
                "%r{n} = stablehlo.multiply %p{n}, %q{n} : {ty}\n    %t{n} = stablehlo.add %p{n}, %q{n} : {ty}\n    \
                 %s{n} = stablehlo.add %r{n}, %t{n} : {ty}\n    "
            ),
            op => write!(body, "%s{n} = stablehlo.{op} %p{n}, %q{n} : {ty}\n    "),
        };
        results.push(if *combiner == SET { format!("%q{n}") } else { format!("%s{n}") });
        types.push(ty);
    }
    firsts.append(&mut seconds);
    format!(
        "{{\n  ^bb0({}):\n    {body}stablehlo.return {} : {}\n  }}",
        firsts.join(", "),
        results.join(", "),
        types.join(", ")
    )
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
    let mut inputs = vec![x];
    let mut parts = vec![(elem, combiner)];
    // Two tensors at once, each with a combiner of its own.
    if g.rng.chance(12) {
        let elem = *g.rng.pick(&g.elems);
        let ty = inputs[0].ty.with_elem(elem);
        inputs.push(g.of_type(&ty));
        let known: Vec<&str> =
            combiners(g, elem).iter().copied().filter(|c| neutral(c, elem).is_some()).collect();
        parts.push((elem, *g.rng.pick(&known)));
    }
    if parts.len() > 1 && neutral(combiner, parts[0].0).is_none() {
        return None;
    }
    let initial: Vec<Value> = match parts[..] {
        [(elem, combiner)] => vec![g.initial(combiner, elem)],
        _ => parts.iter().map(|(elem, combiner)| g.neutral(combiner, *elem)).collect(),
    };
    let rounds = parts.iter().any(|(elem, combiner)| combines_inexactly(combiner) && is_rounded(*elem));
    let exact = !rounds && inputs.iter().chain(&initial).all(|v| v.exact);
    let region = combine_regions(&parts);
    let results: Vec<TensorType> =
        parts.iter().map(|(elem, _)| TensorType::new(*elem, kept.clone())).collect();
    let attributes = format!("dimensions = {}", array(&dims));
    inputs.extend(initial);
    g.emit_all("stablehlo.reduce", &inputs, &attributes, &region, &results, exact);
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
         %beyond = stablehlo.compare {direction}, %p, %q : ({e}, {e}) -> tensor<i1>\n    \
         %none = stablehlo.compare NE, %p, %p : ({e}, {e}) -> tensor<i1>\n    \
         %better = stablehlo.or %beyond, %none : tensor<i1>\n    \
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

/// Sorts by one key or by two, and other tensors along. Stable where that decides: then ties have one outcome.
pub(super) fn sort(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0 && v.exact && !v.ty.elem.is_complex())?;
    let dim = g.rng.below(x.ty.rank());
    let mut operands: Vec<Value> = vec![x.clone()];
    let keys = 1 + usize::from(g.rng.chance(25));
    for n in 1..keys + g.rng.below(3) {
        let elem = *g.rng.pick(&g.elems);
        let ty = x.ty.with_elem(if elem.is_complex() { x.ty.elem } else { elem });
        operands.push(if n < keys { g.exact_of_type(&ty) } else { g.of_type(&ty) });
    }
    let mut arguments = Vec::new();
    for (n, value) in operands.iter().enumerate() {
        arguments.push(format!("%p{n}: tensor<{0}>, %q{n}: tensor<{0}>", value.ty.elem));
    }
    let mut compared = String::new();
    let mut compare = |name: &str, n: usize, direction: &str| {
        let ty = format!("tensor<{}>", operands[n].ty.elem);
        let _ = write!(
            compared,
            "%{name} = stablehlo.compare {direction}, %p{n}, %q{n} : ({ty}, {ty}) -> tensor<i1>\n    "
        );
    };
    let (first, second) = (*g.rng.pick(&["LT", "GT"]), *g.rng.pick(&["LT", "GT"]));
    compare("first", 0, first);
    let mut less = "%first";
    if keys > 1 {
        compare("same", 0, "EQ");
        compare("second", 1, second);
        compared.push_str(
            "%then = stablehlo.and %same, %second : tensor<i1>\n    %less = stablehlo.or %first, %then : tensor<i1>\n    ",
        );
        less = "%less";
    }
    let region = format!(
        "{{\n  ^bb0({}):\n    {compared}stablehlo.return {less} : tensor<i1>\n  }}",
        arguments.join(", ")
    );
    let results: Vec<TensorType> = operands.iter().map(|v| v.ty.clone()).collect();
    let exact = operands.iter().all(|v| v.exact);
    // Zeros of both signs are equal and still differ.
    let stable = operands.len() > keys || is_rounded(x.ty.elem) || g.rng.chance(50);
    let attributes = format!("dimension = {dim} : i64, is_stable = {stable}");
    g.emit_all("stablehlo.sort", &operands, &attributes, &region, &results, exact);
    Some(())
}
