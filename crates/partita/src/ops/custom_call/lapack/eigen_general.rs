//! Eigenvalues and eigenvectors of general matrices.

use super::Batch;
use super::householder::norm;
use super::schur::{Schur, complex_schur, eigenvalues, real_schur, to_complex};
use crate::interpret::EvalError;
use crate::ops::linalg::matrix::Matrix;
use num_complex::Complex64;

/// How an eigenvector of a triangular matrix is found: which matrix, which vector, and the number that stands in
/// for a difference of eigenvalues that are equal.
type Side = fn(&Matrix<Complex64>, usize, f64) -> Vec<Complex64>;

pub(super) fn geev_real(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let schur = real_schur(&b.matrix(0));
    let values = eigenvalues(&schur.t);
    b.put_list(0, &values.iter().map(|v| v.re).collect::<Vec<_>>());
    b.put_list(1, &values.iter().map(|v| v.im).collect::<Vec<_>>());
    let complex = to_complex(&schur, &values);
    put_vectors(b, 2, &complex, |vectors| real_where_possible(vectors, &values));
    b.put_integers(4, &[schur.info]);
    Ok(())
}

pub(super) fn geev_complex(b: &mut Batch<'_>) -> Result<(), EvalError> {
    let schur = complex_schur(&b.matrix(0));
    let values: Vec<Complex64> = (0..schur.t.rows()).map(|i| schur.t[(i, i)]).collect();
    b.put_list(0, &values);
    put_vectors(b, 1, &schur, |_| {});
    b.put_integers(3, &[schur.info]);
    Ok(())
}

/// Writes the left and right eigenvectors that are asked for; the others stay zero.
fn put_vectors(
    b: &mut Batch<'_>,
    first_result: usize,
    schur: &Schur<Complex64>,
    finish: impl Fn(&mut Matrix<Complex64>),
) {
    for (n, (option, side)) in
        [("compute_left", left as Side), ("compute_right", right)].into_iter().enumerate()
    {
        if b.character(option) == Some('V') {
            let mut vectors = eigenvectors(schur, side);
            finish(&mut vectors);
            b.put_matrix(first_result + n, &vectors);
        }
    }
}

/// All eigenvectors as columns of length one, each with a real largest element.
fn eigenvectors(schur: &Schur<Complex64>, of_triangle: Side) -> Matrix<Complex64> {
    let n = schur.t.rows();
    let smallest = smallest_difference(&schur.t);
    let mut vectors = Matrix::zeros(n, n);
    for k in 0..n {
        let x = of_triangle(&schur.t, k, smallest);
        let column: Vec<Complex64> = (0..n).map(|i| (0..n).map(|j| schur.z[(i, j)] * x[j]).sum()).collect();
        let length = norm(&column);
        let largest = column
            .iter()
            .fold(Complex64::ONE * 0.0, |best, v| if v.norm() > best.norm() { *v } else { best });
        let phase = if largest.norm() > 0.0 { largest.conj() / largest.norm() } else { Complex64::ONE };
        for (i, value) in column.iter().enumerate() {
            let turned = value * phase / length;
            vectors[(i, k)] = if *value == largest { Complex64::new(turned.re, 0.0) } else { turned };
        }
    }
    vectors
}

/// A number that stands in for a difference of eigenvalues that are equal.
fn smallest_difference(t: &Matrix<Complex64>) -> f64 {
    let largest =
        (0..t.rows()).flat_map(|i| (i..t.rows()).map(move |j| t[(i, j)].norm())).fold(0.0, f64::max);
    (f64::EPSILON * largest).max(f64::MIN_POSITIVE / f64::EPSILON)
}

fn difference(t: &Matrix<Complex64>, i: usize, k: usize, smallest: f64) -> Complex64 {
    let difference = t[(i, i)] - t[(k, k)];
    if difference.norm() < smallest { Complex64::new(smallest, 0.0) } else { difference }
}

/// The k-th right eigenvector of a triangular matrix.
fn right(t: &Matrix<Complex64>, k: usize, smallest: f64) -> Vec<Complex64> {
    let mut x = vec![Complex64::ZERO; t.rows()];
    x[k] = Complex64::ONE;
    for i in (0..k).rev() {
        let sum: Complex64 = (i + 1..=k).map(|j| t[(i, j)] * x[j]).sum();
        x[i] = -sum / difference(t, i, k, smallest);
    }
    x
}

/// The k-th left eigenvector of a triangular matrix: `xᴴ T = λ xᴴ`.
fn left(t: &Matrix<Complex64>, k: usize, smallest: f64) -> Vec<Complex64> {
    let n = t.rows();
    let mut x = vec![Complex64::ZERO; n];
    x[k] = Complex64::ONE;
    for i in k + 1..n {
        let sum: Complex64 = (k..i).map(|j| t[(j, i)].conj() * x[j]).sum();
        x[i] = -sum / difference(t, i, k, smallest).conj();
    }
    x
}

/// Of a real matrix: vectors of real eigenvalues are real, those of a pair are conjugates.
fn real_where_possible(vectors: &mut Matrix<Complex64>, values: &[Complex64]) {
    for (k, value) in values.iter().enumerate() {
        for i in 0..vectors.rows() {
            if value.im == 0.0 {
                vectors[(i, k)].im = 0.0;
            } else if value.im < 0.0 {
                vectors[(i, k)] = vectors[(i, k - 1)].conj();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_stretched_by_their_values() {
        let a = Matrix::from_fn(7, 7, |i, j| ((i * 37 + j * 101 + i * i * j) % 19) as f64 - 9.0);
        let schur = real_schur(&a);
        let values = eigenvalues(&schur.t);
        let complex = to_complex(&schur, &values);
        let a = Matrix::from_fn(7, 7, |i, j| Complex64::new(a[(i, j)], 0.0));
        for (side, matrix, conjugate) in [(right as Side, a.clone(), false), (left, a.adjoint(), true)] {
            let mut vectors = eigenvectors(&complex, side);
            real_where_possible(&mut vectors, &values);
            let product = matrix.times(&vectors);
            for i in 0..7 {
                for k in 0..7 {
                    let value = if conjugate { values[k].conj() } else { values[k] };
                    assert!((product[(i, k)] - vectors[(i, k)] * value).norm() < 1e-11);
                }
            }
        }
    }
}
