//! A partitioned program on all devices, as hard on it as the rules allow.

use partita::Module;
use partita::interpret::{RunError, RunOptions, Value, run_grid};
use partita::ir::{Elem, FuncId, Id, TensorType};
use partita::partition::{Layout, Partitioned, Positions, join, shard};
use partita::sharding::Mesh;
use partita::value::{Scalar, Tensor};

/// Runs a partitioned program, given as `module` (which may be over other element types than the original), from global tensors to
/// global tensors.
///
/// Shards that do not fit evenly are padded. Padding holds no promise about its contents, so here it holds something that is
/// neutral for nothing.
pub(crate) fn run(
    partitioned: &Partitioned,
    module: &Module,
    args: &[Tensor],
    results: &[TensorType],
    options: &mut RunOptions<'_>,
) -> Result<Vec<Tensor>, RunError> {
    let mesh = &partitioned.mesh;
    let positions = Positions::new(mesh);
    let count = mesh.device_count();
    // Partitions are numbered by device; shards by position.
    let mut programs = vec![(FuncId::from_index(0), Vec::new()); count as usize];
    for position in 0..count {
        let shards = args.iter().zip(&partitioned.arguments);
        programs[positions.device(position) as usize].1 =
            shards.map(|(arg, layout)| Value::Tensor(spoiled_shard(mesh, layout, arg, position))).collect();
    }
    let devices = run_grid(module, vec![programs], options)?.pop().unwrap_or_default();
    let joined = results.iter().zip(&partitioned.results).enumerate().map(|(n, (ty, layout))| {
        let shard_at = |position| {
            devices.get(positions.device(position) as usize)?.get(n).and_then(Value::as_tensor).cloned()
        };
        let shards: Vec<Tensor> = (0..count).filter_map(shard_at).collect();
        join(mesh, layout, ty, &shards)
    });
    Ok(joined.collect())
}

/// The shard of a tensor at a position, with spoiled padding.
fn spoiled_shard(mesh: &Mesh, layout: &Layout, tensor: &Tensor, position: i64) -> Tensor {
    let shard_of = |tensor: &Tensor| shard(mesh, layout, tensor, position);
    let plain = shard_of(tensor);
    // What is true everywhere is true in the shard where it is not padding.
    let inside = shard_of(&Tensor::splat(tensor.ty().with_elem(Elem::Bool), Scalar::Bool(true)));
    if inside.iter().all(|element| element == Scalar::Bool(true)) {
        return plain;
    }
    let elem = tensor.elem();
    Tensor::from_fn(plain.ty().clone(), |i| {
        if inside.get(i) == Scalar::Bool(true) {
            plain.get(i)
        } else {
            Scalar::from_i64(elem, 85 + i as i64 % 7)
        }
    })
}
