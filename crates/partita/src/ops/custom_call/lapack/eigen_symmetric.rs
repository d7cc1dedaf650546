//! Eigenvalues and eigenvectors of Hermitian matrices.

use super::householder::{apply_left, column};
use super::tridiagonal::{Reduced, reduce};
use crate::ops::linalg::matrix::{Matrix, Number};

/// So many steps are allowed for one eigenvalue.
const MAX_STEPS: usize = 60;

/// The eigenvalues in rising order, the eigenvectors as columns, and zero, or how many values did not converge.
/// One triangle of the matrix is read.
pub(super) fn decompose<T: Number>(a: &Matrix<T>, lower: bool) -> (Vec<f64>, Matrix<T>, usize) {
    let Reduced { packed, mut diagonal, mut off_diagonal, factors } =
        if lower { reduce(a, true) } else { reduce(&a.adjoint(), true) };
    let n = diagonal.len();
    let mut vectors = Matrix::identity(n, n);
    for (i, &tau) in factors.iter().enumerate().rev() {
        let mut v = column(&packed, i, i + 1..n);
        v[0] = T::ONE;
        apply_left(&mut vectors, &v, tau, i + 1, i + 1..n);
    }
    off_diagonal.push(0.0);
    let info = diagonalise(&mut diagonal, &mut off_diagonal, &mut vectors);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    let values = order.iter().map(|&i| diagonal[i]).collect();
    let vectors = Matrix::from_fn(n, n, |i, j| vectors[(i, order[j])]);
    (values, vectors, info)
}

/// Brings the numbers beside the diagonal `d` to zero by QL steps with implicit shifts, and turns the vectors
/// along. `e` has one element more than there are numbers.
fn diagonalise<T: Number>(d: &mut [f64], e: &mut [f64], z: &mut Matrix<T>) -> usize {
    let n = d.len();
    for l in 0..n {
        for step in 0.. {
            let small = |m: &usize| {
                let near = d[*m].abs() + d[*m + 1].abs();
                e[*m].abs() <= f64::EPSILON / 2.0 * near
            };
            let m = (l..n - 1).find(small).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if step == MAX_STEPS {
                return n - l;
            }
            ql_step(d, e, z, l, m);
        }
    }
    0
}

/// One step on the block from `l` to `m`.
fn ql_step<T: Number>(d: &mut [f64], e: &mut [f64], z: &mut Matrix<T>, l: usize, m: usize) {
    let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
    let r = g.hypot(1.0);
    g = d[m] - d[l] + e[l] / (g + r.copysign(g));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (l..m).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = f.hypot(g);
        e[i + 1] = r;
        if r == 0.0 {
            // The block falls apart here.
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        g = d[i + 1] - p;
        let r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        for k in 0..z.rows() {
            let (left, right) = (z[(k, i)], z[(k, i + 1)]);
            z[(k, i + 1)] = left.scale(s) + right.scale(c);
            z[(k, i)] = left.scale(c) - right.scale(s);
        }
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    #[test]
    fn vectors_and_values_make_the_matrix() {
        for n in [1, 2, 3, 7, 20] {
            let a = Matrix::from_fn(n, n, |i, j| {
                let (small, large) = (i.min(j) as f64, i.max(j) as f64);
                let im = (small - large) * 0.25;
                Complex64::new((small * 1.5 + large).sin(), if i < j { im } else { -im })
            });
            for lower in [true, false] {
                let (values, vectors, info) = decompose(&a, lower);
                assert_eq!(info, 0);
                assert!(values.windows(2).all(|w| w[0] <= w[1]));
                let scaled = vectors.map(|_, j, v| v * values[j]);
                let back = scaled.times(&vectors.adjoint());
                let unit = vectors.adjoint().times(&vectors);
                for i in 0..n {
                    for j in 0..n {
                        assert!((back[(i, j)] - a[(i, j)]).norm() < 1e-12 * n as f64);
                        assert!((unit[(i, j)].re - f64::from(i == j)).abs() < 1e-12);
                    }
                }
            }
        }
    }
}
