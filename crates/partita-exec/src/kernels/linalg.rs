//! Triangular systems and the Cholesky decomposition, block by block: all but the blocks on the diagonal are products of matrices.
//!
//! Everything is computed in double precision, as the rows of the op table have it.

use super::Compute;
use super::dot::as_type;
use super::matmul::{Matrix, Sizes, multiply_together};
use crate::array::Array;
use crate::pool::Pool;
use partita::Module;
use partita::ir::attr::{EnumAttr, Transpose};
use partita::ir::{Elem, OpRef, TensorType, names};
use partita::value::{Tensor, TensorBuilder};

/// Rows and columns of a block.
const BLOCK: usize = 64;

/// Matrices of numbers, the last two dimensions of an array turned round or not, in row-major order.
fn matrices(array: &Array, turned: bool, pool: &mut Pool) -> TensorBuilder {
    let wide = Array::new(as_type(array, Elem::F64, pool));
    turn(wide, turned).into_builder(pool)
}

/// The last two dimensions turned round, where that is so.
fn turn(array: Array, turned: bool) -> Array {
    let rank = array.shape.len();
    let (mut shape, mut strides) = (array.shape.clone(), array.strides.clone());
    if turned {
        shape.swap(rank - 2, rank - 1);
        strides.swap(rank - 2, rank - 1);
    }
    array.into_view(shape, strides, 0)
}

/// The other way: matrices as an array of a type.
fn as_array(matrices: TensorBuilder, turned: bool, ty: &TensorType, pool: &mut Pool) -> Tensor {
    let array = turn(Array::new(matrices.finish()), turned);
    let result = if ty.elem == Elem::F64 { array.copied(pool) } else { as_type(&array, ty.elem, pool) };
    array.recycle(pool);
    result
}

fn floats(tensor: &mut TensorBuilder) -> &mut [f64] {
    let count = tensor.len();
    // SAFETY: the memory of a tensor of so many `f64`, aligned for every type of element.
    unsafe { std::slice::from_raw_parts_mut(tensor.bytes_mut().as_mut_ptr().cast(), count) }
}

/// `to += left · right`, on blocks of matrices with rows of so many numbers.
///
/// # Safety
///
/// The blocks lie in their matrices, and that of `to` overlaps none of the others.
unsafe fn add_product(
    sizes: Sizes,
    to: (*mut f64, usize),
    left: (*const f64, usize, usize),
    right: (*const f64, usize, usize),
    pool: &mut Pool,
) {
    let to = Matrix { first: to.0.cast(), rows: to.1 as isize, columns: 1 };
    let side = |(first, rows, columns): (*const f64, usize, usize)| Matrix {
        first: first.cast(),
        rows: rows as isize,
        columns: columns as isize,
    };
    // SAFETY: what the caller promises.
    unsafe { multiply_together(Elem::F64, sizes, to, side(left), side(right), true, pool) };
}

/// `op(a) x = b` or `x op(a) = b` for triangular `a`.
pub(crate) struct TriangularSolve {
    left: bool,
    /// Whether `op(a)`, on the left, is a lower triangle.
    forward: bool,
    /// Whether the matrix is turned round to stand there.
    turned: bool,
    unit_diagonal: bool,
    result: TensorType,
}

impl TriangularSolve {
    /// The systems that an operation solves, where they are of real numbers.
    pub(crate) fn of(op: OpRef<'_>) -> Option<TriangularSolve> {
        let result = op.result_tensor(0).clone();
        let Some(EnumAttr::Transpose(transpose)) = op.enumeration(names::TRANSPOSE_A) else { return None };
        let (left, lower) = (op.flag(names::LEFT_SIDE), op.flag(names::LOWER));
        let transposed = transpose != Transpose::No;
        (result.elem.is_float() && result.count() > 0).then_some(TriangularSolve {
            left,
            // From the right it is the transposed system.
            forward: lower ^ transposed ^ !left,
            turned: transposed ^ !left,
            unit_diagonal: op.flag(names::UNIT_DIAGONAL),
            result,
        })
    }

    /// Solves one system: `a` has the negative matrix, `x` the right sides, which become the unknowns.
    fn solve(&self, a: &[f64], x: &mut [f64], n: usize, pool: &mut Pool) {
        let columns = x.len() / n;
        let blocks: Vec<usize> = (0..n).step_by(BLOCK).collect();
        let order: Box<dyn Iterator<Item = &usize>> =
            if self.forward { Box::new(blocks.iter()) } else { Box::new(blocks.iter().rev()) };
        for &first in order {
            let end = (first + BLOCK).min(n);
            for step in 0..end - first {
                let i = if self.forward { first + step } else { end - 1 - step };
                let known = if self.forward { first..i } else { i + 1..end };
                for k in known {
                    let (row, other) = two_rows(x, i, k, columns);
                    let factor = a[i * n + k];
                    row.iter_mut().zip(other).for_each(|(x, y)| *x += factor * *y);
                }
                if !self.unit_diagonal {
                    let pivot = -a[i * n + i];
                    x[i * columns..(i + 1) * columns].iter_mut().for_each(|x| *x /= pivot);
                }
            }
            let rest = if self.forward { end..n } else { 0..first };
            if rest.is_empty() {
                continue;
            }
            let sizes = Sizes { rows: rest.len(), columns, sum: end - first };
            let to = x.as_mut_ptr();
            // SAFETY: the rows that are left and those of this block, which are others, and the part of the matrix between them.
            unsafe {
                add_product(
                    sizes,
                    (to.add(rest.start * columns), columns),
                    (a.as_ptr().add(rest.start * n + first), n, 1),
                    (to.add(first * columns).cast_const(), columns, 1),
                    pool,
                );
            }
        }
    }
}

/// A row to be changed, and another one.
fn two_rows(x: &mut [f64], i: usize, k: usize, columns: usize) -> (&mut [f64], &[f64]) {
    let (before, after) = x.split_at_mut(i.max(k) * columns);
    if i < k {
        (&mut before[i * columns..(i + 1) * columns], &after[..columns])
    } else {
        (&mut after[..columns], &before[k * columns..(k + 1) * columns])
    }
}

impl Compute for TriangularSolve {
    fn run(&self, _: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else { return Vec::new() };
        let n = a.shape[a.shape.len() - 1] as usize;
        let mut matrix = matrices(&a, self.turned, pool);
        let mut x = matrices(&b, !self.left, pool);
        floats(&mut matrix).iter_mut().for_each(|value| *value = -*value);
        let batch = matrix.len() / (n * n);
        let each = x.len() / batch;
        for (a, x) in floats(&mut matrix).chunks_exact(n * n).zip(floats(&mut x).chunks_exact_mut(each)) {
            self.solve(a, x, n, pool);
        }
        [a, b].into_iter().for_each(|array| array.recycle(pool));
        pool.recycle(matrix.finish());
        vec![as_array(x, !self.left, &self.result, pool)]
    }
}

/// The triangular factor of positive-definite matrices.
pub(crate) struct Cholesky {
    lower: bool,
    result: TensorType,
}

impl Cholesky {
    /// The decomposition that an operation is, where it is of real numbers.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Cholesky> {
        let result = op.result_tensor(0).clone();
        let lower = op.flag(names::LOWER);
        (result.elem.is_float() && result.count() > 0).then_some(Cholesky { lower, result })
    }

    /// The lower factor of one matrix in its place; false where a pivot is not positive.
    fn factor(a: &mut [f64], n: usize, pool: &mut Pool) -> bool {
        let mut negative = Vec::new();
        for first in (0..n).step_by(BLOCK) {
            let end = (first + BLOCK).min(n);
            if first > 0 {
                // What the columns before leave of these.
                negative.clear();
                (first..end).for_each(|i| negative.extend(a[i * n..i * n + first].iter().map(|x| -x)));
                let sizes = Sizes { rows: n - first, columns: end - first, sum: first };
                let to = a.as_mut_ptr();
                // SAFETY: columns of this block, columns before it, and a copy of some of them.
                unsafe {
                    add_product(
                        sizes,
                        (to.add(first * n + first), n),
                        (to.add(first * n).cast_const(), n, 1),
                        (negative.as_ptr(), 1, first),
                        pool,
                    );
                }
            }
            for j in first..end {
                let square = (first..j).fold(a[j * n + j], |sum, k| sum - a[j * n + k] * a[j * n + k]);
                if square <= 0.0 || square.is_nan() {
                    return false;
                }
                let pivot = square.sqrt();
                a[j * n + j] = pivot;
                for i in j + 1..n {
                    let (row, other) = two_rows(a, i, j, n);
                    let products = row[first..j].iter().zip(&other[first..j]).map(|(x, y)| x * y);
                    row[j] = (row[j] - products.sum::<f64>()) / pivot;
                }
            }
        }
        (0..n).for_each(|i| a[i * n + i + 1..(i + 1) * n].fill(0.0));
        true
    }
}

impl Compute for Cholesky {
    fn run(&self, _: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let Some(a) = operands.pop() else { return Vec::new() };
        let n = a.shape[a.shape.len() - 1] as usize;
        // The upper factor is the lower one of the other triangle, turned round.
        let mut matrix = matrices(&a, !self.lower, pool);
        for a in floats(&mut matrix).chunks_exact_mut(n * n) {
            if !Cholesky::factor(a, n, pool) {
                a.fill(f64::NAN);
            }
        }
        a.recycle(pool);
        vec![as_array(matrix, !self.lower, &self.result, pool)]
    }
}
