//! `gather` and `scatter`: windows of a tensor at places that indices name.

use super::Compute;
use crate::array::Array;
use crate::copy::copy_box;
use crate::loops::{Lanes, Walk};
use crate::pool::Pool;
use partita::Module;
use partita::ir::{OpRef, Shape, TensorType, names};
use partita::value::tensor::{read, strides};
use partita::value::walk::advance;
use partita::value::{Tensor, TensorBuilder};
use smallvec::SmallVec;

/// How indices name windows. What holds the windows is the result of a gather, the updates of a scatter.
struct Lookup {
    /// Dimensions of what holds the windows that run inside of a window, and the dimensions of the operand that they run along.
    window: Vec<(usize, usize)>,
    /// The other dimensions of what holds the windows.
    count: Vec<usize>,
    /// For each of those the dimension of the indices, and the dimension of the operand that goes along with it.
    batch: Vec<(usize, Option<usize>)>,
    /// The dimension of the operand that each component of an index is for.
    components: Vec<usize>,
    /// The dimension of the indices that holds the components; one past the last where each is one number.
    vector: usize,
}

/// The dimension numbers of both, by the names of `gather`.
struct Numbers<'a> {
    offset: &'a [i64],
    collapsed: &'a [i64],
    operand_batching: &'a [i64],
    indices_batching: &'a [i64],
    index_map: &'a [i64],
    vector: i64,
}

impl Lookup {
    fn new(numbers: &Numbers<'_>, operand: &TensorType, indices: &TensorType, holder: &TensorType) -> Lookup {
        let left_out = |d: usize| {
            numbers.collapsed.contains(&(d as i64)) || numbers.operand_batching.contains(&(d as i64))
        };
        let along = (0..operand.rank()).filter(|d| !left_out(*d));
        let vector = numbers.vector as usize;
        let going_along = |d: usize| {
            let n = numbers.indices_batching.iter().position(|i| *i == d as i64)?;
            numbers.operand_batching.get(n).map(|d| *d as usize)
        };
        Lookup {
            window: numbers.offset.iter().map(|d| *d as usize).zip(along).collect(),
            count: (0..holder.rank()).filter(|d| !numbers.offset.contains(&(*d as i64))).collect(),
            batch: (0..indices.rank()).filter(|d| *d != vector).map(|d| (d, going_along(d))).collect(),
            components: numbers.index_map.iter().map(|d| *d as usize).collect(),
            vector,
        }
    }

    /// Where a window stands in what holds it, by the strides of that.
    fn place(&self, index: &[i64], strides: &[i64]) -> i64 {
        self.count.iter().zip(index).map(|(d, i)| strides[*d] * i).sum()
    }

    /// Calls something for each window: where it starts in the operand, and its index among the windows.
    fn for_each(&self, indices: &Array, rank: usize, mut call: impl FnMut(&mut [i64], &[i64])) {
        let sizes: Shape = self.batch.iter().map(|(d, _)| indices.shape[*d]).collect();
        if sizes.contains(&0) {
            return;
        }
        let steps: Shape = self.batch.iter().map(|(d, _)| indices.strides[*d]).collect();
        let component = indices.strides.get(self.vector).copied().unwrap_or(0);
        let mut index: Shape = smallvec::smallvec![0; sizes.len()];
        let mut start: Shape = smallvec::smallvec![0; rank];
        for _ in 0..sizes.iter().product::<i64>() {
            start.fill(0);
            let first: i64 = index.iter().zip(&steps).map(|(i, s)| i * s).sum();
            for (k, d) in self.components.iter().enumerate() {
                let bytes = indices.element(first + k as i64 * component);
                start[*d] = read(indices.elem(), bytes, 0).as_index();
            }
            for ((_, along), i) in self.batch.iter().zip(&index) {
                if let Some(d) = along {
                    start[*d] = *i;
                }
            }
            call(&mut start, &index);
            advance(&mut index, &sizes);
        }
    }
}

// --- gather ---

/// A gather.
pub(crate) struct Gather {
    lookup: Lookup,
    sizes: Shape,
    result: TensorType,
}

impl Gather {
    /// The gather that an operation is.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Gather> {
        let dims = op.gather_dims()?;
        let numbers = Numbers {
            offset: &dims.offset_dims,
            collapsed: &dims.collapsed_slice_dims,
            operand_batching: &dims.operand_batching_dims,
            indices_batching: &dims.start_indices_batching_dims,
            index_map: &dims.start_index_map,
            vector: dims.index_vector_dim,
        };
        let (operand, result) = (op.operand_tensor(0), op.result_tensor(0).clone());
        // Of nothing nothing can be gathered: the reference says so.
        if operand.count() == 0 && result.count() > 0 {
            return None;
        }
        let lookup = Lookup::new(&numbers, operand, op.operand_tensor(1), &result);
        Some(Gather { lookup, sizes: op.ints(names::SLICE_SIZES).into(), result })
    }
}

impl Compute for Gather {
    fn run(&self, _: &Module, operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let mut result = pool.tensor(self.result.clone());
        let mut operands = operands.into_iter();
        let (Some(operand), Some(indices)) = (operands.next(), operands.next()) else { return Vec::new() };
        if !result.is_empty() {
            let holder = strides(&self.result.shape);
            let window = &self.lookup.window;
            let shape: Shape = window.iter().map(|(d, _)| self.result.shape[*d]).collect();
            let from: Shape = window.iter().map(|(_, d)| operand.strides[*d]).collect();
            let to: Shape = window.iter().map(|(d, _)| holder[*d]).collect();
            // A left-out dimension takes one element, whatever its slice size says.
            let room = operand.shape.iter().zip(&self.sizes).map(|(all, size)| (all - size.max(&1)).max(0));
            let room: Shape = room.collect();
            let width = operand.width();
            let target = result.bytes_mut().as_mut_ptr();
            self.lookup.for_each(&indices, operand.shape.len(), |start, index| {
                let inside = start.iter().zip(&room).map(|(i, most)| (*i).clamp(0, *most));
                let first = inside.zip(&operand.strides).map(|(i, s)| i * s).sum();
                // SAFETY: a window that lies in the operand, and its place in the result.
                unsafe {
                    let place = self.lookup.place(index, &holder) as isize;
                    let target = target.offset(place * width as isize);
                    copy_box(width, &shape, (operand.place(first), &from), (target, &to));
                }
            });
        }
        operand.recycle(pool);
        indices.recycle(pool);
        vec![result.finish()]
    }
}

// --- scatter ---

/// A scatter.
pub(crate) struct Scatter {
    lookup: Lookup,
    lanes: Lanes,
    /// Whether updates take the place of what is there.
    replaces: bool,
    count: usize,
}

impl Scatter {
    /// The scatter that an operation is, where its region is one of scalars.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Scatter> {
        let dims = op.scatter_dims()?;
        let numbers = Numbers {
            offset: &dims.update_window_dims,
            collapsed: &dims.inserted_window_dims,
            operand_batching: &dims.input_batching_dims,
            indices_batching: &dims.scatter_indices_batching_dims,
            index_map: &dims.scatter_dims_to_operand_dims,
            vector: dims.index_vector_dim,
        };
        let count = op.op().results.len();
        let lanes = Lanes::combining(op)?;
        let fits = |n: usize| op.operand_tensor(count + 1 + n).elem == op.result_tensor(n).elem;
        if !(0..count).all(fits) {
            return None;
        }
        let replaces = lanes.returns_elements();
        let lookup = Lookup::new(
            &numbers,
            op.operand_tensor(0),
            op.operand_tensor(count),
            op.operand_tensor(count + 1),
        );
        Some(Scatter { lookup, lanes, replaces, count })
    }
}

impl Compute for Scatter {
    fn run(&self, module: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let updates = operands.split_off(self.count + 1);
        let Some(indices) = operands.pop() else { return Vec::new() };
        let shape = operands[0].shape.clone();
        let mut results: Vec<TensorBuilder> =
            operands.into_iter().map(|array| array.into_builder(pool)).collect();
        let whole = strides(&shape);
        let window = &self.lookup.window;
        let sizes: Shape = window.iter().map(|(d, _)| updates[0].shape[*d]).collect();
        let to: Shape = window.iter().map(|(_, d)| whole[*d]).collect();
        let from: Vec<Shape> =
            updates.iter().map(|update| window.iter().map(|(d, _)| update.strides[*d]).collect()).collect();
        let mut runner = self.lanes.runner(module);
        let targets: Vec<*mut u8> = results.iter_mut().map(|r| r.bytes_mut().as_mut_ptr()).collect();
        let widths: Vec<isize> = updates.iter().map(|update| update.width() as isize).collect();
        let along: Vec<usize> = window.iter().map(|(_, d)| *d).collect();
        let mut inner: Shape = sizes.clone();
        let mut skipped: Shape = smallvec::smallvec![0; window.len()];
        let nothing = updates.iter().any(|update| update.count() == 0) || shape.contains(&0);
        let write = |start: &mut [i64], index: &[i64]| {
            // Of a window that reaches out of the operand the elements inside are written.
            for (k, d) in along.iter().enumerate() {
                let low = start[*d];
                skipped[k] = low.saturating_neg().clamp(0, sizes[k]);
                inner[k] = (sizes[k].min(shape[*d].saturating_sub(low)) - skipped[k]).max(0);
                start[*d] = low.saturating_add(skipped[k]);
            }
            if inner.contains(&0) || !start.iter().zip(&shape).all(|(i, size)| (0..*size).contains(i)) {
                return;
            }
            let first: i64 = start.iter().zip(&whole).map(|(i, s)| i * s).sum();
            let target = |n: usize| targets[n].wrapping_offset(first as isize * widths[n]);
            let source = |n: usize| {
                let inside: i64 = skipped.iter().zip(&from[n]).map(|(i, s)| i * s).sum();
                updates[n].place(self.lookup.place(index, &updates[n].strides) + inside)
            };
            // SAFETY: boxes of the operands and of the updates, of the same sizes.
            unsafe {
                if self.replaces {
                    for n in 0..self.count {
                        copy_box(widths[n] as usize, &inner, (source(n), &from[n]), (target(n), &to));
                    }
                    return;
                }
                let running: SmallVec<[_; 2]> =
                    (0..self.count).map(|n| Walk { first: target(n), strides: &to }).collect();
                let elements: SmallVec<[_; 2]> =
                    (0..self.count).map(|n| Walk { first: source(n), strides: &from[n] }).collect();
                runner.combine(&inner, &running, &elements);
            }
        };
        if !nothing {
            self.lookup.for_each(&indices, shape.len(), write);
        }
        indices.recycle(pool);
        updates.into_iter().for_each(|update| update.recycle(pool));
        results.into_iter().map(TensorBuilder::finish).collect()
    }
}
