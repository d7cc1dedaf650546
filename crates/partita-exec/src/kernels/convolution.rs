//! `convolution` as products of matrices: what a tile of positions sees is packed side by side, and multiplied with the kernel.
//!
//! Each row of a tile holds the elements under the window at one position, zeros where the window hangs over. Windows, dilations and
//! padding are affine: `base · x = stride · o + dilation · k − padding`, so that what a run of positions sees through one element of the
//! window is a box in memory, copied at once. The images of a batch are positions too, in the order in which the output has them, so that
//! the gradient of a kernel, whose positions are few, is computed in large tiles as well.

use super::dot::as_type;
use super::matmul::{Matrix, Sizes, has_product, multiply, multiply_together};
use super::window::Window;
use crate::array::Array;
use crate::copy::{Source, Target, copy_box};
use crate::pool::Pool;
use partita::ir::{Attr, Elem, OpRef, Shape, TensorType, names};
use partita::value::Tensor;
use partita::value::tensor::strides;
use partita::value::walk::advance;

/// A tile has about so many elements: it stays in the second-level cache.
const TILE: usize = 1 << 18;

/// So many products are summed at a time at most.
const DEPTH: i64 = 1 << 11;

/// A convolution.
pub(crate) struct Convolution {
    /// Batch, feature and spatial dimensions of the input.
    input: (usize, usize, Vec<usize>),
    /// Input feature, output feature and spatial dimensions of the kernel.
    kernel: (usize, usize, Vec<usize>),
    /// Batch, feature and spatial dimensions of the output.
    output: (usize, usize, Vec<usize>),
    windows: Vec<Window>,
    groups: i64,
    /// Whether the groups divide the batch and not the input features.
    groups_of_batch: bool,
    result: TensorType,
    elem: Elem,
}

impl Convolution {
    /// The convolution that an operation is, where it is one of floats.
    pub(crate) fn of(op: OpRef<'_>) -> Option<Convolution> {
        let (left, right, result) = (op.operand_tensor(0), op.operand_tensor(1), op.result_tensor(0));
        let narrow = |elem: Elem| matches!(elem, Elem::BF16 | Elem::F16);
        let elem = match (left.elem, right.elem, result.elem) {
            (a, b, c) if a == b && b == c && has_product(a) => a,
            (a, b, c) if a == b && narrow(a) && (narrow(c) || c == Elem::F32) => Elem::F32,
            _ => return None,
        };
        let dims = op.conv_dims()?;
        let list = |dims: &[i64]| dims.iter().map(|d| *d as usize).collect::<Vec<_>>();
        let per = |name, d: usize| op.opt_ints(name).and_then(|list| list.get(d).copied()).unwrap_or(1);
        let padding = |d: usize| match op.attr(names::PADDING) {
            Some(Attr::Elements(pairs)) if pairs.len() > 2 * d => pairs.get(2 * d).as_i64(),
            _ => 0,
        };
        let (input, kernel, output) =
            (list(&dims.input_spatial), list(&dims.kernel_spatial), list(&dims.output_spatial));
        let window = |d: usize| Window {
            stride: per(names::WINDOW_STRIDES, d),
            base: per(names::LHS_DILATION, d),
            dilation: per(names::RHS_DILATION, d),
            padding: padding(d),
            reversed: op.opt_bools(names::WINDOW_REVERSAL).is_some_and(|list| list[d]),
            size: left.shape[input[d]],
            window: right.shape[kernel[d]],
            positions: result.shape[output[d]],
        };
        let windows = (0..input.len()).map(window).collect();
        let count = |name| op.int(name).unwrap_or(1);
        let batches = count(names::BATCH_GROUP_COUNT);
        Some(Convolution {
            input: (dims.input_batch as usize, dims.input_feature as usize, input),
            kernel: (dims.kernel_input_feature as usize, dims.kernel_output_feature as usize, kernel),
            output: (dims.output_batch as usize, dims.output_feature as usize, output),
            windows,
            groups: count(names::FEATURE_GROUP_COUNT).max(batches),
            groups_of_batch: batches > 1,
            result: result.clone(),
            elem,
        })
    }

    /// Computes it.
    pub(crate) fn run(&self, left: Array, right: Array, pool: &mut Pool) -> Tensor {
        let mut result = pool.tensor(self.result.with_elem(self.elem));
        if left.count() == 0 || right.count() == 0 || result.is_empty() {
            result.bytes_mut().fill(0);
            let zeros = Array::new(result.finish());
            return if self.result.elem == self.elem {
                zeros.into_tensor(pool)
            } else {
                as_type(&zeros, self.result.elem, pool)
            };
        }
        let wide = |array: Array, pool: &mut Pool| {
            if array.elem() == self.elem { array } else { Array::new(as_type(&array, self.elem, pool)) }
        };
        let (left, right) = (wide(left, pool), wide(right, pool));
        let kernel = self.kernel_matrix(right, pool);
        let to = Target(result.bytes_mut().as_mut_ptr());
        for group in 0..self.groups {
            self.group(group, &left, &kernel, to, pool);
        }
        left.recycle(pool);
        kernel.array.recycle(pool);
        let result = result.finish();
        if self.result.elem == self.elem {
            return result;
        }
        let narrow = as_type(&Array::new(result.clone()), self.result.elem, pool);
        pool.recycle(result);
        narrow
    }

    /// The kernel as a matrix from what is summed to output features, where it lies or copied.
    fn kernel_matrix(&self, right: Array, pool: &mut Pool) -> Kernel {
        let (feature, out, spatial) = &self.kernel;
        let mut strides = right.strides.clone();
        let mut further = 0;
        for (window, d) in self.windows.iter().zip(spatial) {
            if window.reversed {
                further += (right.shape[*d] - 1) * strides[*d];
                strides[*d] = -strides[*d];
            }
        }
        let shape = right.shape.clone();
        let right = right.into_view(shape, strides, further);
        // The spatial dimensions major and the features minor, or the other way round, as the kernel lies.
        let spatial_first: Vec<usize> = spatial.iter().copied().chain([*feature]).collect();
        let feature_first: Vec<usize> = [*feature].into_iter().chain(spatial.iter().copied()).collect();
        for (order, features_last) in [(&spatial_first, true), (&feature_first, false)] {
            if let Some(step) = straight(&right, order) {
                let column = right.strides[*out];
                return Kernel { array: right, row: step, column, features_last };
            }
        }
        let order: Vec<usize> = spatial_first.into_iter().chain([*out]).collect();
        let shape: Shape = order.iter().map(|d| right.shape[*d]).collect();
        let strides: Shape = order.iter().map(|d| right.strides[*d]).collect();
        let copy = Array::new(right.view(shape, strides, 0).copied(pool));
        right.recycle(pool);
        let row = copy.shape[copy.shape.len() - 1];
        Kernel { array: copy, row, column: 1, features_last: true }
    }

    /// One group of features or of the batch.
    fn group(&self, group: i64, left: &Array, kernel: &Kernel, to: Target, pool: &mut Pool) {
        let width = self.elem.bytes() as isize;
        let out_strides = strides(&self.result.shape);
        let shape = &self.result.shape;
        let groups = if self.groups_of_batch { 1 } else { self.groups };
        let depth = left.shape[self.input.1] / groups;
        let columns = shape[self.output.1] / self.groups;
        let taps: Shape = self.windows.iter().map(|w| w.window).collect();
        let walks = self.walks(left, &out_strides);
        let first_batch = if self.groups_of_batch { group * shape[self.output.0] } else { 0 };
        let first_feature = if self.groups_of_batch { 0 } else { group * depth };
        let origin = first_batch * left.strides[self.input.0] + first_feature * left.strides[self.input.1];
        let column = Matrix {
            // SAFETY: the first element of the group's kernel.
            first: unsafe {
                kernel.array.pointer().offset((group * columns * kernel.column) as isize * width)
            },
            rows: kernel.row as isize,
            columns: kernel.column as isize,
        };
        let all_taps: i64 = taps.iter().product();
        if let Some(steps) = self.as_it_lies(left, &walks, depth, kernel.features_last) {
            let sum = (all_taps * depth) as usize;
            for part in parts(&walks, i64::MAX) {
                let place = group * columns * out_strides[self.output.1] + part.out;
                let first = origin + (part.first_row * part.row + part.start) * steps.0;
                // SAFETY: every position sees elements of the input only, at these distances; the result is nobody else's.
                unsafe {
                    let target = Matrix {
                        first: to.get().offset(place as isize * width),
                        rows: part.out_step as isize,
                        columns: out_strides[self.output.1] as isize,
                    };
                    let seen = Matrix {
                        first: left.pointer().offset(first as isize * width),
                        rows: steps.0 as isize,
                        columns: steps.1 as isize,
                    };
                    let sizes =
                        Sizes { rows: (part.rows * part.count) as usize, columns: columns as usize, sum };
                    multiply_together(self.elem, sizes, target, seen, column, false, pool);
                }
            }
            return;
        }
        let blocks = blocks(all_taps, depth, kernel.features_last);
        let largest = blocks.iter().map(|block| block.taps.1 * block.features.1).max().unwrap_or(1);
        let parts = parts(&walks, (TILE as i64 / largest).max(1));
        let kernel_first = Source(column.first);
        pool.each(parts.len(), &|n, tile| {
            let part = &parts[n];
            let place = group * columns * out_strides[self.output.1] + part.out;
            let target = Matrix {
                // SAFETY: the position of an index of the result.
                first: unsafe { to.get().offset(place as isize * width) },
                rows: part.out_step as isize,
                columns: out_strides[self.output.1] as isize,
            };
            let count = part.rows * part.count;
            for block in &blocks {
                let sum = block.taps.1 * block.features.1;
                let sizes = Sizes { rows: count as usize, columns: columns as usize, sum: sum as usize };
                let words = ((count * sum) as usize * width as usize).div_ceil(16);
                if tile.len() < words {
                    tile.resize(words, 0);
                }
                let first: *mut u8 = tile.as_mut_ptr().cast();
                let features_run = left.strides[self.input.1].abs() == 1;
                let (row, element) = if features_run { (sum, 1) } else { (1, count) };
                let packing = Packing { row, element, features_last: kernel.features_last, first };
                self.pack(left, origin, &walks, &taps, part, block, &packing);
                let seen =
                    Matrix { first: first.cast_const(), rows: row as isize, columns: element as isize };
                let skipped = if kernel.features_last {
                    block.taps.0 * depth + block.features.0
                } else {
                    block.features.0 * all_taps + block.taps.0
                };
                // SAFETY: matrices of these sizes lie there, and the result is nobody else's.
                unsafe {
                    let first = kernel_first.get().offset((skipped * kernel.row) as isize * width);
                    let (rows, columns) = (kernel.row as isize, kernel.column as isize);
                    let right = Matrix { first, rows, columns };
                    multiply(self.elem, sizes, target, seen, right, !block.is_first());
                }
            }
        });
    }

    /// The distances from position to position and from one summed element to the next, where all of what is seen lies so in the input:
    /// windows of one element that do not skip, and the gradients of their kernels.
    fn as_it_lies(
        &self,
        left: &Array,
        walks: &[Walk],
        depth: i64,
        features_last: bool,
    ) -> Option<(i64, i64)> {
        let inside = |w: &Window| {
            w.base == 1
                && w.padding == 0
                && (w.positions - 1) * w.stride + (w.window - 1) * w.dilation < w.size
        };
        if !self.windows.iter().all(inside) {
            return None;
        }
        let positions: Vec<(i64, i64)> =
            walks.iter().map(|walk| (walk.window.positions, walk.from * walk.window.stride)).collect();
        let spatial = self.windows.iter().zip(&self.input.2);
        let mut summed: Vec<(i64, i64)> =
            spatial.map(|(w, d)| (w.window, left.strides[*d] * w.dilation)).collect();
        let features = (depth, left.strides[self.input.1]);
        summed.insert(if features_last { summed.len() } else { 0 }, features);
        Some((one_walk(&positions)?, one_walk(&summed)?))
    }

    /// The dimensions of the positions, the batch among them, as they follow each other in the output: outermost first. There are at least two.
    fn walks(&self, left: &Array, out_strides: &[i64]) -> Vec<Walk> {
        let images = self.result.shape[self.output.0];
        let (from, to) = (left.strides[self.input.0], out_strides[self.output.0]);
        let mut walks = vec![Walk { window: Window::points(images), tap: None, from, to }];
        if self.windows.is_empty() {
            walks.push(Walk { window: Window::points(1), tap: None, from: 0, to: 0 });
        }
        for (d, window) in self.windows.iter().enumerate() {
            let (from, to) = (left.strides[self.input.2[d]], out_strides[self.output.2[d]]);
            walks.push(Walk { window: *window, tap: Some(d), from, to });
        }
        // Those of one position first: their strides say nothing of how far positions are from each other.
        walks.sort_by_key(|walk| (walk.window.positions > 1, std::cmp::Reverse(walk.to)));
        walks
    }

    /// Packs what positions see through some elements of the window, zeros where there is nothing.
    #[allow(clippy::too_many_arguments, reason = "one tile: where it comes from and where it goes")]
    fn pack(
        &self,
        left: &Array,
        origin: i64,
        walks: &[Walk],
        taps: &[i64],
        part: &Part,
        block: &Block,
        packing: &Packing,
    ) {
        let width = self.elem.bytes();
        let elements = part.rows * part.count * block.taps.1 * block.features.1;
        // SAFETY: the caller has made room for the tile.
        unsafe { std::ptr::write_bytes(packing.first, 0, elements as usize * width) };
        let (tap_step, feature_step) = if packing.features_last {
            (block.features.1 * packing.element, packing.element)
        } else {
            (packing.element, block.taps.1 * packing.element)
        };
        // Runs along the two innermost dimensions are copied at once.
        let Some((last, outer)) = walks.split_last() else { return };
        let Some((second, outer)) = outer.split_last() else { return };
        let mut index: Shape = smallvec::smallvec![0; taps.len()];
        let mut rest = block.taps.0;
        for d in (0..taps.len()).rev() {
            index[d] = rest % taps[d];
            rest /= taps[d];
        }
        let feature = left.strides[self.input.1];
        let origin = origin + block.features.0 * feature;
        let tap_of = |walk: &Walk, index: &[i64]| walk.tap.map_or(0, |d| index[d]);
        for tap in 0..block.taps.1 {
            let seen = last.window.seen(tap_of(last, &index), part.start, part.start + part.count);
            let mut row = 0;
            while row < part.rows {
                let at = (part.first_row + row) % second.window.positions;
                let run = (second.window.positions - at).min(part.rows - row);
                let rows = second.window.seen(tap_of(second, &index), at, at + run);
                let mut offset = origin + seen.index * last.from + rows.index * second.from;
                let mut rest = (part.first_row + row) / second.window.positions;
                let mut inside = seen.count > 0 && rows.count > 0;
                for walk in outer.iter().rev() {
                    let at = rest % walk.window.positions;
                    rest /= walk.window.positions;
                    let one = walk.window.seen(tap_of(walk, &index), at, at + 1);
                    inside &= one.count == 1;
                    offset += one.index * walk.from;
                }
                if inside {
                    let position = (row + rows.position - at) * part.count + seen.position - part.start;
                    let place = position * packing.row + tap * tap_step;
                    let row_step = rows.step * part.count * packing.row;
                    // SAFETY: a box of the input, and its place in the tile.
                    unsafe {
                        copy_box(
                            width,
                            &[rows.count, seen.count, block.features.1],
                            (
                                left.pointer().offset(offset as isize * width as isize),
                                &[rows.further * second.from, seen.further * last.from, feature],
                            ),
                            (
                                packing.first.add(place as usize * width),
                                &[row_step, seen.step * packing.row, feature_step],
                            ),
                        );
                    }
                }
                row += run;
            }
            advance(&mut index, taps);
        }
    }
}

/// One dimension of the positions of a convolution.
struct Walk {
    window: Window,
    /// Which index of the window moves along it.
    tap: Option<usize>,
    /// Its stride in the input.
    from: i64,
    /// Its stride in the output.
    to: i64,
}

/// A run of positions: whole rows of the innermost dimension, or a part of one.
struct Part {
    first_row: i64,
    /// How many positions a row has.
    row: i64,
    rows: i64,
    start: i64,
    count: i64,
    /// Where they stand in the output, and how far from each other.
    out: i64,
    out_step: i64,
}

/// All positions, in parts of at most so many that stand at equal distances in the output.
fn parts(walks: &[Walk], room: i64) -> Vec<Part> {
    let Some((last, outer)) = walks.split_last() else { return Vec::new() };
    let row = last.window.positions;
    let rows: i64 = outer.iter().map(|walk| walk.window.positions).product();
    // So many rows follow each other straight.
    let (mut straight, mut next) = (1, last.to * row);
    for walk in outer.iter().rev() {
        if walk.window.positions > 1 && walk.to != next {
            break;
        }
        straight *= walk.window.positions;
        next = walk.to * walk.window.positions;
    }
    let row_part = row.min(room);
    let rows_at_once = if row_part == row { (room / row).clamp(1, straight) } else { 1 };
    let mut parts = Vec::new();
    let mut first_row = 0;
    while first_row < rows {
        let count = rows_at_once.min(straight - first_row % straight);
        let (mut rest, mut out) = (first_row, 0);
        for walk in outer.iter().rev() {
            out += rest % walk.window.positions * walk.to;
            rest /= walk.window.positions;
        }
        for start in (0..row).step_by(row_part as usize) {
            parts.push(Part {
                first_row,
                row,
                rows: count,
                start,
                count: row_part.min(row - start),
                out: out + start * last.to,
                out_step: last.to,
            });
        }
        first_row += count;
    }
    parts
}

/// A part of what is summed: first and number of the window's elements and of the features.
struct Block {
    taps: (i64, i64),
    features: (i64, i64),
}

impl Block {
    fn is_first(&self) -> bool {
        self.taps.0 == 0 && self.features.0 == 0
    }
}

/// What is summed, in blocks that follow each other in the kernel.
fn blocks(taps: i64, features: i64, features_last: bool) -> Vec<Block> {
    let (outer, inner) = if features_last { (taps, features) } else { (features, taps) };
    let (outer_step, inner_step) =
        if inner >= DEPTH { (1, DEPTH) } else { (DEPTH / inner.max(1), inner.max(1)) };
    let mut blocks = Vec::new();
    for o in (0..outer).step_by(outer_step as usize) {
        for i in (0..inner).step_by(inner_step as usize) {
            let (a, b) = ((o, outer_step.min(outer - o)), (i, inner_step.min(inner - i)));
            let (taps, features) = if features_last { (a, b) } else { (b, a) };
            blocks.push(Block { taps, features });
        }
    }
    blocks
}

/// How a tile lies in memory.
struct Packing {
    first: *mut u8,
    /// From one position to the next.
    row: i64,
    /// From one summed element to the next.
    element: i64,
    features_last: bool,
}

/// The kernel of a convolution as a matrix.
struct Kernel {
    array: Array,
    /// From one summed element to the next.
    row: i64,
    /// From one output feature to the next.
    column: i64,
    /// Whether input features are the minor part of what is summed.
    features_last: bool,
}

/// The stride of dimensions of sizes and strides as one, outermost first, where they are a straight walk; one for a single index.
fn one_walk(dims: &[(i64, i64)]) -> Option<i64> {
    let mut walk: Option<(i64, i64)> = None;
    for &(size, stride) in dims.iter().rev().filter(|(size, _)| *size != 1) {
        walk = match walk {
            None => Some((size, stride)),
            Some((count, first)) if stride == first * count => Some((count * size, first)),
            Some(_) => return None,
        };
    }
    Some(walk.map_or(1, |(_, stride)| stride))
}

/// The stride of several dimensions as one, where they are a straight walk; one for a single index.
fn straight(array: &Array, dims: &[usize]) -> Option<i64> {
    array.walk(dims).map(|(size, stride)| if size == 1 { 1 } else { stride })
}
