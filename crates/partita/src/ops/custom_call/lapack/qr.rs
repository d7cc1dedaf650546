//! Orthogonal factors.

use super::householder::{apply_left, column, norm, reflector, set_column};
use crate::ops::linalg::matrix::{Matrix, Number};

/// Replaces a matrix by `R`, with the Householder vectors below its diagonal. Gives their factors.
pub(crate) fn factor<T: Number>(a: &mut Matrix<T>) -> Vec<T> {
    (0..a.rows().min(a.cols())).map(|k| step(a, k)).collect()
}

/// Brings zeros below the diagonal of one column.
fn step<T: Number>(a: &mut Matrix<T>, k: usize) -> T {
    let (rows, cols) = (a.rows(), a.cols());
    let mut v = column(a, k, k..rows);
    let tau = reflector(&mut v);
    set_column(a, k, k, &v);
    v[0] = T::ONE;
    apply_left(a, &v, tau.conj(), k, k + 1..cols);
    tau
}

/// As [`factor`], with the largest of the columns that are left brought to the front first; columns that are
/// fixed come before the others. Gives the original place of each column, counted from one, and the factors.
pub(super) fn factor_with_pivots<T: Number>(a: &mut Matrix<T>, fixed: &[bool]) -> (Vec<usize>, Vec<T>) {
    let (rows, cols) = (a.rows(), a.cols());
    let mut places: Vec<usize> = (1..=cols).collect();
    let mut front = 0;
    for j in 0..cols {
        if fixed.get(j) == Some(&true) {
            a.swap_cols(front, j);
            places.swap(front, j);
            front += 1;
        }
    }
    let mut factors = Vec::new();
    for k in 0..rows.min(cols) {
        if k >= front {
            let sizes: Vec<f64> = (k..cols).map(|j| norm(&column(a, j, k..rows))).collect();
            let best = (0..sizes.len()).fold(0, |best, j| if sizes[j] > sizes[best] { j } else { best });
            a.swap_cols(k, k + best);
            places.swap(k, k + best);
        }
        factors.push(step(a, k));
    }
    (places, factors)
}

/// The columns of the orthogonal factor, as many as the matrix of the vectors has.
pub(crate) fn form_q<T: Number>(vectors: &Matrix<T>, factors: &[T]) -> Matrix<T> {
    let (rows, cols) = (vectors.rows(), vectors.cols());
    let mut q = Matrix::identity(rows, cols);
    for (k, &tau) in factors.iter().enumerate().take(rows.min(cols)).rev() {
        let mut v = column(vectors, k, k..rows);
        v[0] = T::ONE;
        apply_left(&mut q, &v, tau, k, k..cols);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn upper<T: Number>(a: &Matrix<T>) -> Matrix<T> {
        Matrix::from_fn(a.cols(), a.cols(), |i, j| if i <= j { a[(i, j)] } else { T::ZERO })
    }

    fn example() -> Matrix<Complex64> {
        Matrix::from_fn(5, 3, |i, j| Complex64::new((i * 3 + j * j) as f64 - 4.0, (i * j) as f64 - 1.5))
    }

    fn close(a: &Matrix<Complex64>, b: &Matrix<Complex64>) {
        for i in 0..a.rows() {
            for j in 0..a.cols() {
                assert!((a[(i, j)] - b[(i, j)]).norm() < 1e-12, "{} and {}", a[(i, j)], b[(i, j)]);
            }
        }
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        let mut a = example();
        let factors = factor(&mut a);
        let q = form_q(&a, &factors);
        close(&q.times(&upper(&a)), &example());
        close(&q.adjoint().times(&q), &Matrix::identity(3, 3));
    }

    #[test]
    fn pivoted_factors_multiply_to_the_permuted_matrix() {
        let mut a = example();
        let (places, factors) = factor_with_pivots(&mut a, &[false; 3]);
        let product = form_q(&a, &factors).times(&upper(&a));
        close(&product, &Matrix::from_fn(5, 3, |i, j| example()[(i, places[j] - 1)]));
        assert!(a[(0, 0)].norm() >= a[(1, 1)].norm() && a[(1, 1)].norm() >= a[(2, 2)].norm());
    }
}
