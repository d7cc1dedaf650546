//! Global tensors to shards and back, for running a partitioned program.

use super::layout::Layout;
use super::pattern::Positions;
use crate::ir::{Shape, TensorType};
use crate::sharding::Mesh;
use crate::value::tensor::{for_each_index, strides};
use crate::value::{Tensor, TensorBuilder};

/// Where the shard of a position starts, per dimension.
fn starts(mesh: &Mesh, layout: &Layout, shape: &[i64], position: i64) -> Shape {
    let positions = Positions::new(mesh);
    (0..shape.len())
        .map(|d| positions.coordinate(position, &layout.dims[d].atoms) * layout.dims[d].block)
        .collect()
}

/// The shard of a tensor at a position of the mesh; padding is zero.
pub fn shard(mesh: &Mesh, layout: &Layout, tensor: &Tensor, position: i64) -> Tensor {
    let local = layout.local(tensor.ty());
    let starts = starts(mesh, layout, tensor.shape(), position);
    let global = strides(tensor.shape());
    let mut builder = TensorBuilder::new(local.clone());
    for_each_index(&local.shape, |to, index| {
        let place: Shape = index.iter().zip(&starts).map(|(i, s)| i + s).collect();
        if place.iter().zip(tensor.shape()).all(|(p, n)| p < n) {
            let from: i64 = place.iter().zip(&global).map(|(p, s)| p * s).sum();
            builder.copy(to, tensor, from as usize);
        }
    });
    builder.finish()
}

/// The tensor that shards at all positions make up.
pub fn join(mesh: &Mesh, layout: &Layout, ty: &TensorType, shards: &[Tensor]) -> Tensor {
    let global = strides(&ty.shape);
    let mut builder = TensorBuilder::new(ty.clone());
    for (position, shard) in shards.iter().enumerate() {
        let starts = starts(mesh, layout, &ty.shape, position as i64);
        for_each_index(shard.shape(), |from, index| {
            let place: Shape = index.iter().zip(&starts).map(|(i, s)| i + s).collect();
            if place.iter().zip(&ty.shape).all(|(p, n)| p < n) {
                let to: i64 = place.iter().zip(&global).map(|(p, s)| p * s).sum();
                builder.copy(to as usize, shard, from);
            }
        });
    }
    builder.finish()
}
