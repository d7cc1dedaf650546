//! `reduce_window` and `select_and_scatter`.
//!
//! What positions see through one element of the window is a box of the input, so that the region runs for whole rows of positions at
//! once. Each position sees the elements of its window in row-major order, as the reference has it.

use super::Compute;
use super::window::{Seen, Window};
use crate::array::Array;
use crate::loops::{LaneRunner, Lanes, Walk};
use crate::pool::Pool;
use partita::Module;
use partita::ir::{Attr, Elem, OpRef, Shape, TensorType, names};
use partita::value::tensor::strides;
use partita::value::walk::advance;
use partita::value::{Tensor, TensorBuilder};

/// So many positions are done together at most where leading dimensions allow: they stay in the second-level cache.
const BLOCK: i64 = 1 << 15;

/// The windows of an operation over an operand of a shape.
fn windows(op: OpRef<'_>, from: &[i64], positions: &[i64]) -> Vec<Window> {
    let per = |name, d: usize| op.opt_ints(name).and_then(|list| list.get(d).copied()).unwrap_or(1);
    let padding = |d: usize| match op.attr(names::PADDING) {
        Some(Attr::Elements(pairs)) if pairs.len() > 2 * d => pairs.get(2 * d).as_i64(),
        _ => 0,
    };
    let window = |d: usize| Window {
        stride: per(names::WINDOW_STRIDES, d),
        base: per(names::BASE_DILATIONS, d),
        dilation: per(names::WINDOW_DILATIONS, d),
        padding: padding(d),
        reversed: false,
        size: from[d],
        window: per(names::WINDOW_DIMENSIONS, d),
        positions: positions[d],
    };
    (0..from.len()).map(window).collect()
}

/// Whether all sizes are small enough to reckon with.
fn is_plain(windows: &[Window]) -> bool {
    const LARGE: i64 = 1 << 30;
    let small = |n: i64| n.abs() < LARGE;
    windows.iter().all(|w| {
        [w.stride, w.base, w.dilation, w.padding, w.size, w.window, w.positions].into_iter().all(small)
    })
}

/// Positions that are done together: one index of the leading dimensions, all of the others.
struct Block {
    /// For each dimension the positions from one on, up to another.
    ranges: Vec<(i64, i64)>,
}

/// All positions in blocks.
fn blocks(positions: &[i64]) -> Vec<Block> {
    if positions.contains(&0) {
        return Vec::new();
    }
    let mut leading = positions.len();
    let mut count = 1;
    while leading > 0 && count * positions[leading - 1] <= BLOCK {
        leading -= 1;
        count *= positions[leading];
    }
    let mut index: Shape = smallvec::smallvec![0; leading];
    (0..positions[..leading].iter().product())
        .map(|_| {
            let single = index.iter().map(|i| (*i, *i + 1));
            let ranges = single.chain(positions[leading..].iter().map(|size| (0, *size))).collect();
            advance(&mut index, &positions[..leading]);
            Block { ranges }
        })
        .collect()
}

/// Calls something for each element of the window through which positions of a block see anything: what they see in each dimension.
fn for_each_tap(windows: &[Window], block: &Block, mut call: impl FnMut(&[Seen])) {
    let taps: Shape = windows.iter().map(|w| w.window).collect();
    let mut index: Shape = smallvec::smallvec![0; taps.len()];
    for _ in 0..taps.iter().product::<i64>() {
        let dims = windows.iter().zip(&block.ranges).zip(&index);
        let seen: Vec<Seen> = dims.map(|((w, (first, end)), k)| w.seen(*k, *first, *end)).collect();
        if seen.iter().all(|seen| seen.count > 0) {
            call(&seen);
        }
        advance(&mut index, &taps);
    }
}

/// A box of positions and of what they see: its sizes, and for a tensor of positions and one of the input the first place and the strides.
struct Boxes {
    shape: Shape,
    to: (i64, Shape),
    from: (i64, Shape),
}

fn boxes(seen: &[Seen], to: &[i64], from: &[i64]) -> Boxes {
    Boxes {
        shape: seen.iter().map(|s| s.count).collect(),
        to: (
            seen.iter().zip(to).map(|(s, stride)| s.position * stride).sum(),
            seen.iter().zip(to).map(|(s, stride)| s.step * stride).collect(),
        ),
        from: (
            seen.iter().zip(from).map(|(s, stride)| s.index * stride).sum(),
            seen.iter().zip(from).map(|(s, stride)| s.further * stride).collect(),
        ),
    }
}

/// A tensor that holds one element everywhere, to be changed.
pub(crate) fn filled(ty: TensorType, value: &Array, pool: &mut Pool) -> TensorBuilder {
    let mut tensor = pool.tensor(ty);
    let width = tensor.ty().elem.bytes();
    let element = value.element(0).to_vec();
    tensor.bytes_mut().chunks_exact_mut(width).for_each(|slot| slot.copy_from_slice(&element));
    tensor
}

// --- reduce_window ---

/// A reduction of windows.
pub(crate) struct ReduceWindow {
    windows: Vec<Window>,
    lanes: Lanes,
    results: Vec<TensorType>,
    /// The dimension of a running sum or its like, and whether it runs from the end.
    scan: Option<(usize, bool)>,
}

impl ReduceWindow {
    /// The reduction that an operation is, where its region is one of scalars.
    pub(crate) fn of(op: OpRef<'_>) -> Option<ReduceWindow> {
        let results: Vec<TensorType> =
            (0..op.op().results.len()).map(|n| op.result_tensor(n).clone()).collect();
        let lanes = Lanes::combining(op)?;
        let windows = windows(op, &op.operand_tensor(0).shape, &results.first()?.shape);
        if !is_plain(&windows) {
            return None;
        }
        let scan = scan(&windows);
        Some(ReduceWindow { windows, lanes, results, scan })
    }

    /// A running sum or its like: what one index gives is what the one before gave, combined with one element more.
    fn run_scan(
        &self,
        dim: usize,
        backwards: bool,
        inputs: &[Array],
        runner: &mut LaneRunner<'_>,
        results: &mut [TensorBuilder],
    ) {
        let shape = &self.results[0].shape;
        let size = shape[dim];
        let mut rest = shape.clone();
        rest[dim] = 1;
        let to = strides(shape);
        let targets: Vec<*mut u8> = results.iter_mut().map(|r| r.bytes_mut().as_mut_ptr()).collect();
        for step in 0..size {
            let (at, before) = if backwards { (size - 1 - step, size - step) } else { (step, step - 1) };
            let place =
                |n: usize, at: i64| at as isize * to[dim] as isize * self.results[n].elem.bytes() as isize;
            // SAFETY: indices of the results and of inputs of the same shape; the first results hold the start values.
            unsafe {
                if step > 0 {
                    for (n, target) in targets.iter().enumerate() {
                        let width = self.results[n].elem.bytes();
                        let (from, here) = (target.offset(place(n, before)), target.offset(place(n, at)));
                        crate::copy::copy_box(width, &rest, (from.cast_const(), &to), (here, &to));
                    }
                }
                let running: Vec<Walk<'_, *mut u8>> = targets
                    .iter()
                    .enumerate()
                    .map(|(n, target)| Walk { first: target.offset(place(n, at)), strides: &to })
                    .collect();
                let elements: Vec<Walk<'_, *const u8>> = inputs
                    .iter()
                    .map(|array| Walk {
                        first: array.place(at * array.strides[dim]),
                        strides: &array.strides,
                    })
                    .collect();
                runner.combine(&rest, &running, &elements);
            }
        }
    }
}

/// The dimension along which windows reach from one end to each position, where they do, and have one element in all others.
fn scan(windows: &[Window]) -> Option<(usize, bool)> {
    let mut found = None;
    for (d, w) in windows.iter().enumerate() {
        let plain = w.stride == 1 && w.base == 1 && w.dilation == 1 && w.positions == w.size;
        if !plain {
            return None;
        }
        if w.window == 1 && w.padding == 0 {
            continue;
        }
        let backwards = match w.padding {
            0 => true,
            low if low == w.size - 1 => false,
            _ => return None,
        };
        if w.window != w.size || found.is_some() {
            return None;
        }
        found = Some((d, backwards));
    }
    found
}

impl Compute for ReduceWindow {
    fn run(&self, module: &Module, mut operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let starts = operands.split_off(self.results.len());
        let inputs = operands;
        let mut results: Vec<TensorBuilder> =
            self.results.iter().zip(&starts).map(|(ty, start)| filled(ty.clone(), start, pool)).collect();
        let mut runner = self.lanes.runner(module);
        if let (Some((dim, backwards)), false) = (self.scan, self.results[0].shape.contains(&0)) {
            self.run_scan(dim, backwards, &inputs, &mut runner, &mut results);
        } else if inputs.first().is_some_and(|input| input.count() > 0) {
            let shape = &self.results[0].shape;
            let to = strides(shape);
            let targets: Vec<*mut u8> = results.iter_mut().map(|r| r.bytes_mut().as_mut_ptr()).collect();
            for block in blocks(shape) {
                for_each_tap(&self.windows, &block, |seen| {
                    let place: Vec<Boxes> =
                        inputs.iter().map(|array| boxes(seen, &to, &array.strides)).collect();
                    // SAFETY: boxes of the results and of the inputs; positions are told apart by their places.
                    unsafe {
                        let running: Vec<Walk<'_, *mut u8>> = targets
                            .iter()
                            .zip(&place)
                            .zip(&self.results)
                            .map(|((target, b), ty)| Walk {
                                first: target.offset(b.to.0 as isize * ty.elem.bytes() as isize),
                                strides: &b.to.1,
                            })
                            .collect();
                        let elements: Vec<Walk<'_, *const u8>> = inputs
                            .iter()
                            .zip(&place)
                            .map(|(array, b)| Walk { first: array.place(b.from.0), strides: &b.from.1 })
                            .collect();
                        runner.combine(&place[0].shape, &running, &elements);
                    }
                });
            }
        }
        inputs.into_iter().for_each(|array| array.recycle(pool));
        results.into_iter().map(TensorBuilder::finish).collect()
    }
}

// --- select_and_scatter ---

/// An element of each window is selected, and a source combined with it.
pub(crate) struct SelectAndScatter {
    windows: Vec<Window>,
    select: Lanes,
    scatter: Lanes,
    result: TensorType,
}

impl SelectAndScatter {
    /// The operation, where its regions are of scalars.
    pub(crate) fn of(op: OpRef<'_>) -> Option<SelectAndScatter> {
        let result = op.result_tensor(0).clone();
        let select = Lanes::of(op.module, op.region_id(0))?;
        let scatter = Lanes::of(op.module, op.region_id(1))?;
        let windows = windows(op, &op.operand_tensor(0).shape, &op.operand_tensor(1).shape);
        let elem = result.elem;
        let fits = op.operand_tensor(0).elem == elem
            && op.operand_tensor(1).elem == elem
            && select.args[..] == [elem, elem]
            && select.results[..] == [Elem::Bool]
            && scatter.combines(&[elem]);
        let counted = !windows.is_empty() && u32::try_from(op.operand_tensor(0).count()).is_ok();
        (fits && counted && is_plain(&windows)).then_some(SelectAndScatter {
            windows,
            select,
            scatter,
            result,
        })
    }

    /// For each position where the element stands that its window selects, in the operand in row-major order; nothing where it sees none.
    fn selected(
        &self,
        module: &Module,
        operand: &Array,
        positions: &[i64],
        pool: &mut Pool,
    ) -> Vec<Option<u32>> {
        let count: i64 = positions.iter().product();
        let mut places: Vec<Option<u32>> = vec![None; count as usize];
        let to = strides(positions);
        let rows = strides(&operand.shape);
        let width = operand.width();
        let mut best = pool.tensor(TensorType::new(operand.elem(), positions.iter().copied()));
        let values = best.bytes_mut().as_mut_ptr();
        let mut runner = self.select.runner(module);
        let mut room = vec![0u128; (ROW * width).div_ceil(16)];
        for block in blocks(positions) {
            for_each_tap(&self.windows, &block, |seen| {
                let b = boxes(seen, &to, &operand.strides);
                let wanted = boxes(seen, &to, &rows);
                let Some((&size, outer)) = b.shape.split_last() else { return };
                let last = outer.len();
                let mut index: Shape = smallvec::smallvec![0; last];
                for _ in 0..outer.iter().product::<i64>() {
                    let at = |(first, steps): &(i64, Shape)| -> i64 {
                        first + index.iter().zip(steps).map(|(i, s)| i * s).sum::<i64>()
                    };
                    for start in (0..size).step_by(ROW) {
                        let row = Row {
                            count: (size - start).min(ROW as i64) as usize,
                            position: at(&b.to) + start * b.to.1[last],
                            step: b.to.1[last],
                            place: at(&wanted.from) + start * wanted.from.1[last],
                            further: wanted.from.1[last],
                        };
                        let from = at(&b.from) + start * b.from.1[last];
                        // SAFETY: indices of the operand and of positions; a room for a row.
                        unsafe {
                            let mut candidates = operand.place(from);
                            if b.from.1[last] != 1 {
                                let to: *mut u8 = room.as_mut_ptr().cast();
                                crate::copy::copy_box(
                                    width,
                                    &[row.count as i64],
                                    (candidates, &[b.from.1[last]]),
                                    (to, &[1]),
                                );
                                candidates = to.cast_const();
                            }
                            match width {
                                1 => choose::<u8>(&row, values, candidates, &mut places, &mut runner),
                                2 => choose::<u16>(&row, values, candidates, &mut places, &mut runner),
                                4 => choose::<u32>(&row, values, candidates, &mut places, &mut runner),
                                8 => choose::<u64>(&row, values, candidates, &mut places, &mut runner),
                                _ => choose::<[u64; 2]>(&row, values, candidates, &mut places, &mut runner),
                            }
                        }
                    }
                    advance(&mut index, outer);
                }
            });
        }
        pool.recycle(best.finish());
        places
    }
}

/// So many positions of a row are done together.
const ROW: usize = 256;

/// Positions in a row, and where in the operand what they see stands.
struct Row {
    count: usize,
    position: i64,
    step: i64,
    place: i64,
    further: i64,
}

/// Lets each position of a row choose between what it has selected and a candidate.
///
/// # Safety
///
/// The values selected so far stand at the positions, the candidates side by side, as many as the row has, of a type of this width.
unsafe fn choose<T: Copy>(
    row: &Row,
    values: *mut u8,
    candidates: *const u8,
    places: &mut [Option<u32>],
    runner: &mut LaneRunner<'_>,
) {
    let values: *mut T = values.cast();
    let candidates: *const T = candidates.cast();
    // SAFETY: what the caller promises.
    unsafe {
        let first = values.offset(row.position as isize);
        let side_by_side = row.step == 1;
        let mut held: [std::mem::MaybeUninit<T>; ROW] = [const { std::mem::MaybeUninit::uninit() }; ROW];
        let have: *const T = if side_by_side {
            first
        } else {
            for (i, slot) in held[..row.count].iter_mut().enumerate() {
                slot.write(*first.offset(i as isize * row.step as isize));
            }
            held.as_ptr().cast()
        };
        let keep = runner.run(&[have.cast(), candidates.cast()], row.count)[0];
        for i in 0..row.count {
            let at = (row.position + i as i64 * row.step) as usize;
            if *keep.add(i) == 0 || places[at].is_none() {
                places[at] = Some((row.place + i as i64 * row.further) as u32);
                *values.add(at) = *candidates.add(i);
            }
        }
    }
}

impl Compute for SelectAndScatter {
    fn run(&self, module: &Module, operands: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
        let [operand, source, start] =
            <[Array; 3]>::try_from(operands).unwrap_or_else(|_| unreachable!("three operands"));
        let mut result = filled(self.result.clone(), &start, pool);
        let shape = source.shape.clone();
        let source = source.into_row_major(pool);
        if operand.count() > 0 && source.count() > 0 {
            let places = self.selected(module, &operand, &shape, pool);
            let mut runner = self.scatter.runner(module);
            let width = self.result.elem.bytes();
            let to = result.bytes_mut().as_mut_ptr();
            for (n, place) in places.into_iter().enumerate() {
                let Some(place) = place else { continue };
                // SAFETY: one element of the result and one of the source, which is in row-major order.
                unsafe { runner.combine_one(to.add(place as usize * width), source.place(n as i64)) };
            }
        }
        operand.recycle(pool);
        source.recycle(pool);
        vec![result.finish()]
    }
}
