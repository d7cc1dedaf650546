//! Ops that only real numbers have, and random bits.

use super::{Generator, Value, array};
use crate::arithmetic::Arithmetic;
use partita::ir::{Elem, TensorType};
use std::fmt::Write;

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

/// The complex type whose parts are of a type.
fn complex(elem: Elem) -> Elem {
    if elem == Elem::F64 { Elem::C128 } else { Elem::C64 }
}

pub(super) fn fourier(g: &mut Generator) -> Option<()> {
    let x = real(g, 1)?;
    let rank = x.ty.rank();
    let dims = 1 + g.rng.below(rank.min(2));
    let lengths = x.ty.shape[rank - dims..].to_vec();
    if g.rng.chance(40) {
        let mut ty = x.ty.with_elem(complex(x.ty.elem));
        ty.shape[rank - 1] = ty.shape[rank - 1] / 2 + 1;
        let attributes = format!("fft_type = #stablehlo<fft_type RFFT>, fft_length = {}", array(&lengths));
        g.emit("stablehlo.fft", &[x], &attributes, ty, true);
    } else {
        let other = g.of_type(&x.ty.clone());
        let ty = x.ty.with_elem(complex(x.ty.elem));
        let both = g.emit("stablehlo.complex", &[x.clone(), other], "", ty.clone(), false);
        let kind = *g.rng.pick(&["FFT", "IFFT", "IRFFT"]);
        let (mut ty, mut lengths) = (ty, lengths);
        if kind == "IRFFT" {
            // Half of the numbers stand for all of them.
            let length = 2 * lengths[dims - 1] - 1 - i64::from(lengths[dims - 1] > 1 && g.rng.chance(50));
            lengths[dims - 1] = length;
            ty = x.ty.clone();
            ty.shape[rank - 1] = length;
        }
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
    let transpose = *g.rng.pick(&["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]);
    let attributes = format!(
        "left_side = {left}, lower = {}, unit_diagonal = {}, transpose_a = #stablehlo<transpose {transpose}>",
        g.rng.chance(50),
        g.rng.chance(20),
    );
    let ty = right.ty.clone();
    g.emit("stablehlo.triangular_solve", &[matrix, right], &attributes, ty, true);
    Some(())
}

/// A tensor brought to mean and scale per feature: at inference, in training, or its gradient.
pub(super) fn batch_norm(g: &mut Generator) -> Option<()> {
    let x = real(g, 1)?;
    let feature = g.rng.below(x.ty.rank());
    let per_feature = TensorType::new(x.ty.elem, [x.ty.shape[feature]]);
    let attributes = format!("epsilon = 1.0 : f32, feature_index = {feature} : i64");
    let (a, b, mean) = (g.of_type(&per_feature), g.of_type(&per_feature), g.of_type(&per_feature));
    let square = g.emit("stablehlo.multiply", &[b.clone(), b.clone()], "", per_feature.clone(), false);
    let ty = x.ty.clone();
    let triple = [ty.clone(), per_feature.clone(), per_feature];
    match g.rng.below(3) {
        0 => {
            g.emit("stablehlo.batch_norm_inference", &[x, a, b, mean, square], &attributes, ty, true);
        }
        1 => {
            g.emit_all("stablehlo.batch_norm_training", &[x, a, b], &attributes, "", &triple, false);
        }
        _ => {
            let gradient = g.of_type(&ty);
            let operands = [x, a, mean, square, gradient];
            g.emit_all("stablehlo.batch_norm_grad", &operands, &attributes, "", &triple, false);
        }
    }
    Some(())
}

/// Numbers drawn in order.
pub(super) fn random_numbers(g: &mut Generator) -> Option<()> {
    let elem = *g.rng.pick(&g.elems);
    let fits = matches!(elem, Elem::Int(8..) | Elem::F32 | Elem::F64) && g.arithmetic != Arithmetic::Field;
    // A function that is called twice draws the same numbers twice, unless it was inlined.
    if !fits || !g.can_take_arguments {
        return None;
    }
    let rank = 1 + g.rng.below(2);
    let shape = g.random_shape(rank);
    let (low, high) = if elem.is_float() { ("0.0", "1.0") } else { ("0", "9") };
    let (low, high) =
        (g.emit_constant(low, TensorType::scalar(elem)), g.emit_constant(high, TensorType::scalar(elem)));
    let sizes = TensorType::new(Elem::Int(64), [rank as i64]);
    let sizes = g.emit_constant(&format!("{shape:?}"), sizes);
    let attributes = "rng_distribution = #stablehlo<rng_distribution UNIFORM>";
    g.emit("stablehlo.rng", &[low, high, sizes], attributes, TensorType::new(elem, shape), false);
    Some(())
}

/// A factorisation of a library, of each matrix of a batch.
pub(super) fn library(g: &mut Generator) -> Option<()> {
    let x = real(g, 0)?;
    let rank = g.rng.below(2);
    let batch = g.random_shape(rank);
    let size = g.rng.between(1, 4);
    let matrix = strong(g, &batch, size, x.ty.elem);
    let letter = if x.ty.elem == Elem::F64 { "d" } else { "s" };
    let info = TensorType::new(Elem::Int(32), batch.iter().copied());
    let pivots = TensorType::new(Elem::Int(32), batch.iter().copied().chain([size]));
    let factors = TensorType::new(x.ty.elem, batch.iter().copied().chain([size]));
    let (target, config, others) = match g.rng.below(3) {
        0 => (format!("lapack_{letter}getrf_ffi"), "", vec![pivots, info]),
        1 => (format!("lapack_{letter}potrf_ffi"), "uplo = 76 : ui8", vec![info]),
        _ => (format!("lapack_{letter}geqrf_ffi"), "", vec![factors]),
    };
    let results: Vec<TensorType> = std::iter::once(matrix.ty.clone()).chain(others).collect();
    let name = g.name();
    let types: Vec<String> = results.iter().map(TensorType::to_string).collect();
    let _ = writeln!(
        g.body,
        "  {name}:{} = stablehlo.custom_call @{target}({}) {{mhlo.backend_config = {{{config}}}}} : ({}) -> ({})",
        results.len(),
        matrix.name,
        matrix.ty,
        types.join(", ")
    );
    g.ops += 1;
    g.used.insert(matrix.name);
    for (n, ty) in results.into_iter().enumerate() {
        g.scope.push(Value { name: format!("{name}#{n}"), ty, exact: false });
    }
    Some(())
}
