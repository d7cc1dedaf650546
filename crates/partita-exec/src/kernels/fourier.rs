//! Fourier transforms: lines of complex numbers, transformed by the FFT library in double precision.

use super::Compute;
use super::dot::as_type;
use crate::array::Array;
use crate::copy::Target;
use crate::pool::Pool;
use num_complex::Complex64;
use partita::Module;
use partita::ir::attr::{EnumAttr, FftType};
use partita::ir::{Elem, OpId, OpRef, Shape, TensorType, names};
use partita::ops::Eval;
use partita::value::Tensor;
use rustfft::{Fft, FftDirection, FftPlanner};
use std::sync::Arc;

/// A part for one thread has about so many numbers.
const PART: usize = 1 << 14;

/// A transform along the last dimensions.
pub(crate) struct Fourier {
    op: OpId,
    kind: FftType,
    /// The dimensions in the order in which they are transformed, each with its transform.
    lines: Vec<(usize, Arc<dyn Fft<f64>>)>,
    /// The size of the last dimension while it is complex and whole.
    last: i64,
    result: TensorType,
}

impl Fourier {
    /// The transform that an operation is.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Fourier> {
        let Some(EnumAttr::FftType(kind)) = op.enumeration(names::FFT_TYPE) else { return None };
        let (operand, result) = (op.operand_tensor(0), op.result_tensor(0).clone());
        let whole = if kind == FftType::Irfft { &result } else { operand };
        let rank = whole.rank();
        let mut dims: Vec<usize> = (rank.checked_sub(op.ints(names::FFT_LENGTH).len())?..rank).collect();
        let direction = match kind {
            FftType::Fft | FftType::Rfft => {
                dims.reverse();
                FftDirection::Forward
            }
            FftType::Ifft | FftType::Irfft => FftDirection::Inverse,
        };
        let mut planner = FftPlanner::new();
        let mut line =
            |d: usize| Some((d, planner.plan_fft(usize::try_from(whole.shape[d]).ok()?, direction)));
        let lines = dims.into_iter().map(&mut line).collect::<Option<_>>()?;
        let last = *whole.shape.last()?;
        (operand.count() > 0 && result.count() > 0).then_some(Fourier {
            op: op.id,
            kind,
            lines,
            last,
            result,
        })
    }

    /// Transforms all lines along a dimension.
    fn along(&self, array: Array, d: usize, plan: &dyn Fft<f64>, pool: &mut Pool) -> Array {
        // The lines one behind the other.
        let last = array.shape.len() - 1;
        let swapped = |array: &Array| {
            let (mut shape, mut strides) = (array.shape.clone(), array.strides.clone());
            shape.swap(d, last);
            strides.swap(d, last);
            array.view(shape, strides, 0)
        };
        let view = swapped(&array);
        drop(array);
        let mut data = view.into_builder(pool);
        let (length, count) = (plan.len(), data.len());
        let lines = (PART / length.max(1)).max(1);
        let to = Target(data.bytes_mut().as_mut_ptr());
        pool.each((count / length).div_ceil(lines), &|part, _| {
            let first = part * lines * length;
            let size = (lines * length).min(count - first);
            // SAFETY: the numbers of this part, which no other part has; a tensor's memory is aligned for them.
            let line =
                unsafe { std::slice::from_raw_parts_mut(to.get().cast::<Complex64>().add(first), size) };
            plan.process(line);
            if plan.fft_direction() == FftDirection::Inverse {
                line.iter_mut().for_each(|z| *z /= length as f64);
            }
        });
        swapped(&Array::new(data.finish()))
    }

    /// Lines of real signals in full, from the half that is given.
    fn with_conjugates(&self, half: Array, pool: &mut Pool) -> Array {
        let half = half.into_row_major(pool);
        let mut shape: Shape = half.shape.clone();
        let (from, to) = (shape[shape.len() - 1] as usize, self.last as usize);
        if let Some(last) = shape.last_mut() {
            *last = self.last;
        }
        let mut whole = pool.tensor(TensorType::new(Elem::C128, shape));
        let count = half.count();
        // SAFETY: the array holds so many numbers in order, and the other memory is fresh; both are aligned for them.
        let (given, all) = unsafe {
            let given = std::slice::from_raw_parts(half.pointer().cast::<Complex64>(), count);
            let first = whole.bytes_mut().as_mut_ptr().cast::<Complex64>();
            (given, std::slice::from_raw_parts_mut(first, count / from * to))
        };
        for (line, all) in given.chunks_exact(from).zip(all.chunks_exact_mut(to)) {
            all[..from.min(to)].copy_from_slice(&line[..from.min(to)]);
            (from..to).for_each(|k| all[k] = line[to - k].conj());
        }
        half.recycle(pool);
        Array::new(whole.finish())
    }
}

/// The elements in a type, in row-major order.
fn in_type(array: Array, elem: Elem, pool: &mut Pool) -> Array {
    if array.elem() == elem {
        return array.into_row_major(pool);
    }
    let other = Array::new(as_type(&array, elem, pool));
    array.recycle(pool);
    other
}

/// Whether all of some complex numbers, in row-major order, are finite.
fn is_finite(array: &Array) -> bool {
    // SAFETY: the array holds so many numbers in order, and is aligned for them.
    let numbers = unsafe { std::slice::from_raw_parts(array.pointer().cast::<Complex64>(), array.count()) };
    numbers.iter().all(|z| z.is_finite())
}

impl Compute for Fourier {
    fn run(&self, module: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let Some(operand) = operands.pop() else { return Vec::new() };
        let mut data = in_type(operand.clone(), Elem::C128, pool);
        // What comes of infinities depends on the order of operations: it is to be that of the reference.
        let op = module.op(self.op);
        if !is_finite(&data)
            && let Eval::Kernel(kernel) = op.def().eval
            && let Ok(results) = kernel(op, &[operand.clone().into_tensor(pool)])
        {
            return results;
        }
        drop(operand);
        let last = data.shape.len() - 1;
        for (d, plan) in &self.lines {
            if self.kind == FftType::Irfft && *d == last {
                data = self.with_conjugates(data, pool);
            }
            data = self.along(data, *d, &**plan, pool);
        }
        // Of real signals one half, and of real results the real parts.
        let strides = data.strides.clone();
        let data = data.into_view(self.result.shape.clone(), strides, 0);
        vec![in_type(data, self.result.elem, pool).into_tensor(pool)]
    }
}
