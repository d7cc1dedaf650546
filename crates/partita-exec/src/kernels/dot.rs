//! `dot_general` as products of matrices on strides.
//!
//! The dimensions of each side fall into batch, kept and summed ones. Where the kept and the summed ones each are one straight walk the
//! operand is used as it lies in memory; otherwise it is copied into such an order first.

use super::matmul::{Matrix, Sizes, has_product, multiply, multiply_together};
use crate::array::Array;
use crate::copy::Target;
use crate::loops::convert;
use crate::pool::Pool;
use partita::ir::{Elem, OpRef, Shape, TensorType};
use partita::ops::OpKind;
use partita::value::{Scalar, Tensor};

/// So many multiplications make a part for one thread.
const PART: usize = 1 << 20;

/// A contraction: which dimensions of its operands are what.
pub(crate) struct Dot {
    sides: [Side; 2],
    result: TensorType,
    /// The type that is multiplied and summed in.
    elem: Elem,
}

/// The dimensions of one operand.
struct Side {
    batch: Vec<usize>,
    kept: Vec<usize>,
    summed: Vec<usize>,
}

impl Dot {
    /// The contraction that an operation is, where it is one of floats.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Dot> {
        let (left, right, result) = (op.operand_tensor(0), op.operand_tensor(1), op.result_tensor(0));
        let side = |ty: &TensorType, batch: &[i64], summed: &[i64]| {
            let is = |list: &[i64], d: usize| list.contains(&(d as i64));
            Side {
                batch: batch.iter().map(|d| *d as usize).collect(),
                kept: (0..ty.rank()).filter(|d| !is(batch, *d) && !is(summed, *d)).collect(),
                summed: summed.iter().map(|d| *d as usize).collect(),
            }
        };
        let sides = match op.kind() {
            OpKind::DotGeneral => {
                let dims = op.dot_dims()?;
                [
                    side(left, &dims.lhs_batch, &dims.lhs_contracting),
                    side(right, &dims.rhs_batch, &dims.rhs_contracting),
                ]
            }
            OpKind::Dot => [side(left, &[], &[left.rank() as i64 - 1]), side(right, &[], &[0])],
            _ => return None,
        };
        let narrow = |elem: Elem| matches!(elem, Elem::BF16 | Elem::F16);
        let elem = match (left.elem, right.elem, result.elem) {
            (a, b, c) if a == b && b == c && has_product(a) => a,
            // Narrow floats are summed in `f32`.
            (a, b, c)
                if (narrow(a) || a == Elem::F32)
                    && (narrow(b) || b == Elem::F32)
                    && (narrow(c) || c == Elem::F32) =>
            {
                Elem::F32
            }
            _ => return None,
        };
        Some(Dot { sides, result: result.clone(), elem })
    }

    /// Computes it.
    pub(crate) fn run(&self, left: Array, right: Array, pool: &mut Pool) -> Tensor {
        let [left_side, right_side] = &self.sides;
        if self.result.count() == 0 || left.count() == 0 {
            // Sums of nothing; other dimensions of an empty operand may be larger than memory.
            let mut result = pool.tensor(self.result.clone());
            result.bytes_mut().fill(0);
            return result.finish();
        }
        let left = Operand::new(left_side, left, self.elem, pool);
        let right = Operand::new(right_side, right, self.elem, pool);
        let sizes =
            Sizes { rows: left.kept.0 as usize, columns: right.kept.0 as usize, sum: left.summed.0 as usize };
        let mut result = pool.tensor(self.result.with_elem(self.elem));
        let width = self.elem.bytes() as isize;
        let batch: Shape = left_side.batch.iter().map(|d| left.shape[*d]).collect();
        let to = Target(result.bytes_mut().as_mut_ptr());
        let step = (sizes.rows * sizes.columns) as isize;
        let count = batch.iter().product::<i64>() as usize;
        let product = |n: usize| {
            let index = index_of(n, &batch);
            let place = |operand: &Operand| {
                let offset: i64 = operand.batch.iter().zip(&index).map(|(s, i)| s * i).sum();
                Matrix {
                    // SAFETY: the position of an index of the array.
                    first: unsafe { operand.array.pointer().offset(offset as isize * width) },
                    rows: operand.kept.1 as isize,
                    columns: operand.summed.1 as isize,
                }
            };
            let (a, b) = (place(&left), place(&right));
            let b = Matrix { first: b.first, rows: b.columns, columns: b.rows };
            // SAFETY: the place of a matrix of the result.
            let first = unsafe { to.get().offset(n as isize * step * width) };
            (Matrix { first, rows: sizes.columns as isize, columns: 1 }, a, b)
        };
        if count == 1 {
            let (to, a, b) = product(0);
            // SAFETY: matrices of these sizes lie there; the result is fresh memory in row-major order.
            unsafe { multiply_together(self.elem, sizes, to, a, b, false, pool) };
        } else {
            // Several small matrices to a part.
            let work = (sizes.rows * sizes.columns).saturating_mul(sizes.sum).max(1);
            let several = (PART / work).clamp(1, count);
            pool.each(count.div_ceil(several), &|part, _| {
                for n in part * several..((part + 1) * several).min(count) {
                    let (to, a, b) = product(n);
                    // SAFETY: as above; each matrix of the batch is written once.
                    unsafe { multiply(self.elem, sizes, to, a, b, false) };
                }
            });
        }
        left.array.recycle(pool);
        right.array.recycle(pool);
        let result = result.finish();
        if self.result.elem == self.elem {
            return result;
        }
        let narrow = as_type(&Array::new(result.clone()), self.result.elem, pool);
        pool.recycle(result);
        narrow
    }
}

/// The index with a row-major number.
fn index_of(mut number: usize, shape: &[i64]) -> Shape {
    let mut index: Shape = smallvec::smallvec![0; shape.len()];
    for (i, size) in index.iter_mut().zip(shape).rev() {
        *i = (number % *size as usize) as i64;
        number /= *size as usize;
    }
    index
}

/// An operand whose kept and summed dimensions are straight walks: size and stride of each.
struct Operand {
    array: Array,
    shape: Shape,
    batch: Shape,
    kept: (i64, i64),
    summed: (i64, i64),
}

impl Operand {
    fn new(side: &Side, array: Array, elem: Elem, pool: &mut Pool) -> Operand {
        let array = if array.elem() == elem {
            array
        } else {
            let wide = Array::new(as_type(&array, elem, pool));
            array.recycle(pool);
            wide
        };
        if let (Some(kept), Some(summed)) = (array.walk(&side.kept), array.walk(&side.summed)) {
            return Operand::with(side, array, kept, summed);
        }
        let order: Vec<usize> = [&side.batch[..], &side.kept, &side.summed].concat();
        let shape = order.iter().map(|d| array.shape[*d]).collect();
        let strides = order.iter().map(|d| array.strides[*d]).collect();
        let copy = Array::new(array.view(shape, strides, 0).copied(pool));
        array.recycle(pool);
        // The strides of the copy, under the operand's own order of dimensions.
        let mut strides: Shape = smallvec::smallvec![0; order.len()];
        let mut shape = strides.clone();
        for (n, d) in order.iter().enumerate() {
            strides[*d] = copy.strides[n];
            shape[*d] = copy.shape[n];
        }
        let array = copy.into_view(shape, strides, 0);
        let (kept, summed) = (array.walk(&side.kept), array.walk(&side.summed));
        Operand::with(side, array, kept.unwrap_or((0, 0)), summed.unwrap_or((0, 0)))
    }

    fn with(side: &Side, array: Array, kept: (i64, i64), summed: (i64, i64)) -> Operand {
        let batch = side.batch.iter().map(|d| array.strides[*d]).collect();
        Operand { shape: array.shape.clone(), batch, kept, summed, array }
    }
}

/// The elements in another type, in row-major order.
pub(crate) fn as_type(array: &Array, elem: Elem, pool: &mut Pool) -> Tensor {
    let dense = array.clone().into_row_major(pool);
    let mut result = pool.tensor(array.ty().with_elem(elem));
    let count = array.count();
    match convert(array.elem(), elem) {
        Some(kernel) if count > 0 => {
            let from = dense.pointer();
            // SAFETY: both have as many elements, of the types that the kernel converts, without gaps.
            unsafe { kernel(result.bytes_mut().as_mut_ptr(), [from, from, from], count) };
        }
        _ => {
            let tensor = dense.tensor(pool);
            (0..count).for_each(|i| result.set(i, Scalar::convert(tensor.get(i), elem)));
        }
    }
    dense.recycle(pool);
    result.finish()
}
