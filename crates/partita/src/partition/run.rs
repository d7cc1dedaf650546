//! Running a per-device program on virtual devices, from global tensors to global tensors.

use super::{Layout, Positions, Signature, join};
use crate::interpret::{RunError, RunOptions, Value, estimate_memory};
use crate::ir::{FuncId, Id, Module};
use crate::sharding::Mesh;
use crate::value::Tensor;

/// What cuts the shard at a position of the mesh out of a global tensor: [`shard`](super::shard), or
/// [`spoiled_shard`](super::spoiled_shard) to be hard on the program.
pub type Cut = fn(&Mesh, &Layout, &Tensor, i64) -> Tensor;

impl Signature {
    /// Cuts the arguments to shards, runs the first function of a module on all devices of the engine, and puts the results
    /// together again. The module may be over other element types than the global tensors were.
    pub fn run(
        &self,
        module: &Module,
        args: &[Tensor],
        cut: Cut,
        options: &mut RunOptions<'_>,
    ) -> Result<Vec<Tensor>, RunError> {
        let mesh = &self.mesh;
        let positions = Positions::new(mesh);
        let count = mesh.device_count();
        // Partitions are numbered by device; shards by position.
        let mut programs = vec![(FuncId::from_index(0), Vec::new()); count as usize];
        for (arg, to) in args.iter().zip(&self.arguments) {
            for position in 0..count {
                let shard = Value::Tensor(cut(mesh, &to.layout, arg, position));
                programs[to.device(&positions, position) as usize].1.push(shard);
            }
        }
        let engine = options.engine;
        let mut devices = engine(module, vec![programs], options)?.pop().unwrap_or_default();
        let mut joined = Vec::with_capacity(self.results.len());
        for (n, global) in self.results.iter().enumerate() {
            let take = |position| {
                let values = devices.get_mut(global.device(&positions, position) as usize)?;
                match std::mem::replace(values.get_mut(n)?, Value::Token) {
                    Value::Tensor(tensor) => Some(tensor),
                    _ => None,
                }
            };
            let shards: Vec<Tensor> = (0..count).filter_map(take).collect();
            let ty =
                shards.first().map_or_else(|| global.ty.clone(), |shard| global.ty.with_elem(shard.elem()));
            joined.push(join(mesh, &global.layout, &ty, &shards));
        }
        Ok(joined)
    }

    /// Bytes that such a run needs: what every device holds, and the global arguments and results beside it.
    pub fn estimate_memory(&self, module: &Module) -> u64 {
        let device = estimate_memory(module, FuncId::from_index(0));
        let devices = device.saturating_mul(self.mesh.device_count() as u64);
        let globals = self.arguments.iter().chain(&self.results).map(|g| g.ty.bytes() as u64);
        globals.fold(devices, u64::saturating_add)
    }
}
