//! Ops that move elements about.

use super::{Generator, MAX_COUNT, MAX_RANK, Value, array};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};

impl Generator {
    pub(super) fn emit_broadcast(&mut self, x: &Value, dims: &[usize], ty: &TensorType) -> Value {
        let attributes = format!("broadcast_dimensions = {}", array(dims));
        if ty.rank() > 0 && self.rng.chance(4) {
            let shape = self.numbers(&ty.shape);
            let operands = [x.clone(), shape];
            return self.emit(
                "stablehlo.dynamic_broadcast_in_dim",
                &operands,
                &attributes,
                ty.clone(),
                false,
            );
        }
        self.emit("stablehlo.broadcast_in_dim", std::slice::from_ref(x), &attributes, ty.clone(), false)
    }

    pub(super) fn emit_iota(&mut self, ty: &TensorType) -> Value {
        let dim = self.rng.below(ty.rank());
        self.emit("stablehlo.iota", &[], &format!("iota_dimension = {dim} : i64"), ty.clone(), false)
    }

    /// Numbers to index with: tensors without dimensions.
    fn starts(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.exact_of_type(&TensorType::scalar(Elem::Int(32)))).collect()
    }
}

pub(super) fn broadcast(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() < MAX_RANK)?;
    let rank = x.ty.rank() + g.rng.below(MAX_RANK - x.ty.rank() + 1);
    let mut dims = g.rng.sample(rank, x.ty.rank());
    if g.rng.chance(75) {
        dims.sort_unstable();
    }
    let mut shape = g.random_shape(rank);
    for (&dim, &size) in dims.iter().zip(&x.ty.shape) {
        if size != 1 || g.rng.chance(40) {
            shape[dim] = size;
        }
    }
    let ty = TensorType::new(x.ty.elem, shape);
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    g.emit_broadcast(&x, &dims, &ty);
    Some(())
}

pub(super) fn transpose(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 1)?;
    let order = g.rng.permutation(x.ty.rank());
    let ty = TensorType::new(x.ty.elem, order.iter().map(|&d| x.ty.shape[d]));
    g.emit("stablehlo.transpose", &[x], &format!("permutation = {}", array(&order)), ty, false);
    Some(())
}

pub(super) fn reshape(g: &mut Generator) -> Option<()> {
    let x = g.any(|_| true)?;
    let mut shape = x.ty.shape.to_vec();
    for _ in 0..1 + g.rng.below(3) {
        reshape_step(g, &mut shape);
    }
    let ty = TensorType::new(x.ty.elem, shape);
    if ty.rank() > MAX_RANK || ty == x.ty {
        return None;
    }
    g.emit("stablehlo.reshape", &[x], "", ty, false);
    Some(())
}

/// Splits, merges, adds or removes a dimension, or mixes two neighbours.
fn reshape_step(g: &mut Generator, shape: &mut Vec<i64>) {
    let merge = |shape: &mut Vec<i64>, at: usize| {
        let size = shape.remove(at);
        shape[at] *= size;
    };
    match g.rng.below(8) {
        0 => shape.insert(g.rng.below(shape.len() + 1), 1),
        1 => {
            if let Some(at) = shape.iter().position(|&size| size == 1) {
                shape.remove(at);
            }
        }
        2 | 3 if shape.len() > 1 => merge(shape, g.rng.below(shape.len() - 1)),
        // The product of two neighbours, split where neither was.
        4 if shape.len() > 1 => {
            let at = g.rng.below(shape.len() - 1);
            merge(shape, at);
            split(g, shape, at);
        }
        _ if !shape.is_empty() => {
            let at = g.rng.below(shape.len());
            split(g, shape, at);
        }
        _ => {}
    }
}

fn split(g: &mut Generator, shape: &mut Vec<i64>, at: usize) {
    let size = shape[at];
    let divisors: Vec<i64> = (2..size).filter(|d| size % d == 0).collect();
    if !divisors.is_empty() {
        let outer = *g.rng.pick(&divisors);
        shape[at] = size / outer;
        shape.insert(at, outer);
    }
}

pub(super) fn iota(g: &mut Generator) -> Option<()> {
    let ty = g.random_type();
    if ty.rank() == 0 || !counts(ty.elem) {
        return None;
    }
    g.emit_iota(&ty);
    Some(())
}

/// Whether a type holds the numbers of any dimension here.
pub(super) fn counts(elem: Elem) -> bool {
    elem != Elem::Bool && elem.bits() >= 8
}

pub(super) fn reverse(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let count = 1 + g.rng.below(x.ty.rank());
    let dims = g.rng.sample(x.ty.rank(), count);
    let ty = x.ty.clone();
    g.emit("stablehlo.reverse", &[x], &format!("dimensions = {}", array(&dims)), ty, false);
    Some(())
}

pub(super) fn slice(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let (mut starts, mut limits, mut strides, mut shape) = (vec![], vec![], vec![], vec![]);
    for &size in &x.ty.shape {
        let whole = g.rng.chance(40);
        let start = if whole { 0 } else { g.rng.between(0, size - 1) };
        let limit = if whole { size } else { g.rng.between(start + 1, size) };
        let stride = if g.rng.chance(70) { 1 } else { g.rng.between(1, 4) };
        starts.push(start);
        limits.push(limit);
        strides.push(stride);
        shape.push((limit - start + stride - 1) / stride);
    }
    let ty = TensorType::new(x.ty.elem, shape);
    if g.rng.chance(6) {
        let operands = [x, g.numbers(&starts), g.numbers(&limits), g.numbers(&strides)];
        if operands[1].ty == operands[2].ty && operands[2].ty == operands[3].ty {
            g.emit("stablehlo.real_dynamic_slice", &operands, "", ty, false);
        }
        return Some(());
    }
    let attributes = format!(
        "start_indices = {}, limit_indices = {}, strides = {}",
        array(&starts),
        array(&limits),
        array(&strides)
    );
    g.emit("stablehlo.slice", &[x], &attributes, ty, false);
    Some(())
}

pub(super) fn pad(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let (mut low, mut high, mut interior, mut shape) = (vec![], vec![], vec![], vec![]);
    for &size in &x.ty.shape {
        let some = g.rng.chance(60);
        let mut between = |low, high| if some { g.rng.between(low, high) } else { 0 };
        let inner = between(-2, 2).max(0);
        let (before, behind) = (between(-2, 3), between(-2, 3));
        let dilated = size + (size - 1) * inner;
        let fits = dilated + before + behind > 0;
        let (before, behind) = if fits { (before, behind) } else { (0, 0) };
        low.push(before);
        high.push(behind);
        interior.push(inner);
        shape.push(dilated + before + behind);
    }
    let ty = TensorType::new(x.ty.elem, shape);
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    let value = g.of_type(&TensorType::scalar(x.ty.elem));
    if g.rng.chance(6) {
        let operands = [x, value, g.numbers(&low), g.numbers(&high), g.numbers(&interior)];
        if operands[2].ty == operands[3].ty && operands[3].ty == operands[4].ty {
            g.emit("stablehlo.dynamic_pad", &operands, "", ty, false);
        }
        return Some(());
    }
    let attributes = format!(
        "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
        array(&low),
        array(&high),
        array(&interior)
    );
    g.emit("stablehlo.pad", &[x, value], &attributes, ty, false);
    Some(())
}

pub(super) fn concatenate(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let dim = g.rng.below(x.ty.rank());
    let mut operands = vec![x.clone()];
    for _ in 0..1 + g.rng.below(3) {
        let mut ty = x.ty.clone();
        if g.rng.chance(50) {
            ty.shape[dim] = *g.rng.pick(&g.sizes);
        }
        operands.push(g.of_type(&ty));
    }
    let first = g.rng.below(operands.len());
    operands.rotate_left(first);
    let mut ty = x.ty;
    ty.shape[dim] = operands.iter().map(|v| v.ty.shape[dim]).sum();
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    g.emit("stablehlo.concatenate", &operands, &format!("dimension = {dim} : i64"), ty, false);
    Some(())
}

/// A shape that fits into another.
fn window(g: &mut Generator, shape: &[i64]) -> Vec<i64> {
    shape.iter().map(|&size| if g.rng.chance(40) { size } else { g.rng.between(1, size) }).collect()
}

pub(super) fn dynamic_slice(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let sizes = window(g, &x.ty.shape);
    let mut operands = vec![x.clone()];
    operands.extend(g.starts(x.ty.rank()));
    let ty = TensorType::new(x.ty.elem, sizes.iter().copied());
    g.emit("stablehlo.dynamic_slice", &operands, &format!("slice_sizes = {}", array(&sizes)), ty, false);
    Some(())
}

pub(super) fn dynamic_update_slice(g: &mut Generator) -> Option<()> {
    let x = g.any(|v| v.ty.rank() > 0)?;
    let sizes = window(g, &x.ty.shape);
    let update = g.of_type(&TensorType::new(x.ty.elem, sizes));
    let mut operands = vec![x.clone(), update];
    operands.extend(g.starts(x.ty.rank()));
    g.emit("stablehlo.dynamic_update_slice", &operands, "", x.ty, false);
    Some(())
}

/// The bits as another type: of the same width, or of another with a dimension more or less.
pub(super) fn bitcast(g: &mut Generator) -> Option<()> {
    if g.arithmetic == Arithmetic::Field {
        return None;
    }
    let x =
        g.any(|v| v.exact && v.ty.elem != Elem::Bool && !v.ty.elem.is_complex() && v.ty.rank() < MAX_RANK)?;
    let bits = x.ty.elem.bits();
    let mut to = *g.rng.pick(&[Elem::Uint(8), Elem::Int(16), Elem::Int(32), Elem::Uint(32), Elem::Int(64)]);
    // Any bits are a number where it is an integer; as floats only those that are floats already are good to compute with.
    if g.arithmetic == Arithmetic::Rounded && x.ty.elem == Elem::Uint(32) && g.rng.chance(50) {
        to = Elem::F32;
    }
    let mut shape = x.ty.shape.to_vec();
    if to.bits() < bits {
        shape.push(i64::from(bits / to.bits()));
    } else if to.bits() > bits && shape.pop() != Some(i64::from(to.bits() / bits)) {
        return None;
    }
    let ty = TensorType::new(to, shape);
    if ty.count() as i64 > MAX_COUNT {
        return None;
    }
    g.emit("stablehlo.bitcast_convert", &[x], "", ty, false);
    Some(())
}
