//! `convolution`.

use super::wide::{Wide, with_wide};
use crate::interpret::EvalError;
use crate::ir::attr::ConvDims;
use crate::ir::{Elem, OpRef, TensorType, Type, names};
use crate::ops::check::{
    dimensions_unique_in_range, ensure, precision_config_has_two, tensor_operand, tensor_result,
};
use crate::ops::window::{Window, WindowDim, padding_per_dimension, positive_per_dimension, window_counts};
use crate::ops::{OpError, Work, bytes_moved};
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Offsets, Tensor, TensorBuilder};

// --- constraints ---

pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let Some(dims) = op.conv_dims() else { return Ok(()) };
    let rank = tensor_operand(op, 0)?.rank();
    verify_dims(op, dims)?;
    let padding = padding_per_dimension(op, rank - 2)?;
    verify_with_padding(op, dims, &padding)
}

/// Everything but the padding, which may be an operand.
pub(crate) fn verify_with_padding(
    op: OpRef<'_>,
    dims: &ConvDims,
    padding: &[(i64, i64)],
) -> Result<(), OpError> {
    let (lhs, rhs, result) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?, tensor_result(op, 0)?);
    if let Some(reversal) = op.opt_bools(names::WINDOW_REVERSAL) {
        let spatial = lhs.rank() - 2;
        ensure!(
            reversal.len() == spatial,
            "window_reversal has {} entries, but there are {spatial} spatial dimensions",
            reversal.len()
        );
    }
    verify_groups(op, lhs, rhs, dims)?;
    precision_config_has_two(op)?;
    ensure!(
        lhs.elem == rhs.elem,
        "the operands hold {} and {}, but they must hold the same",
        lhs.elem,
        rhs.elem
    );
    // JAX asks for wider sums with a wider result, as for dot products.
    ensure!(
        same_class(lhs.elem, result.elem),
        "the result holds {}, but the operands hold {}",
        result.elem,
        lhs.elem
    );
    window_counts(&window_dims(op, dims, padding)?)?;
    Ok(())
}

fn same_class(a: Elem, b: Elem) -> bool {
    a == b
        || (a.is_float() && b.is_float())
        || (a.is_int() && b.is_int())
        || (a.is_complex() && b.is_complex())
}

/// That the tensors have the dimensions the numbers name.
pub(crate) fn verify_dims(op: OpRef<'_>, dims: &ConvDims) -> Result<(), OpError> {
    let (lhs, rhs) = (tensor_operand(op, 0)?, tensor_operand(op, 1)?);
    let rank = lhs.rank();
    ensure!(rank >= 2, "lhs is `{lhs}`, but it needs a batch and a feature dimension");
    ensure!(rank == rhs.rank(), "lhs has {rank} dimensions, but rhs has {}", rhs.rank());
    let lists = [
        ("input", dims.input_batch, dims.input_feature, &dims.input_spatial),
        ("kernel", dims.kernel_input_feature, dims.kernel_output_feature, &dims.kernel_spatial),
        ("output", dims.output_batch, dims.output_feature, &dims.output_spatial),
    ];
    for (what, first, second, spatial) in lists {
        ensure!(
            spatial.len() == rank - 2,
            "there are {} spatial dimensions of the {what}, but tensors of {rank} dimensions have {}",
            spatial.len(),
            rank - 2
        );
        let mut all = vec![first, second];
        all.extend(spatial);
        dimensions_unique_in_range(&format!("the {what} dimension"), &all, rank)?;
    }
    Ok(())
}

fn verify_groups(op: OpRef<'_>, lhs: &TensorType, rhs: &TensorType, dims: &ConvDims) -> Result<(), OpError> {
    let (features, batches) = groups(op);
    for (what, count) in [("feature_group_count", features), ("batch_group_count", batches)] {
        ensure!(count > 0, "{what} is {count}, but it must be positive");
    }
    ensure!(
        features == 1 || batches == 1,
        "feature_group_count is {features} and batch_group_count is {batches}, but one of them must be 1"
    );
    let batch = lhs.shape[dims.input_batch as usize];
    let feature = lhs.shape[dims.input_feature as usize];
    let kernel_in = rhs.shape[dims.kernel_input_feature as usize];
    let kernel_out = rhs.shape[dims.kernel_output_feature as usize];
    let divisions = [
        ("the batch size", batch, "batch_group_count", batches),
        ("the number of input features", feature, "feature_group_count", features),
        ("the number of output features", kernel_out, "batch_group_count", batches),
        ("the number of output features", kernel_out, "feature_group_count", features),
    ];
    for (what, size, by, count) in divisions {
        ensure!(size % count == 0, "{what} {size} cannot be divided by {by} {count}");
    }
    ensure!(
        kernel_in == feature / features,
        "the kernel has {kernel_in} input features, but each of {features} groups of {feature} input features has {}",
        feature / features
    );
    Ok(())
}

/// `feature_group_count` and `batch_group_count`.
fn groups(op: OpRef<'_>) -> (i64, i64) {
    (op.int(names::FEATURE_GROUP_COUNT).unwrap_or(1), op.int(names::BATCH_GROUP_COUNT).unwrap_or(1))
}

fn window_dims(op: OpRef<'_>, dims: &ConvDims, padding: &[(i64, i64)]) -> Result<Vec<WindowDim>, OpError> {
    let (lhs, rhs) = (op.operand_tensor(0), op.operand_tensor(1));
    let spatial = dims.input_spatial.len();
    let window_strides = positive_per_dimension(op, names::WINDOW_STRIDES, spatial)?;
    let lhs_dilation = positive_per_dimension(op, names::LHS_DILATION, spatial)?;
    let rhs_dilation = positive_per_dimension(op, names::RHS_DILATION, spatial)?;
    let dim = |d: usize| WindowDim {
        size: lhs.shape[dims.input_spatial[d] as usize],
        window: rhs.shape[dims.kernel_spatial[d] as usize],
        stride: window_strides[d],
        padding: padding[d],
        base_dilation: lhs_dilation[d],
        window_dilation: rhs_dilation[d],
    };
    Ok((0..spatial).map(dim).collect())
}

// --- types ---

pub(super) fn infer(op: OpRef<'_>) -> Result<Vec<Type>, OpError> {
    let Some(dims) = op.conv_dims() else { return Err(OpError::new("it has no dimension numbers")) };
    let padding = padding_per_dimension(op, dims.input_spatial.len())?;
    Ok(vec![result_type(op, dims, &padding)?.into()])
}

/// The type of the result; its element type is free.
pub(crate) fn result_type(
    op: OpRef<'_>,
    dims: &ConvDims,
    padding: &[(i64, i64)],
) -> Result<TensorType, OpError> {
    let (lhs, rhs) = (op.operand_tensor(0), op.operand_tensor(1));
    let counts = window_counts(&window_dims(op, dims, padding)?)?;
    let mut ty = TensorType::new(op.result_tensor(0).elem, std::iter::repeat_n(0, lhs.rank()));
    ty.shape[dims.output_batch as usize] = lhs.shape[dims.input_batch as usize] / groups(op).1;
    ty.shape[dims.output_feature as usize] = rhs.shape[dims.kernel_output_feature as usize];
    for (d, count) in dims.output_spatial.iter().zip(counts) {
        ty.shape[*d as usize] = count;
    }
    ensure!(ty.checked_count().is_some(), "the result would have more elements than memory can hold");
    Ok(ty)
}

// --- evaluation ---

pub(super) fn eval(op: OpRef<'_>, operands: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    let Some(dims) = op.conv_dims() else { return Err(EvalError::new("no dimension numbers")) };
    let padding =
        padding_per_dimension(op, dims.input_spatial.len()).map_err(|e| EvalError::new(e.message))?;
    Ok(vec![convolve(op, dims, &padding, &operands[0], &operands[1])?])
}

/// The convolution of two tensors with the attributes of an op and a padding.
pub(crate) fn convolve(
    op: OpRef<'_>,
    dims: &ConvDims,
    padding: &[(i64, i64)],
    lhs: &Tensor,
    rhs: &Tensor,
) -> Result<Tensor, EvalError> {
    let window = window_dims(op, dims, padding).map_err(|e| EvalError::new(e.message))?;
    let (features, batches) = groups(op);
    let task = Convolution {
        dims,
        window,
        reversal: op.opt_bools(names::WINDOW_REVERSAL).unwrap_or(&[]),
        groups: features.max(batches) as usize,
        groups_of_batch: batches > 1,
        lhs,
        rhs,
        out: op.result_tensor(0),
    };
    let elems = [lhs.elem(), rhs.elem(), task.out.elem];
    Ok(with_wide!(&elems, convolve_wide(task)))
}

struct Convolution<'a> {
    dims: &'a ConvDims,
    window: Vec<WindowDim>,
    reversal: &'a [bool],
    groups: usize,
    /// Whether the groups divide the batch and not the input features.
    groups_of_batch: bool,
    lhs: &'a Tensor,
    rhs: &'a Tensor,
    out: &'a TensorType,
}

/// The elements of a tensor with its dimensions in another order.
fn gather<T: Wide>(from: &Tensor, order: impl IntoIterator<Item = i64>) -> Vec<T> {
    let strides = strides(from.shape());
    let dims = order.into_iter().map(|d| (from.shape()[d as usize], strides[d as usize]));
    Offsets::new(dims).map(|at| T::from_scalar(from.get(at))).collect()
}

/// Both operands are brought into the order `[batch, spatial…, feature]` and `[spatial…, input feature, output
/// feature]`, so that the innermost loop runs over neighbours.
fn convolve_wide<T: Wide>(task: Convolution<'_>) -> Tensor {
    let Convolution { dims, lhs, rhs, out, groups, .. } = task;
    if out.count() == 0 || rhs.is_empty() {
        // Nothing to compute, or sums over nothing.
        return Tensor::splat(out.clone(), T::default().to_scalar());
    }
    let size = |ty: &TensorType, d: i64| ty.shape[d as usize] as usize;
    let input_features = size(lhs.ty(), dims.input_feature);
    let depth = size(rhs.ty(), dims.kernel_input_feature);
    let output_features = size(rhs.ty(), dims.kernel_output_feature);
    let width = output_features / groups;
    let batch = size(out, dims.output_batch);
    let positions: usize = dims.input_spatial.iter().map(|d| size(lhs.ty(), *d)).product();

    let left: Vec<T> = gather(
        lhs,
        [dims.input_batch].into_iter().chain(dims.input_spatial.iter().copied()).chain([dims.input_feature]),
    );
    let right: Vec<T> = gather(
        rhs,
        dims.kernel_spatial.iter().copied().chain([dims.kernel_input_feature, dims.kernel_output_feature]),
    );
    let kernel_shape: Vec<i64> = task.window.iter().map(|w| w.window).collect();
    let input_shape: Vec<i64> = task.window.iter().map(|w| w.size).collect();
    let window_strides = strides(&kernel_shape).into_iter().zip(strides(&input_shape)).collect();
    // Reversing the window turns the kernel round.
    let kernel_offset = kernel_offsets(&kernel_shape, task.reversal);
    let spoils = spoiling(&right, &kernel_offset, depth * output_features);
    let mut window = Window::new(task.window, window_strides);

    let out_strides = strides(&out.shape);
    let spatial: Vec<i64> = dims.output_spatial.iter().map(|d| out.shape[*d as usize]).collect();
    let spatial_strides: Vec<i64> = dims.output_spatial.iter().map(|d| out_strides[*d as usize]).collect();
    let batch_stride = out_strides[dims.output_batch as usize] as usize;
    let feature_stride = out_strides[dims.output_feature as usize] as usize;

    let mut builder = TensorBuilder::new(out.clone());
    let mut sums = vec![T::default(); width];
    for_each_index(&spatial, |_, at| {
        let taps = window.taps(at);
        let outside: Vec<usize> =
            spoils.iter().copied().filter(|kernel| taps.iter().all(|(tap, _)| tap != kernel)).collect();
        let base: i64 = at.iter().zip(&spatial_strides).map(|(i, stride)| i * stride).sum();
        for b in 0..batch {
            for group in 0..groups {
                let (b_in, first) =
                    if task.groups_of_batch { (group * batch + b, 0) } else { (b, group * depth) };
                sums.fill(T::default());
                for (kernel, input) in taps {
                    let left = &left[(b_in * positions + input) * input_features + first..][..depth];
                    let right = &right[kernel_offset[*kernel] * depth * output_features..];
                    for (c, value) in left.iter().enumerate() {
                        let row = &right[c * output_features + group * width..][..width];
                        sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = *sum + *value * *weight);
                    }
                }
                for &kernel in &outside {
                    let right = &right[kernel_offset[kernel] * depth * output_features..];
                    for c in 0..depth {
                        let row = &right[c * output_features + group * width..][..width];
                        sums.iter_mut()
                            .zip(row)
                            .for_each(|(sum, weight)| *sum = *sum + T::default() * *weight);
                    }
                }
                let to = base as usize + b * batch_stride + group * width * feature_stride;
                for (n, sum) in sums.iter().enumerate() {
                    builder.set(to + n * feature_stride, sum.to_scalar());
                }
            }
        }
    });
    builder.finish()
}

/// The elements of the window whose weights are not zero times zero: infinite ones, and those that are no numbers. Padding and the
/// holes of a dilated operand are zeros like any other to the specification, so where such a weight meets them it shows.
/// (Engines differ: some of XLA's leave padding out.)
fn spoiling<T: Wide>(right: &[T], kernel_offset: &[usize], count: usize) -> Vec<usize> {
    let spoils = |weight: &T| T::default() * *weight != T::default();
    if !right.iter().any(spoils) {
        return Vec::new();
    }
    (0..kernel_offset.len())
        .filter(|&n| right[kernel_offset[n] * count..][..count].iter().any(spoils))
        .collect()
}

/// Where each element of the window stands in the kernel.
fn kernel_offsets(shape: &[i64], reversal: &[bool]) -> Vec<usize> {
    let strides = strides(shape);
    let mut offsets = Vec::new();
    for_each_index(shape, |_, index| {
        let at = index.iter().enumerate().map(|(d, &i)| {
            let reversed = reversal.get(d).copied().unwrap_or(false);
            (if reversed { shape[d] - 1 - i } else { i }) * strides[d]
        });
        offsets.push(at.sum::<i64>() as usize);
    });
    offsets
}

// --- work ---

/// A multiplication and an addition for each element of the kernel that an element of the result sums over.
pub(crate) fn work(op: OpRef<'_>) -> Work {
    let Some(dims) = op.conv_dims() else { return Work::default() };
    let (rhs, out) = (op.operand_tensor(1), op.result_tensor(0));
    let per_element = rhs.count() as f64 / (rhs.shape[dims.kernel_output_feature as usize].max(1) as f64);
    Work { flops: 2.0 * out.count() as f64 * per_element, bytes: bytes_moved(op) }
}
