//! Singular values by rotations of the columns (one-sided Jacobi): slow for large matrices, and exact to the last
//! digits.

use super::householder::norm;
use super::qr;
use crate::ops::linalg::matrix::{Matrix, Number};

/// So often all pairs of columns are looked at.
const MAX_SWEEPS: usize = 60;

/// The singular values in falling order, the left and the right vectors as columns. Where `full` is set the
/// vectors make square matrices.
pub(super) fn decompose<T: Number>(a: &Matrix<T>, full: bool) -> (Vec<f64>, Matrix<T>, Matrix<T>) {
    if a.rows() < a.cols() {
        let (values, left, right) = decompose(&a.adjoint(), full);
        return (values, right, left);
    }
    let (rows, cols) = (a.rows(), a.cols());
    let mut columns: Vec<Vec<T>> = (0..cols).map(|j| (0..rows).map(|i| a[(i, j)]).collect()).collect();
    let unit = |j: usize| (0..cols).map(|i| if i == j { T::ONE } else { T::ZERO }).collect();
    let mut right: Vec<Vec<T>> = (0..cols).map(unit).collect();
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for p in 0..cols {
            for q in p + 1..cols {
                turned |= make_orthogonal(&mut columns, &mut right, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let lengths: Vec<f64> = columns.iter().map(|c| norm(c)).collect();
    let mut order: Vec<usize> = (0..cols).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let values: Vec<f64> = order.iter().map(|&j| lengths[j]).collect();
    let right = Matrix::from_fn(cols, cols, |i, j| right[order[j]][i]);
    // Columns that have vanished have no direction: any that is orthogonal to the others will do.
    let limit = values.first().map_or(0.0, |largest| largest * f64::EPSILON * rows as f64);
    let directed = values.iter().take_while(|v| **v > limit || v.is_nan()).count();
    let known = Matrix::from_fn(rows, directed, |i, j| columns[order[j]][i].scale(1.0 / values[j]));
    let width = if full { rows } else { cols };
    (values, completed(known, width), right)
}

/// Turns two columns, and those of another matrix along, so that they are orthogonal. Says whether they were not.
fn make_orthogonal<T: Number>(columns: &mut [Vec<T>], others: &mut [Vec<T>], p: usize, q: usize) -> bool {
    let square = |x: &[T]| x.iter().map(|v| v.re() * v.re() + v.im() * v.im()).sum::<f64>();
    let (alpha, beta) = (square(&columns[p]), square(&columns[q]));
    let gamma = columns[p].iter().zip(&columns[q]).fold(T::ZERO, |sum, (x, y)| sum + x.conj() * *y);
    let size = gamma.abs();
    let orthogonal = size <= f64::EPSILON * (alpha.sqrt() * beta.sqrt()) || size < f64::MIN_POSITIVE;
    if orthogonal || size.is_nan() {
        return false;
    }
    let phase = gamma.over(T::from_re(size)).conj();
    let zeta = (beta - alpha) / (2.0 * size);
    let t = 1f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = c * t;
    for matrix in [columns, others] {
        let (head, tail) = matrix.split_at_mut(q);
        for (x, y) in head[p].iter_mut().zip(tail[0].iter_mut()) {
            let (a, b) = (*x, *y * phase);
            *x = a.scale(c) - b.scale(s);
            *y = a.scale(s) + b.scale(c);
        }
    }
    true
}

/// Orthonormal columns with more of them behind.
fn completed<T: Number>(known: Matrix<T>, width: usize) -> Matrix<T> {
    let (rows, count) = (known.rows(), known.cols());
    if count == width {
        return known;
    }
    let mut packed = known.clone();
    let factors = qr::factor(&mut packed);
    let vectors = Matrix::from_fn(rows, rows, |i, j| if j < count { packed[(i, j)] } else { T::ZERO });
    let q = qr::form_q(&vectors, &factors);
    Matrix::from_fn(rows, width, |i, j| if j < count { known[(i, j)] } else { q[(i, j)] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn check(a: &Matrix<Complex64>) {
        for full in [true, false] {
            let (values, left, right) = decompose(a, full);
            assert!(values.windows(2).all(|w| w[0] >= w[1]));
            let small = values.len();
            let scaled = Matrix::from_fn(left.rows(), small, |i, j| left[(i, j)] * values[j]);
            let thin = Matrix::from_fn(right.rows(), small, |i, j| right[(i, j)]);
            let back = scaled.times(&thin.adjoint());
            for i in 0..a.rows() {
                for j in 0..a.cols() {
                    assert!((back[(i, j)] - a[(i, j)]).norm() < 1e-12);
                }
            }
            for q in [left, right] {
                let unit = q.adjoint().times(&q);
                for i in 0..q.cols() {
                    for j in 0..q.cols() {
                        assert!((unit[(i, j)] - f64::from(i == j)).norm() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn vectors_and_values_make_the_matrix() {
        let element =
            |i: usize, j: usize| Complex64::new((i * 3 + j) as f64 % 5.0 - 2.0, (i * j) as f64 % 3.0);
        check(&Matrix::from_fn(5, 3, element));
        check(&Matrix::from_fn(3, 5, element));
        check(&Matrix::from_fn(4, 4, element));
        // Of rank one, and zero.
        check(&Matrix::from_fn(4, 3, |i, j| Complex64::new(((i + 1) * (j + 1)) as f64, 0.0)));
        check(&Matrix::zeros(3, 2));
    }
}
