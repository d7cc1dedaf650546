//! Elementwise ops.

use super::{Generator, Value, is_rounded};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};

/// An op of two operands of a type and a result of the same.
pub(super) fn binary(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let elem = x.ty.elem;
    let rounded = g.arithmetic == Arithmetic::Rounded;
    let ops: &[&str] = match elem {
        Elem::Bool => &["and", "or", "xor", "add", "multiply", "maximum", "minimum"],
        Elem::Int(_) | Elem::Uint(_) => &[
            "add",
            "add",
            "add",
            "subtract",
            "subtract",
            "multiply",
            "multiply",
            "multiply",
            "maximum",
            "minimum",
            "and",
            "or",
            "xor",
            "divide",
            "remainder",
            "shift_left",
            "shift_right_logical",
            "shift_right_arithmetic",
        ],
        _ if elem.is_complex() => &["add", "subtract", "multiply"],
        // A quotient by something near zero is all error.
        _ if rounded => &["add", "add", "subtract", "multiply", "multiply", "maximum", "minimum"],
        _ => &[
            "add", "add", "add", "subtract", "multiply", "multiply", "divide", "maximum", "minimum", "power",
        ],
    };
    let op = *g.rng.pick(ops);
    let y = if g.rng.chance(10) { x.clone() } else { g.of_type(&x.ty) };
    let operands = if g.rng.chance(50) { [x.clone(), y] } else { [y, x.clone()] };
    let rounds = !matches!(op, "maximum" | "minimum");
    g.emit(&format!("stablehlo.{op}"), &operands, "", x.ty, rounds);
    Some(())
}

/// An op of one operand and a result of the same type.
pub(super) fn unary(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let elem = x.ty.elem;
    let ops: &[&str] = match elem {
        Elem::Bool => &["not"],
        Elem::Int(_) => &["negate", "abs", "sign", "not", "popcnt", "count_leading_zeros"],
        Elem::Uint(_) => &["not", "popcnt", "count_leading_zeros", "negate"],
        _ if elem.is_complex() => &["negate"],
        _ if g.arithmetic == Arithmetic::Field => &[
            "negate",
            "negate",
            "exponential",
            "log",
            "sqrt",
            "rsqrt",
            "tanh",
            "logistic",
            "sine",
            "floor",
            "sign",
        ],
        _ if x.exact => &["negate", "abs", "tanh", "logistic", "cosine", "floor", "ceil", "sign"],
        _ => &["negate", "abs", "tanh", "logistic", "sine", "cosine"],
    };
    let op = *g.rng.pick(ops);
    let rounds = !matches!(op, "negate" | "abs" | "floor" | "ceil" | "sign");
    g.emit(&format!("stablehlo.{op}"), std::slice::from_ref(&x), "", x.ty.clone(), rounds);
    Some(())
}

/// A value on which a comparison is the same on one device and on many.
fn comparable(g: &mut Generator) -> Option<Value> {
    g.any(|v| v.exact && !v.ty.elem.is_complex())
}

pub(super) fn compare(g: &mut Generator) -> Option<()> {
    let x = comparable(g)?;
    let y = g.exact_of_type(&x.ty);
    g.emit_compare(&x, &y);
    Some(())
}

impl Generator {
    /// A comparison in a random direction.
    pub(super) fn emit_compare(&mut self, x: &Value, y: &Value) -> Value {
        let direction = *self.rng.pick(&["LT", "LE", "GT", "GE", "EQ", "NE"]);
        let attributes = format!("comparison_direction = #stablehlo<comparison_direction {direction}>");
        let ty = x.ty.with_elem(Elem::Bool);
        self.emit("stablehlo.compare", &[x.clone(), y.clone()], &attributes, ty, false)
    }
}

pub(super) fn select(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let y = g.of_type(&x.ty);
    let scalar = g.rng.chance(15);
    let shape = if scalar { Vec::new() } else { x.ty.shape.to_vec() };
    let predicate = TensorType::new(Elem::Bool, shape);
    let predicate = match g.recent(|v| v.ty == predicate) {
        Some(value) => value,
        None => {
            let compared = TensorType { elem: Elem::Int(32), ..predicate };
            let (a, b) = (g.exact_of_type(&compared), g.exact_of_type(&compared));
            g.emit_compare(&a, &b)
        }
    };
    let ty = x.ty.clone();
    g.emit("stablehlo.select", &[predicate, x, y], "", ty, false);
    Some(())
}

pub(super) fn clamp(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| !v.ty.elem.is_complex() && v.ty.elem != Elem::Bool)?;
    let ty = if g.rng.chance(50) { TensorType::scalar(x.ty.elem) } else { x.ty.clone() };
    let (low, high) = (g.of_type(&ty), g.of_type(&ty));
    let result = x.ty.clone();
    g.emit("stablehlo.clamp", &[low, x, high], "", result, false);
    Some(())
}

pub(super) fn convert(g: &mut Generator) -> Option<()> {
    let mut to = *g.rng.pick(&g.elems);
    if g.rng.chance(15) {
        to = *g.rng.pick(&[Elem::Bool, Elem::Int(32), Elem::Int(8)]);
    }
    let to_discrete = !is_rounded(to);
    let x = g.any(|v| v.ty.elem != to && (v.exact || !to_discrete) && !v.ty.elem.is_complex())?;
    // Whole numbers of 64 bits do not all fit into floats, and narrow floats hold less than wide ones.
    let rounds = is_rounded(x.ty.elem) || x.ty.elem.bits() > 8;
    let ty = x.ty.with_elem(to);
    g.emit("stablehlo.convert", &[x], "", ty, rounds);
    Some(())
}

/// Complex numbers from their parts, and back.
pub(super) fn complex(g: &mut Generator) -> Option<()> {
    if g.arithmetic != Arithmetic::Rounded {
        return None;
    }
    if let Some(x) = g.recent(|v| v.ty.elem == Elem::C64)
        && g.rng.chance(60)
    {
        let op = *g.rng.pick(&["real", "imag"]);
        let ty = x.ty.with_elem(Elem::F32);
        g.emit(&format!("stablehlo.{op}"), &[x], "", ty, false);
        return Some(());
    }
    let x = g.recent(|v| v.ty.elem == Elem::F32)?;
    let y = g.of_type(&x.ty);
    let ty = x.ty.with_elem(Elem::C64);
    g.emit("stablehlo.complex", &[x, y], "", ty, false);
    Some(())
}
