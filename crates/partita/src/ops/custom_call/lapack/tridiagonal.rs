//! Tridiagonal matrices: the reduction of Hermitian ones, and systems of equations.

use super::householder::{column, reflector, set_column};
use crate::ops::linalg::matrix::{Matrix, Number};

/// A Hermitian matrix brought to tridiagonal form by reflections.
pub(super) struct Reduced<T> {
    /// The tridiagonal matrix, the Householder vectors in the triangle that was read, the rest unchanged.
    pub(super) packed: Matrix<T>,
    /// The diagonal.
    pub(super) diagonal: Vec<f64>,
    /// The diagonal beside it.
    pub(super) off_diagonal: Vec<f64>,
    /// The factors of the reflections.
    pub(super) factors: Vec<T>,
}

/// Brings a Hermitian matrix, of which one triangle is read, to tridiagonal form.
pub(super) fn reduce<T: Number>(a: &Matrix<T>, lower: bool) -> Reduced<T> {
    if lower {
        return reduce_lower(a.clone());
    }
    // With rows and columns in reverse order the upper triangle is the lower one.
    let n = a.rows();
    let reverse = |a: &Matrix<T>| Matrix::from_fn(n, n, |i, j| a[(n - 1 - i, n - 1 - j)]);
    let mut reduced = reduce_lower(reverse(a));
    reduced.packed = reverse(&reduced.packed);
    reduced.diagonal.reverse();
    reduced.off_diagonal.reverse();
    reduced.factors.reverse();
    reduced
}

fn reduce_lower<T: Number>(mut a: Matrix<T>) -> Reduced<T> {
    let n = a.rows();
    let (mut off_diagonal, mut factors) = (Vec::new(), Vec::new());
    for i in 0..n.saturating_sub(1) {
        let first = i + 1;
        let mut v = column(&a, i, first..n);
        let tau = reflector(&mut v);
        set_column(&mut a, i, first, &v);
        off_diagonal.push(v[0].re());
        factors.push(tau);
        v[0] = T::ONE;
        // Hᴴ A H for the rest, which stays Hermitian: A - v wᴴ - w vᴴ with w = τ A v - ½ τ (…)ᴴ v.
        let element = |a: &Matrix<T>, r: usize, c: usize| match r.cmp(&c) {
            std::cmp::Ordering::Greater => a[(r, c)],
            std::cmp::Ordering::Equal => T::from_re(a[(r, c)].re()),
            std::cmp::Ordering::Less => a[(c, r)].conj(),
        };
        let mut w: Vec<T> = (first..n)
            .map(|r| {
                let sum = v.iter().enumerate().fold(T::ZERO, |s, (k, v)| s + element(&a, r, first + k) * *v);
                tau * sum
            })
            .collect();
        let dot = w.iter().zip(&v).fold(T::ZERO, |sum, (w, v)| sum + w.conj() * *v);
        let shift = (tau * dot).scale(-0.5);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w = *w + shift * *v);
        for r in first..n {
            for c in first..=r {
                let (r0, c0) = (r - first, c - first);
                a[(r, c)] = element(&a, r, c) - v[r0] * w[c0].conj() - w[r0] * v[c0].conj();
            }
        }
    }
    let diagonal = (0..n).map(|i| a[(i, i)].re()).collect();
    (0..n).for_each(|i| a[(i, i)] = T::from_re(a[(i, i)].re()));
    Reduced { packed: a, diagonal, off_diagonal, factors }
}

/// Solves a tridiagonal system with partial pivoting, in the way and with the leftovers of LAPACK. The lists may
/// be longer than needed; the lower one is read from its start. Gives the first equation without a pivot, or
/// zero.
pub(super) fn solve<T: Number>(
    lower: &mut [T],
    diagonal: &mut [T],
    upper: &mut [T],
    x: &mut Matrix<T>,
) -> usize {
    let n = diagonal.len();
    let size = |v: T| v.re().abs() + v.im().abs();
    for k in 0..n.saturating_sub(1) {
        if lower[k] == T::ZERO {
            if diagonal[k] == T::ZERO {
                return k + 1;
            }
        } else if size(diagonal[k]) >= size(lower[k]) {
            let factor = lower[k].over(diagonal[k]);
            diagonal[k + 1] = diagonal[k + 1] - factor * upper[k];
            for j in 0..x.cols() {
                x[(k + 1, j)] = x[(k + 1, j)] - factor * x[(k, j)];
            }
            if k + 2 < n {
                lower[k] = T::ZERO;
            }
        } else {
            // The next equation is the better one: the two change places, which fills a second upper diagonal.
            let factor = diagonal[k].over(lower[k]);
            diagonal[k] = lower[k];
            let below = diagonal[k + 1];
            diagonal[k + 1] = upper[k] - factor * below;
            if k + 2 < n {
                lower[k] = upper[k + 1];
                upper[k + 1] = -(factor * upper[k + 1]);
            }
            upper[k] = below;
            for j in 0..x.cols() {
                let above = x[(k, j)];
                x[(k, j)] = x[(k + 1, j)];
                x[(k + 1, j)] = above - factor * x[(k + 1, j)];
            }
        }
    }
    if n > 0 && diagonal[n - 1] == T::ZERO {
        return n;
    }
    for j in 0..x.cols() {
        for k in (0..n).rev() {
            let mut sum = x[(k, j)];
            if k + 1 < n {
                sum = sum - upper[k] * x[(k + 1, j)];
            }
            if k + 2 < n {
                sum = sum - lower[k] * x[(k + 2, j)];
            }
            x[(k, j)] = sum.over(diagonal[k]);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_with_and_without_swaps() {
        for first in [0.0, 0.1, 5.0] {
            let (lower, diagonal, upper) = ([1.0, -3.0, 2.0], [first, 0.5, 0.25, 4.0], [2.0, 1.0, -1.0]);
            let a = Matrix::<f64>::from_fn(4, 4, |i, j| match (i, j) {
                _ if i == j => diagonal[i],
                _ if i == j + 1 => lower[j],
                _ if j == i + 1 => upper[i],
                _ => 0.0,
            });
            let b = Matrix::from_fn(4, 2, |i, j| (i + 2 * j) as f64 - 1.0);
            let mut x = b.clone();
            assert_eq!(solve(&mut lower.clone(), &mut diagonal.clone(), &mut upper.clone(), &mut x), 0);
            let product = a.times(&x);
            for i in 0..4 {
                for j in 0..2 {
                    assert!((product[(i, j)] - b[(i, j)]).abs() < 1e-12);
                }
            }
        }
    }
}
