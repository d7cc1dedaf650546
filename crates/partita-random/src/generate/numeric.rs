//! Ops that only real numbers have, and random bits.

use super::{Generator, Value, array};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};

/// Bits of a state that comes with the program.
pub(super) fn random_bits(g: &mut Generator) -> Option<()> {
    let state = TensorType::new(Elem::Uint(64), [2]);
    let state = match g.recent(|v| v.ty == state) {
        Some(value) => value,
        None => g.argument(state),
    };
    let rank = g.rng.below(3);
    let shape = g.random_shape(rank);
    let bits = TensorType::new(*g.rng.pick(&[Elem::Uint(32), Elem::Uint(64), Elem::Uint(8)]), shape);
    let algorithm = *g.rng.pick(&["DEFAULT", "THREE_FRY", "PHILOX"]);
    let results = [state.ty.clone(), bits];
    let attributes = format!("rng_algorithm = #stablehlo<rng_algorithm {algorithm}>");
    let exact = state.exact;
    let values = g.emit_all("stablehlo.rng_bit_generator", &[state], &attributes, "", &results, exact);
    // As numbers that the rest of the program can use.
    let to = g.elems[0];
    if to == Elem::Bool || to.is_complex() || g.arithmetic == Arithmetic::Rounded {
        return Some(());
    }
    let ty = values[1].ty.with_elem(to);
    g.emit("stablehlo.convert", &values[1..], "", ty, false);
    Some(())
}

/// A value of a kind of float that rounding is measured on.
fn real(g: &mut Generator, rank: usize) -> Option<Value> {
    if g.arithmetic != Arithmetic::Rounded {
        return None;
    }
    g.any(|v| matches!(v.ty.elem, Elem::F32 | Elem::F64) && v.ty.rank() >= rank)
}

pub(super) fn fourier(g: &mut Generator) -> Option<()> {
    let x = real(g, 1)?;
    let rank = x.ty.rank();
    let dims = 1 + g.rng.below(rank.min(2));
    let lengths = x.ty.shape[rank - dims..].to_vec();
    let complex = if x.ty.elem == Elem::F64 { Elem::C128 } else { Elem::C64 };
    if g.rng.chance(50) {
        let mut ty = x.ty.with_elem(complex);
        ty.shape[rank - 1] = ty.shape[rank - 1] / 2 + 1;
        let attributes = format!("fft_type = #stablehlo<fft_type RFFT>, fft_length = {}", array(&lengths));
        g.emit("stablehlo.fft", &[x], &attributes, ty, true);
    } else {
        let other = g.of_type(&x.ty.clone());
        let ty = x.ty.with_elem(complex);
        let both = g.emit("stablehlo.complex", &[x, other], "", ty.clone(), false);
        let kind = *g.rng.pick(&["FFT", "IFFT"]);
        let attributes = format!("fft_type = #stablehlo<fft_type {kind}>, fft_length = {}", array(&lengths));
        g.emit("stablehlo.fft", &[both], &attributes, ty, true);
    }
    Some(())
}

/// A matrix for each position of the batch that is far from singular: its rows times themselves, with a strong diagonal.
fn strong(g: &mut Generator, batch: &[i64], size: i64, elem: Elem) -> Value {
    let shape: Vec<i64> = batch.iter().copied().chain([size, size]).collect();
    let ty = TensorType::new(elem, shape);
    // Near the identity whatever the seed of the inputs: an eighth of values from -1 to 1, and the size on the diagonal.
    let raw = g.argument(ty.clone());
    let eighth = g.emit_constant("0.125", ty.clone());
    let small = g.emit("stablehlo.multiply", &[raw, eighth], "", ty.clone(), true);
    let index = ty.with_elem(Elem::Int(32));
    let rank = ty.rank();
    let rows =
        g.emit("stablehlo.iota", &[], &format!("iota_dimension = {} : i64", rank - 2), index.clone(), false);
    let columns =
        g.emit("stablehlo.iota", &[], &format!("iota_dimension = {} : i64", rank - 1), index.clone(), false);
    let direction = "comparison_direction = #stablehlo<comparison_direction EQ>";
    let on_diagonal =
        g.emit("stablehlo.compare", &[rows, columns], direction, index.with_elem(Elem::Bool), false);
    let large = g.emit_constant(&format!("{size}.0"), ty.clone());
    g.emit("stablehlo.select", &[on_diagonal, large, small], "", ty, false)
}

pub(super) fn cholesky(g: &mut Generator) -> Option<()> {
    let x = real(g, 0)?;
    let rank = g.rng.below(2);
    let batch = g.random_shape(rank);
    let size = g.rng.between(1, 4);
    let matrix = strong(g, &batch, size, x.ty.elem);
    let lower = g.rng.chance(50);
    let ty = matrix.ty.clone();
    g.emit("stablehlo.cholesky", &[matrix], &format!("lower = {lower}"), ty, true);
    Some(())
}

pub(super) fn triangular_solve(g: &mut Generator) -> Option<()> {
    let x = real(g, 0)?;
    let rank = g.rng.below(2);
    let batch = g.random_shape(rank);
    let (size, columns) = (g.rng.between(1, 4), g.rng.between(1, 5));
    let matrix = strong(g, &batch, size, x.ty.elem);
    let left = g.rng.chance(50);
    let sides = if left { [size, columns] } else { [columns, size] };
    let right = g.of_type(&TensorType::new(x.ty.elem, batch.iter().copied().chain(sides)));
    let transpose = *g.rng.pick(&["NO_TRANSPOSE", "TRANSPOSE"]);
    let attributes = format!(
        "left_side = {left}, lower = {}, unit_diagonal = {}, transpose_a = #stablehlo<transpose {transpose}>",
        g.rng.chance(50),
        g.rng.chance(20),
    );
    let ty = right.ty.clone();
    g.emit("stablehlo.triangular_solve", &[matrix, right], &attributes, ty, true);
    Some(())
}
