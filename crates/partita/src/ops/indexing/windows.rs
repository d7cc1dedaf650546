//! What gather and scatter share: windows of an operand at positions that a tensor of indices holds.

use crate::ir::attr::{GatherDims, ScatterDims};
use crate::ir::{Shape, TensorType};
use crate::ops::OpError;
use crate::ops::check::{dimension_in_range, dimensions_unique_in_range, ensure, same_length};
use crate::value::Tensor;
use crate::value::tensor::strides;

/// The dimension numbers of a gather or scatter. "Windowed" is the tensor that holds the windows: the result
/// of a gather, the updates of a scatter.
pub(crate) struct WindowDims<'a> {
    names: &'static Names,
    /// Dimensions of the windowed tensor that run inside a window.
    pub window: &'a [i64],
    /// Dimensions of the operand that windows do not have.
    pub collapsed: &'a [i64],
    /// Dimensions of the operand that go along with dimensions of the indices.
    pub operand_batching: &'a [i64],
    /// Those dimensions of the indices.
    pub indices_batching: &'a [i64],
    /// The operand's dimension that each component of an index is for.
    pub index_map: &'a [i64],
    /// The dimension of the indices that holds the components; one past the last where each is one number.
    pub index_vector_dim: i64,
}

/// What the fields are called in the text.
struct Names {
    operand: &'static str,
    indices: &'static str,
    windowed: &'static str,
    window: &'static str,
    collapsed: &'static str,
    operand_batching: &'static str,
    indices_batching: &'static str,
    index_map: &'static str,
}

static GATHER: Names = Names {
    operand: "the operand",
    indices: "`start_indices`",
    windowed: "the result",
    window: "`offset_dims`",
    collapsed: "`collapsed_slice_dims`",
    operand_batching: "`operand_batching_dims`",
    indices_batching: "`start_indices_batching_dims`",
    index_map: "`start_index_map`",
};

static SCATTER: Names = Names {
    operand: "the input",
    indices: "`scatter_indices`",
    windowed: "the update",
    window: "`update_window_dims`",
    collapsed: "`inserted_window_dims`",
    operand_batching: "`input_batching_dims`",
    indices_batching: "`scatter_indices_batching_dims`",
    index_map: "`scatter_dims_to_operand_dims`",
};

impl<'a> From<&'a GatherDims> for WindowDims<'a> {
    fn from(dims: &'a GatherDims) -> Self {
        WindowDims {
            names: &GATHER,
            window: &dims.offset_dims,
            collapsed: &dims.collapsed_slice_dims,
            operand_batching: &dims.operand_batching_dims,
            indices_batching: &dims.start_indices_batching_dims,
            index_map: &dims.start_index_map,
            index_vector_dim: dims.index_vector_dim,
        }
    }
}

impl<'a> From<&'a ScatterDims> for WindowDims<'a> {
    fn from(dims: &'a ScatterDims) -> Self {
        WindowDims {
            names: &SCATTER,
            window: &dims.update_window_dims,
            collapsed: &dims.inserted_window_dims,
            operand_batching: &dims.input_batching_dims,
            indices_batching: &dims.scatter_indices_batching_dims,
            index_map: &dims.scatter_dims_to_operand_dims,
            index_vector_dim: dims.index_vector_dim,
        }
    }
}

impl WindowDims<'_> {
    /// That the dimension numbers fit an operand and indices.
    pub fn verify(&self, operand: &TensorType, indices: &TensorType) -> Result<(), OpError> {
        let names = self.names;
        ensure!(indices.elem.is_int(), "{} must hold integers, but it holds {}", names.indices, indices.elem);
        let accounted = self.window.len() + self.collapsed.len() + self.operand_batching.len();
        ensure!(
            accounted == operand.rank(),
            "{} has {} dimensions, but {}, {} and {} account for {accounted}",
            names.operand,
            operand.rank(),
            names.window,
            names.collapsed,
            names.operand_batching
        );
        ensure!(
            (0..=indices.rank() as i64).contains(&self.index_vector_dim),
            "`index_vector_dim` is {}, but it must lie between 0 and {}, the number of dimensions of {}",
            self.index_vector_dim,
            indices.rank(),
            names.indices
        );
        let components = indices.shape.get(self.index_vector_dim as usize).copied().unwrap_or(1);
        ensure!(
            self.index_map.len() as i64 == components,
            "{} has {} entries, but an index in {} has {components} components",
            names.index_map,
            self.index_map.len(),
            names.indices
        );
        let windowed_rank = self.batch_sizes(&indices.shape).len() + self.window.len();
        dimensions_unique_in_range(names.window, self.window, windowed_rank)?;
        sorted(names.window, self.window)?;
        sorted(names.collapsed, self.collapsed)?;
        sorted(names.operand_batching, self.operand_batching)?;
        let both = |a: &[i64], b: &[i64]| -> Vec<i64> { a.iter().chain(b).copied().collect() };
        let what = format!("{} with {}", names.collapsed, names.operand_batching);
        dimensions_unique_in_range(&what, &both(self.collapsed, self.operand_batching), operand.rank())?;
        dimensions_unique_in_range(names.indices_batching, self.indices_batching, indices.rank())?;
        ensure!(
            !self.indices_batching.contains(&self.index_vector_dim),
            "{} names dimension {}, which is the `index_vector_dim`",
            names.indices_batching,
            self.index_vector_dim
        );
        same_length(
            names.operand_batching,
            self.operand_batching.len(),
            names.indices_batching,
            self.indices_batching.len(),
        )?;
        for (&d, &i) in self.operand_batching.iter().zip(self.indices_batching) {
            let (size, other) = (operand.shape[d as usize], indices.shape[i as usize]);
            ensure!(
                size == other,
                "dimension {d} of {} has size {size}, but it goes along with dimension {i} of {}, whose size is {other}",
                names.operand,
                names.indices
            );
        }
        let what = format!("{} with {}", names.index_map, names.operand_batching);
        dimensions_unique_in_range(&what, &both(self.index_map, self.operand_batching), operand.rank())
    }

    /// The sizes of the dimensions of indices that count windows.
    pub fn batch_sizes(&self, indices: &[i64]) -> Shape {
        let counts = |&(d, _): &(usize, &i64)| d as i64 != self.index_vector_dim;
        indices.iter().enumerate().filter(counts).map(|(_, &size)| size).collect()
    }

    /// The dimensions of the windowed tensor that count windows.
    pub fn batch_dims(&self, windowed_rank: usize) -> Vec<usize> {
        (0..windowed_rank).filter(|d| !self.window.contains(&(*d as i64))).collect()
    }

    /// The dimensions of the operand that windows have.
    pub fn window_operand_dims(&self, operand_rank: usize) -> Vec<usize> {
        let left_out = |d: i64| self.collapsed.contains(&d) || self.operand_batching.contains(&d);
        (0..operand_rank).filter(|d| !left_out(*d as i64)).collect()
    }

    /// The shape of the windowed tensor: the windows' sizes at their dimensions, the counts at the others.
    pub fn combine(&self, batch_sizes: &[i64], window_sizes: &[i64]) -> Shape {
        let (mut batch, mut window) = (batch_sizes.iter(), window_sizes.iter());
        (0..(batch_sizes.len() + window_sizes.len()) as i64)
            .filter_map(|d| if self.window.contains(&d) { window.next() } else { batch.next() })
            .copied()
            .collect()
    }

    /// That a windowed tensor counts its windows as the indices do.
    pub fn verify_windowed(&self, windowed: &TensorType, indices: &TensorType) -> Result<(), OpError> {
        let names = self.names;
        let batch_sizes = self.batch_sizes(&indices.shape);
        let expected = batch_sizes.len() + self.window.len();
        ensure!(
            windowed.rank() == expected,
            "{} has {} dimensions, but from {} and {} follow {expected}",
            names.windowed,
            windowed.rank(),
            names.indices,
            names.window
        );
        for (&d, &size) in self.batch_dims(windowed.rank()).iter().zip(&batch_sizes) {
            ensure!(
                windowed.shape[d] == size,
                "dimension {d} of {} has size {}, but from {} follows {size}",
                names.windowed,
                windowed.shape[d],
                names.indices
            );
        }
        Ok(())
    }
}

fn sorted(what: &str, list: &[i64]) -> Result<(), OpError> {
    ensure!(list.is_sorted(), "{what} must be in ascending order, but it is {list:?}");
    Ok(())
}

/// That a slice of the sizes given fits into the operand, and that windows have no room in left-out dimensions.
pub(crate) fn verify_slice_sizes(
    dims: &WindowDims<'_>,
    operand: &TensorType,
    sizes: &[i64],
) -> Result<(), OpError> {
    same_length("`slice_sizes`", sizes.len(), "the operand's shape", operand.rank())?;
    for (d, (&size, &all)) in sizes.iter().zip(&operand.shape).enumerate() {
        ensure!(
            (0..=all).contains(&size),
            "the slice size {size} of dimension {d} must lie between 0 and {all}, the operand's size"
        );
    }
    for (what, list) in
        [(dims.names.collapsed, dims.collapsed), (dims.names.operand_batching, dims.operand_batching)]
    {
        for &d in list {
            dimension_in_range(what, d, operand.rank())?;
            let size = sizes[d as usize];
            ensure!(
                size <= 1,
                "the slice size of dimension {d} is {size}; it must be at most 1, as {what} names it"
            );
        }
    }
    Ok(())
}

/// Reads where windows start.
pub(super) struct Starts<'a> {
    indices: &'a Tensor,
    dims: &'a WindowDims<'a>,
    /// The stride in the indices of each dimension that counts windows.
    batch_strides: Shape,
    component_stride: i64,
}

impl<'a> Starts<'a> {
    pub fn new(indices: &'a Tensor, dims: &'a WindowDims<'a>) -> Self {
        let mut batch_strides = strides(indices.shape());
        let vector = dims.index_vector_dim as usize;
        let component_stride = if vector < batch_strides.len() { batch_strides.remove(vector) } else { 0 };
        Starts { indices, dims, batch_strides, component_stride }
    }

    /// Sets the index in the operand where a window starts, given its place among the windows.
    pub fn read(&self, batch_index: &[i64], start: &mut [i64]) {
        start.fill(0);
        let first: i64 = batch_index.iter().zip(&self.batch_strides).map(|(i, s)| i * s).sum();
        for (k, &d) in self.dims.index_map.iter().enumerate() {
            let component = first + k as i64 * self.component_stride;
            start[d as usize] = self.indices.get(component as usize).as_index();
        }
        for (&d, &i) in self.dims.operand_batching.iter().zip(self.dims.indices_batching) {
            // Places among the windows leave the vector dimension of the indices out.
            let place = if i < self.dims.index_vector_dim { i } else { i - 1 };
            start[d as usize] = batch_index[place as usize];
        }
    }
}
