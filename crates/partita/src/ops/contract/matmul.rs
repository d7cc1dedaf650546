//! One kernel for all sums of products: `out[b, m, n] = Σₖ lhs[b, m, k] · rhs[b, k, n]`, where each of the
//! four letters stands for any number of dimensions in any order in memory.

use super::wide::{Wide, with_wide};
use crate::ir::TensorType;
use crate::value::{Offsets, Scalar, Tensor, TensorBuilder};

/// Rows and columns of the result that are computed together, in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 4;

/// About so many elements of an operand are gathered at a time.
const BLOCK: usize = 1 << 20;

/// A dimension of the computation: its size, and its strides in both operands and in the result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axis {
    pub size: i64,
    pub lhs: i64,
    pub rhs: i64,
    pub out: i64,
}

/// What is summed and what is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Contraction {
    /// In both operands and the result.
    pub batch: Vec<Axis>,
    /// In the left operand and the result.
    pub rows: Vec<Axis>,
    /// In the right operand and the result.
    pub columns: Vec<Axis>,
    /// Summed over.
    pub sum: Vec<Axis>,
}

fn positions(axes: &[Axis], stride: fn(&Axis) -> i64) -> Vec<usize> {
    Offsets::new(axes.iter().map(|axis| (axis.size, stride(axis)))).collect()
}

fn count(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.size).product::<i64>() as usize
}

/// How many multiplications.
pub(super) fn products(c: &Contraction) -> f64 {
    [&c.batch, &c.rows, &c.columns, &c.sum]
        .iter()
        .flat_map(|axes| axes.iter())
        .map(|axis| axis.size as f64)
        .product()
}

/// Computes the sums of products.
pub(super) fn contract(c: &Contraction, lhs: &Tensor, rhs: &Tensor, out: &TensorType) -> Tensor {
    let elems = [lhs.elem(), rhs.elem(), out.elem];
    with_wide!(&elems, contract_wide(c, lhs, rhs, out))
}

fn contract_wide<T: Wide>(c: &Contraction, lhs: &Tensor, rhs: &Tensor, out: &TensorType) -> Tensor {
    if out.count() == 0 || lhs.is_empty() || rhs.is_empty() {
        // Nothing to compute, or sums over nothing.
        return Tensor::splat(out.clone(), T::default().to_scalar());
    }
    if let (Some(a), Some(b)) = (lhs.as_splat(), rhs.as_splat()) {
        // Every sum is the same.
        return Tensor::splat(out.clone(), repeated_sum::<T>(a, b, count(&c.sum)));
    }
    let batch: Vec<[usize; 3]> = positions(&c.batch, |a| a.lhs)
        .into_iter()
        .zip(positions(&c.batch, |a| a.rhs))
        .zip(positions(&c.batch, |a| a.out))
        .map(|((l, r), o)| [l, r, o])
        .collect();
    let (rows, row_out) = (positions(&c.rows, |a| a.lhs), positions(&c.rows, |a| a.out));
    let (columns, column_out) = (positions(&c.columns, |a| a.rhs), positions(&c.columns, |a| a.out));
    let (lhs_sum, rhs_sum) = (positions(&c.sum, |a| a.lhs), positions(&c.sum, |a| a.rhs));
    let depth = lhs_sum.len();

    let mut builder = TensorBuilder::new(out.clone());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let column_block = (BLOCK / depth.max(1)).next_multiple_of(COLUMNS).max(COLUMNS);
    let row_block = (BLOCK / 4 / depth.max(1)).next_multiple_of(ROWS).max(ROWS);
    for [lhs_base, rhs_base, out_base] in batch {
        for (columns, column_out) in columns.chunks(column_block).zip(column_out.chunks(column_block)) {
            gather_columns::<T>(rhs, rhs_base, columns, &rhs_sum, &mut right);
            for (rows, row_out) in rows.chunks(row_block).zip(row_out.chunks(row_block)) {
                gather_rows::<T>(lhs, lhs_base, rows, &lhs_sum, &mut left);
                multiply(depth, rows.len(), columns.len(), &left, &right, |row, column, value| {
                    builder.set(out_base + row_out[row] + column_out[column], value.to_scalar());
                });
            }
        }
    }
    builder.finish()
}

/// The sum of equal products: one by one as in a sum of different ones, unless there are very many.
fn repeated_sum<T: Wide>(a: Scalar, b: Scalar, times: usize) -> Scalar {
    let product = T::from_scalar(a) * T::from_scalar(b);
    if times > BLOCK {
        return (product * T::from_scalar(Scalar::Int(times as i64))).to_scalar();
    }
    (0..times).fold(T::default(), |sum, _| sum + product).to_scalar()
}

/// Copies rows one after the other.
fn gather_rows<T: Wide>(from: &Tensor, base: usize, rows: &[usize], sum: &[usize], into: &mut Vec<T>) {
    into.clear();
    into.reserve(rows.len() * sum.len());
    for row in rows {
        into.extend(sum.iter().map(|k| T::from_scalar(from.get(base + row + k))));
    }
}

/// Copies columns in panels of [`COLUMNS`]: within a panel the elements with the same `k` lie side by side.
/// The last panel is filled up with zeros.
fn gather_columns<T: Wide>(from: &Tensor, base: usize, columns: &[usize], sum: &[usize], into: &mut Vec<T>) {
    into.clear();
    into.reserve(columns.len().next_multiple_of(COLUMNS) * sum.len());
    for panel in columns.chunks(COLUMNS) {
        for k in sum {
            into.extend(panel.iter().map(|column| T::from_scalar(from.get(base + column + k))));
            into.extend(std::iter::repeat_n(T::default(), COLUMNS - panel.len()));
        }
    }
}

/// Multiplies gathered rows and columns; `put` takes each element of the product once.
fn multiply<T: Wide>(
    depth: usize,
    rows: usize,
    columns: usize,
    left: &[T],
    right: &[T],
    mut put: impl FnMut(usize, usize, T),
) {
    for column in (0..columns).step_by(COLUMNS) {
        let panel = &right[column * depth..(column + COLUMNS) * depth];
        let width = COLUMNS.min(columns - column);
        let mut row = 0;
        while row < rows {
            if rows - row >= ROWS {
                let tile = tile::<T, ROWS>(depth, &left[row * depth..(row + ROWS) * depth], panel);
                for (r, values) in tile.iter().enumerate() {
                    (0..width).for_each(|j| put(row + r, column + j, values[j]));
                }
                row += ROWS;
            } else {
                let [values] = tile::<T, 1>(depth, &left[row * depth..(row + 1) * depth], panel);
                (0..width).for_each(|j| put(row, column + j, values[j]));
                row += 1;
            }
        }
    }
}

/// `R` rows times one panel, summed in the order of `k`.
fn tile<T: Wide, const R: usize>(depth: usize, rows: &[T], panel: &[T]) -> [[T; COLUMNS]; R] {
    let rows: [&[T]; R] = std::array::from_fn(|r| &rows[r * depth..(r + 1) * depth]);
    let mut sums = [[T::default(); COLUMNS]; R];
    for (k, right) in panel.chunks_exact(COLUMNS).enumerate() {
        for r in 0..R {
            let left = rows[r][k];
            for j in 0..COLUMNS {
                sums[r][j] = sums[r][j] + left * right[j];
            }
        }
    }
    sums
}
