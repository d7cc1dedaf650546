//! Running a partitioned program on virtual devices, from global tensors to global tensors.

use super::{Partitioned, Positions, join, shard};
use crate::interpret::{RunError, RunOptions, Value, run_grid};
use crate::ir::{FuncId, Id, TensorType};
use crate::value::Tensor;

impl Partitioned {
    /// Cuts the arguments to shards, runs all devices of the mesh in lock step, and puts the results of these global types
    /// together again.
    pub fn run(
        &self,
        args: &[Tensor],
        results: &[TensorType],
        options: &mut RunOptions<'_>,
    ) -> Result<Vec<Tensor>, RunError> {
        let mesh = &self.mesh;
        let positions = Positions::new(mesh);
        let count = mesh.device_count();
        // Partitions are numbered by device; shards by position.
        let mut programs = vec![(FuncId::from_index(0), Vec::new()); count as usize];
        for position in 0..count {
            let shards = args.iter().zip(&self.arguments);
            programs[positions.device(position) as usize].1 =
                shards.map(|(arg, layout)| Value::Tensor(shard(mesh, layout, arg, position))).collect();
        }
        let mut devices = run_grid(&self.module, vec![programs], options)?.pop().unwrap_or_default();
        let mut joined = Vec::with_capacity(results.len());
        for (n, (ty, layout)) in results.iter().zip(&self.results).enumerate() {
            let take = |position| {
                let values = devices.get_mut(positions.device(position) as usize)?;
                match std::mem::replace(values.get_mut(n)?, Value::Token) {
                    Value::Tensor(tensor) => Some(tensor),
                    _ => None,
                }
            };
            let shards: Vec<Tensor> = (0..count).filter_map(take).collect();
            joined.push(join(mesh, layout, ty, &shards));
        }
        Ok(joined)
    }
}
