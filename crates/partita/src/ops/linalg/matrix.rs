//! Dense matrices of real or complex numbers, and their way from and to tensors.

use crate::ops::elementwise::complex;
use crate::value::{Scalar, Tensor, TensorBuilder};
use num_complex::Complex64;
use std::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

/// A real or complex number: what the algorithms of linear algebra compute with.
pub(crate) trait Number:
    Copy
    + PartialEq
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The number in an element of a tensor.
    fn from_scalar(value: Scalar) -> Self;
    /// The element of a tensor with this number.
    fn to_scalar(self) -> Scalar;
    /// A real number.
    fn from_re(re: f64) -> Self;
    /// The real part.
    fn re(self) -> f64;
    /// The imaginary part.
    fn im(self) -> f64;
    /// The complex conjugate.
    fn conj(self) -> Self;
    /// The quotient.
    fn over(self, divisor: Self) -> Self;

    /// The absolute value.
    fn abs(self) -> f64 {
        if self.im() == 0.0 { self.re().abs() } else { self.re().hypot(self.im()) }
    }

    /// A multiple.
    fn scale(self, factor: f64) -> Self;

    /// Whether it is not a number.
    fn is_nan(self) -> bool {
        self.re().is_nan() || self.im().is_nan()
    }
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn from_scalar(value: Scalar) -> f64 {
        value.real()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Float(self)
    }
    fn from_re(re: f64) -> f64 {
        re
    }
    fn re(self) -> f64 {
        self
    }
    fn im(self) -> f64 {
        0.0
    }
    fn conj(self) -> f64 {
        self
    }
    fn over(self, divisor: f64) -> f64 {
        self / divisor
    }
    fn scale(self, factor: f64) -> f64 {
        self * factor
    }
}

impl Number for Complex64 {
    const ZERO: Complex64 = Complex64::new(0.0, 0.0);
    const ONE: Complex64 = Complex64::new(1.0, 0.0);

    fn from_scalar(value: Scalar) -> Complex64 {
        value.complex()
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Complex(self)
    }
    fn from_re(re: f64) -> Complex64 {
        Complex64::new(re, 0.0)
    }
    fn re(self) -> f64 {
        self.re
    }
    fn im(self) -> f64 {
        self.im
    }
    fn conj(self) -> Complex64 {
        Complex64::new(self.re, -self.im)
    }
    fn over(self, divisor: Complex64) -> Complex64 {
        complex::divide(self, divisor)
    }
    fn scale(self, factor: f64) -> Complex64 {
        Complex64::new(self.re * factor, self.im * factor)
    }
}

/// A matrix, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

impl<T: Number> Matrix<T> {
    /// A matrix of zeros.
    pub(crate) fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, data: vec![T::ZERO; rows * cols] }
    }

    /// A matrix of ones on the diagonal.
    pub(crate) fn identity(rows: usize, cols: usize) -> Self {
        let mut matrix = Matrix::zeros(rows, cols);
        (0..rows.min(cols)).for_each(|i| matrix[(i, i)] = T::ONE);
        matrix
    }

    /// A matrix whose elements are computed from row and column.
    pub(crate) fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let data = (0..rows * cols).map(|i| f(i / cols, i % cols)).collect();
        Matrix { rows, cols, data }
    }

    /// The n-th matrix in the last two dimensions of a tensor.
    pub(crate) fn load(tensor: &Tensor, n: usize) -> Self {
        let (rows, cols) = matrix_shape(tensor.shape());
        let start = n * rows * cols;
        let data = (start..start + rows * cols).map(|i| T::from_scalar(tensor.get(i))).collect();
        Matrix { rows, cols, data }
    }

    /// Writes the n-th matrix in the last two dimensions of a tensor.
    pub(crate) fn store(&self, tensor: &mut TensorBuilder, n: usize) {
        store_list(&self.data, tensor, n);
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    /// The matrix with every element replaced.
    pub(crate) fn map(&self, f: impl Fn(usize, usize, T) -> T) -> Self {
        Matrix::from_fn(self.rows, self.cols, |i, j| f(i, j, self[(i, j)]))
    }

    /// The transpose, each element conjugated.
    pub(crate) fn adjoint(&self) -> Self {
        Matrix::from_fn(self.cols, self.rows, |i, j| self[(j, i)].conj())
    }

    /// The product, with which tests check factors.
    #[cfg(test)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Matrix::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            for k in 0..self.cols {
                let factor = self[(i, k)];
                for j in 0..other.cols {
                    product[(i, j)] = product[(i, j)] + factor * other[(k, j)];
                }
            }
        }
        product
    }

    /// Swaps two rows.
    pub(crate) fn swap_rows(&mut self, a: usize, b: usize) {
        (0..self.cols).for_each(|j| self.data.swap(a * self.cols + j, b * self.cols + j));
    }

    /// Swaps two columns.
    pub(crate) fn swap_cols(&mut self, a: usize, b: usize) {
        (0..self.rows).for_each(|i| self.data.swap(i * self.cols + a, i * self.cols + b));
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}

/// Rows and columns: the last two sizes of a shape.
pub(crate) fn matrix_shape(shape: &[i64]) -> (usize, usize) {
    match shape {
        [.., rows, cols] => (*rows as usize, *cols as usize),
        _ => (1, 1),
    }
}

/// How many matrices a shape holds in its last two dimensions.
pub(crate) fn batch_count(shape: &[i64]) -> usize {
    let batch = shape.len().saturating_sub(2);
    shape[..batch].iter().product::<i64>() as usize
}

/// The n-th vector in the last dimension of a tensor.
pub(crate) fn load_list<T: Number>(tensor: &Tensor, n: usize) -> Vec<T> {
    let len = tensor.shape().last().map_or(1, |&size| size as usize);
    (n * len..(n + 1) * len).map(|i| T::from_scalar(tensor.get(i))).collect()
}

/// Writes consecutive elements, the n-th group of as many.
pub(crate) fn store_list<T: Number>(list: &[T], tensor: &mut TensorBuilder, n: usize) {
    for (i, value) in list.iter().enumerate() {
        tensor.set(n * list.len() + i, value.to_scalar());
    }
}
