//! Elementwise ops that are more than functions of elements of one type.

use super::{Generator, Value, is_rounded};
use partita::ir::{Elem, TensorType};

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
        let (op, dialect) = if self.rng.chance(5) {
            ("chlo.broadcast_compare", "chlo")
        } else {
            ("stablehlo.compare", "stablehlo")
        };
        let attributes = format!("comparison_direction = #{dialect}<comparison_direction {direction}>");
        let ty = x.ty.with_elem(Elem::Bool);
        self.emit(op, &[x.clone(), y.clone()], &attributes, ty, false)
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
    let op = if g.rng.chance(5) { "chlo.broadcast_select" } else { "stablehlo.select" };
    g.emit(op, &[predicate, x, y], "", ty, false);
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
    let to = *g.rng.pick(&g.elems);
    let x = g.any(|v| v.ty.elem != to && (v.exact || is_rounded(to)) && !v.ty.elem.is_complex())?;
    let ty = x.ty.with_elem(to);
    g.emit("stablehlo.convert", &[x], "", ty, false);
    Some(())
}
