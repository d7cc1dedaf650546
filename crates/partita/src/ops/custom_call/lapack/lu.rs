//! Triangular factors with partial pivoting.

use crate::ops::linalg::matrix::{Matrix, Number};

/// Replaces a matrix by its factors `L` (its diagonal of ones left out) and `U`. Gives the row, counted from
/// one, that each row was swapped with, and the first column without a pivot, or zero.
pub(super) fn factor<T: Number>(a: &mut Matrix<T>) -> (Vec<usize>, usize) {
    let steps = a.rows().min(a.cols());
    let mut pivots = Vec::with_capacity(steps);
    let mut info = 0;
    for k in 0..steps {
        // The first of the largest, by the sum of the parts' absolute values.
        let size = |i: usize| a[(i, k)].re().abs() + a[(i, k)].im().abs();
        let pivot = (k + 1..a.rows()).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        pivots.push(pivot + 1);
        if a[(pivot, k)] == T::ZERO {
            info = if info == 0 { k + 1 } else { info };
            continue;
        }
        a.swap_rows(k, pivot);
        for i in k + 1..a.rows() {
            let factor = a[(i, k)].over(a[(k, k)]);
            a[(i, k)] = factor;
            for j in k + 1..a.cols() {
                a[(i, j)] = a[(i, j)] - factor * a[(k, j)];
            }
        }
    }
    (pivots, info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_permuted_matrix() {
        let original = Matrix::<f64>::from_fn(4, 3, |i, j| ((i * 5 + j * 3 + i * j) % 7) as f64 - 2.5);
        let mut a = original.clone();
        let (pivots, info) = factor(&mut a);
        assert_eq!(info, 0);
        let l = a.map(|i, j, x| match i.cmp(&j) {
            std::cmp::Ordering::Greater => x,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Less => 0.0,
        });
        let u = Matrix::from_fn(3, 3, |i, j| if i <= j { a[(i, j)] } else { 0.0 });
        let mut permuted = original;
        pivots.iter().enumerate().for_each(|(i, p)| permuted.swap_rows(i, p - 1));
        let product = l.times(&u);
        for i in 0..4 {
            for j in 0..3 {
                assert!((product[(i, j)] - permuted[(i, j)]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_column_without_pivot_is_named() {
        let mut a = Matrix::<f64>::zeros(2, 2);
        assert_eq!(factor(&mut a), (vec![1, 2], 1));
    }
}
