//! Householder reflections `H = I - τ v vᴴ` with `v₀ = 1`.

use crate::ops::linalg::matrix::{Matrix, Number};
use std::ops::Range;

/// The reflection whose adjoint turns a vector into a multiple of the first unit vector. The vector is replaced
/// by `v` with the multiple in place of its one; the result is `τ`. The multiple is real and has the sign
/// opposite to the real part of the first element.
pub(super) fn reflector<T: Number>(x: &mut [T]) -> T {
    let Some((first, rest)) = x.split_first_mut() else { return T::ZERO };
    let tail = norm(rest);
    if tail == 0.0 && first.im() == 0.0 {
        return T::ZERO;
    }
    let beta = -(first.re().hypot(first.im()).hypot(tail)).copysign(first.re());
    let tau = (T::from_re(beta) - *first).over(T::from_re(beta));
    let scale = T::ONE.over(*first - T::from_re(beta));
    rest.iter_mut().for_each(|value| *value = *value * scale);
    *first = T::from_re(beta);
    tau
}

/// The Euclidean length of a vector, without overflow.
pub(super) fn norm<T: Number>(x: &[T]) -> f64 {
    let largest = x.iter().map(|v| v.re().abs().max(v.im().abs())).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return if x.iter().any(|v| v.is_nan()) { f64::NAN } else { largest };
    }
    let sum: f64 = x.iter().map(|v| (v.re() / largest).powi(2) + (v.im() / largest).powi(2)).sum();
    largest * sum.sqrt()
}

/// `H A` in some rows and columns; there are as many rows as `v` has elements.
pub(super) fn apply_left<T: Number>(
    a: &mut Matrix<T>,
    v: &[T],
    tau: T,
    first_row: usize,
    cols: Range<usize>,
) {
    for j in cols {
        let dot = v.iter().enumerate().fold(T::ZERO, |sum, (i, v)| sum + v.conj() * a[(first_row + i, j)]);
        let factor = tau * dot;
        for (i, v) in v.iter().enumerate() {
            a[(first_row + i, j)] = a[(first_row + i, j)] - factor * *v;
        }
    }
}

/// `A H` in some rows and columns; there are as many columns as `v` has elements.
pub(super) fn apply_right<T: Number>(
    a: &mut Matrix<T>,
    v: &[T],
    tau: T,
    first_col: usize,
    rows: Range<usize>,
) {
    for i in rows {
        let dot = v.iter().enumerate().fold(T::ZERO, |sum, (j, v)| sum + a[(i, first_col + j)] * *v);
        let factor = tau * dot;
        for (j, v) in v.iter().enumerate() {
            a[(i, first_col + j)] = a[(i, first_col + j)] - factor * v.conj();
        }
    }
}

/// A part of a column, from a row on.
pub(super) fn column<T: Number>(a: &Matrix<T>, col: usize, rows: Range<usize>) -> Vec<T> {
    rows.map(|i| a[(i, col)]).collect()
}

/// Writes a part of a column.
pub(super) fn set_column<T: Number>(a: &mut Matrix<T>, col: usize, first_row: usize, values: &[T]) {
    values.iter().enumerate().for_each(|(i, v)| a[(first_row + i, col)] = *v);
}
