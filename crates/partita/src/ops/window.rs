//! Windows that slide over tensors: for convolution, `reduce_window` and `select_and_scatter`.

use super::check::ensure;
use super::def::OpError;
use crate::ir::{Attr, Elem, OpRef, Shape, Sym, names};

/// How a window slides along one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WindowDim {
    /// Size of the tensor.
    pub size: i64,
    /// Size of the window.
    pub window: i64,
    /// Step from one window to the next.
    pub stride: i64,
    /// Padding before and behind; where it is negative, elements are cut off.
    pub padding: (i64, i64),
    /// Distance of neighbouring elements of the tensor.
    pub base_dilation: i64,
    /// Distance of neighbouring elements of the window.
    pub window_dilation: i64,
}

fn dilated(size: i64, dilation: i64) -> i128 {
    if size == 0 { 0 } else { (i128::from(size) - 1) * i128::from(dilation) + 1 }
}

impl WindowDim {
    /// How many windows fit; nothing where the number is too large.
    pub(crate) fn count(&self) -> Option<i64> {
        let (low, high) = self.padding;
        let padded = i128::from(low) + dilated(self.size, self.base_dilation) + i128::from(high);
        let window = dilated(self.window, self.window_dilation);
        if padded == 0 || window > padded {
            return Some(0);
        }
        i64::try_from((padded - window) / i128::from(self.stride) + 1).ok()
    }

    /// The elements of the window at a position that fall on elements of the tensor: pairs of the index in the
    /// window and the index in the tensor.
    fn taps(&self, position: i64, taps: &mut Vec<(i64, i64)>) {
        taps.clear();
        let (step, base) = (i128::from(self.window_dilation), i128::from(self.base_dilation));
        let start = i128::from(position) * i128::from(self.stride) - i128::from(self.padding.0);
        let (window, size) = (i128::from(self.window), i128::from(self.size));
        // Walk along whichever of the two is the coarser, so that huge dilations cost nothing.
        if step >= base {
            let first = if start < 0 { (-start + step - 1) / step } else { 0 };
            let end = dilated(self.size, self.base_dilation);
            for index in (first..window).take_while(|index| start + index * step < end) {
                let at = start + index * step;
                if base == 1 {
                    taps.push((index as i64, at as i64));
                } else if at % base == 0 {
                    taps.push((index as i64, (at / base) as i64));
                }
            }
        } else {
            let first = if start > 0 { (start + base - 1) / base } else { 0 };
            let end = start + dilated(self.window, self.window_dilation);
            for index in (first..size).take_while(|index| index * base < end) {
                let at = index * base - start;
                if at % step == 0 {
                    taps.push(((at / step) as i64, index as i64));
                }
            }
        }
    }
}

/// A window over all dimensions of a tensor, with buffers to walk over it.
pub(crate) struct Window {
    dims: Vec<WindowDim>,
    /// Strides of the window and of the tensor, in elements.
    strides: Vec<(i64, i64)>,
    along_one: Vec<(i64, i64)>,
    taps: Vec<(usize, usize)>,
    next: Vec<(usize, usize)>,
}

impl Window {
    /// A window with the strides of its elements and of the tensor's.
    pub(crate) fn new(dims: Vec<WindowDim>, strides: Vec<(i64, i64)>) -> Self {
        Window { dims, strides, along_one: Vec::new(), taps: Vec::new(), next: Vec::new() }
    }

    /// The elements of the window at a position that fall on elements of the tensor, in row-major order: pairs
    /// of the offset in the window and the offset in the tensor.
    pub(crate) fn taps(&mut self, position: &[i64]) -> &[(usize, usize)] {
        self.taps.clear();
        self.taps.push((0, 0));
        for ((dim, strides), at) in self.dims.iter().zip(&self.strides).zip(position) {
            dim.taps(*at, &mut self.along_one);
            self.next.clear();
            for (window, tensor) in &self.taps {
                self.next.extend(
                    self.along_one
                        .iter()
                        .map(|(w, t)| (window + (w * strides.0) as usize, tensor + (t * strides.1) as usize)),
                );
            }
            std::mem::swap(&mut self.taps, &mut self.next);
        }
        &self.taps
    }
}

/// The numbers of windows in all dimensions, or an error that there are too many.
pub(crate) fn window_counts(dims: &[WindowDim]) -> Result<Shape, OpError> {
    let count = |dim: &WindowDim| {
        dim.count().ok_or_else(|| OpError::new("the padded tensor has more windows than 64 bits can count"))
    };
    dims.iter().map(count).collect()
}

/// A list with a positive number for each dimension; ones where the attribute is absent.
pub(crate) fn positive_per_dimension(op: OpRef<'_>, name: Sym, rank: usize) -> Result<Vec<i64>, OpError> {
    let Some(list) = op.opt_ints(name) else { return Ok(vec![1; rank]) };
    let what = &op.module.strings[name];
    ensure!(list.len() == rank, "{what} has {} entries, but there are {rank} dimensions", list.len());
    for (d, value) in list.iter().enumerate() {
        ensure!(*value > 0, "{what}[{d}] is {value}, but it must be positive");
    }
    Ok(list.to_vec())
}

/// Padding before and behind each dimension; zeros where the attribute is absent.
pub(crate) fn padding_per_dimension(op: OpRef<'_>, rank: usize) -> Result<Vec<(i64, i64)>, OpError> {
    let Some(Attr::Elements(padding)) = op.attr(names::PADDING) else { return Ok(vec![(0, 0); rank]) };
    ensure!(padding.elem() == Elem::Int(64), "padding must hold i64, but it holds {}", padding.elem());
    ensure!(
        padding.shape() == [rank as i64, 2],
        "padding has the type {}, but a pair for each of {rank} dimensions is tensor<{rank}x2xi64>",
        padding.ty()
    );
    Ok((0..rank).map(|d| (padding.get(2 * d).as_i64(), padding.get(2 * d + 1).as_i64())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: WindowDim =
        WindowDim { size: 5, window: 3, stride: 1, padding: (0, 0), base_dilation: 1, window_dilation: 1 };

    fn taps(dim: WindowDim, position: i64) -> Vec<(i64, i64)> {
        let mut list = Vec::new();
        dim.taps(position, &mut list);
        list
    }

    #[test]
    fn windows_are_counted_as_the_specification_says() {
        assert_eq!(PLAIN.count(), Some(3));
        assert_eq!(WindowDim { stride: 2, ..PLAIN }.count(), Some(2));
        assert_eq!(WindowDim { padding: (1, 1), ..PLAIN }.count(), Some(5));
        assert_eq!(WindowDim { padding: (-1, -1), ..PLAIN }.count(), Some(1));
        assert_eq!(WindowDim { padding: (-4, -4), ..PLAIN }.count(), Some(0));
        assert_eq!(WindowDim { base_dilation: 2, ..PLAIN }.count(), Some(7));
        assert_eq!(WindowDim { window_dilation: 2, ..PLAIN }.count(), Some(1));
        assert_eq!(WindowDim { size: 0, ..PLAIN }.count(), Some(0));
        assert_eq!(WindowDim { padding: (i64::MAX, i64::MAX), ..PLAIN }.count(), None);
    }

    #[test]
    fn padding_and_holes_have_no_elements() {
        assert_eq!(taps(PLAIN, 1), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(taps(WindowDim { padding: (2, 0), ..PLAIN }, 0), [(2, 0)]);
        assert_eq!(taps(WindowDim { padding: (-2, 0), ..PLAIN }, 0), [(0, 2), (1, 3), (2, 4)]);
        assert_eq!(taps(WindowDim { padding: (0, 2), ..PLAIN }, 4), [(0, 4)]);
        assert_eq!(taps(WindowDim { base_dilation: 2, ..PLAIN }, 1), [(1, 1)]);
        assert_eq!(taps(WindowDim { window_dilation: 2, ..PLAIN }, 0), [(0, 0), (1, 2), (2, 4)]);
        assert_eq!(taps(WindowDim { size: 0, padding: (3, 3), ..PLAIN }, 0), []);
    }

    #[test]
    fn every_combination_of_dilations_agrees_with_the_definition() {
        for (base_dilation, window_dilation, low) in
            (1..4).flat_map(|b| (1..4).flat_map(move |w| (-3..4).map(move |low| (b, w, low))))
        {
            let dim = WindowDim { base_dilation, window_dilation, padding: (low, 2), stride: 2, ..PLAIN };
            for position in 0..dim.count().unwrap() {
                let expected: Vec<(i64, i64)> = (0..dim.window)
                    .map(|k| (k, position * 2 - low + k * window_dilation))
                    .filter(|(_, at)| *at >= 0 && at % base_dilation == 0 && at / base_dilation < dim.size)
                    .map(|(k, at)| (k, at / base_dilation))
                    .collect();
                assert_eq!(taps(dim, position), expected, "{dim:?} at {position}");
            }
        }
        let huge = 1 << 60;
        let dim = WindowDim { base_dilation: huge, window: 2 * huge, padding: (1, 0), ..PLAIN };
        assert_eq!(taps(dim, 0), [(1, 0), (huge + 1, 1)]);
    }

    #[test]
    fn dimensions_combine_in_row_major_order() {
        let mut window = Window::new(vec![PLAIN, WindowDim { window: 2, ..PLAIN }], vec![(2, 5), (1, 1)]);
        assert_eq!(window.taps(&[1, 2]), [(0, 7), (1, 8), (2, 12), (3, 13), (4, 17), (5, 18)]);
    }
}
