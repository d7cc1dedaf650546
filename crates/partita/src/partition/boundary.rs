//! Global tensors to shards and back, for running a partitioned program.

use super::layout::Layout;
use super::pattern::Positions;
use crate::ir::{Shape, TensorType};
use crate::sharding::Mesh;
use crate::value::strided::{Walk, copy_box};
use crate::value::tensor::for_each_index;
use crate::value::{Scalar, Tensor, TensorBuilder};

/// Where the shard of a position starts, per dimension, and how much of it is not padding.
pub(super) fn placed(mesh: &Mesh, layout: &Layout, shape: &[i64], position: i64) -> (Shape, Shape) {
    let positions = Positions::new(mesh);
    let start = |d: usize| positions.coordinate(position, &layout.dims[d].atoms) * layout.dims[d].block;
    let starts: Shape = (0..shape.len()).map(start).collect();
    let valid = |d: usize| (shape[d] - starts[d]).clamp(0, layout.dims[d].block);
    let valid = (0..shape.len()).map(valid).collect();
    (starts, valid)
}

/// The shard of a tensor at a position of the mesh; padding is zero.
pub fn shard(mesh: &Mesh, layout: &Layout, tensor: &Tensor, position: i64) -> Tensor {
    let local = layout.local(tensor.ty());
    if layout.is_replicated() && local == *tensor.ty() {
        return tensor.clone();
    }
    let (starts, valid) = placed(mesh, layout, tensor.shape(), position);
    let mut builder = TensorBuilder::new(local.clone());
    let from = Walk::offset(tensor.shape(), starts);
    copy_box(&valid, tensor, &from, &mut builder, &Walk::whole(&local.shape));
    builder.finish()
}

/// As [`shard`], but where the shard does not fit evenly its padding holds something that is neutral for nothing: a program may not
/// count on what it finds there.
pub fn spoiled_shard(mesh: &Mesh, layout: &Layout, tensor: &Tensor, position: i64) -> Tensor {
    let plain = shard(mesh, layout, tensor, position);
    let (_, valid) = placed(mesh, layout, tensor.shape(), position);
    if *plain.shape() == *valid {
        return plain;
    }
    let elem = tensor.elem();
    let mut builder = TensorBuilder::new(plain.ty().clone());
    for_each_index(plain.shape(), |at, index| {
        let is_inside = index.iter().zip(&valid).all(|(i, size)| i < size);
        builder.set(at, if is_inside { plain.get(at) } else { Scalar::from_i64(elem, 85 + at as i64 % 7) });
    });
    builder.finish()
}

/// The tensor that shards at all positions make up.
pub fn join(mesh: &Mesh, layout: &Layout, ty: &TensorType, shards: &[Tensor]) -> Tensor {
    if let Some(first) = shards.first()
        && layout.is_replicated()
        && first.ty() == ty
    {
        return first.clone();
    }
    join_shards(mesh, layout, ty, shards.iter().enumerate().map(|(position, shard)| (position as i64, shard)))
}

/// The tensor that shards at these positions make up: all its indices must be in one of them.
pub fn join_shards<'a>(
    mesh: &Mesh,
    layout: &Layout,
    ty: &TensorType,
    shards: impl Iterator<Item = (i64, &'a Tensor)>,
) -> Tensor {
    let mut builder = TensorBuilder::new(ty.clone());
    for (position, shard) in shards {
        let (starts, valid) = placed(mesh, layout, &ty.shape, position);
        let to = Walk::offset(&ty.shape, starts);
        copy_box(&valid, shard, &Walk::whole(shard.shape()), &mut builder, &to);
    }
    builder.finish()
}
