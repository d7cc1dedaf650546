//! Running a per-device program on virtual devices, from global tensors to global tensors.

use super::{Global, Partitioned, Positions, Signature, join, shard};
use crate::interpret::{Engine, RunError, RunOptions, Value, estimate_memory, run_grid};
use crate::ir::{FuncId, Id, Module, TensorType};
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
        let global = |(ty, layout): (TensorType, &super::Layout)| Global { ty, layout: layout.clone() };
        let types = args.iter().map(|arg| arg.ty().clone());
        let signature = Signature {
            mesh: self.mesh.clone(),
            arguments: types.zip(&self.arguments).map(global).collect(),
            results: results.iter().cloned().zip(&self.results).map(global).collect(),
        };
        signature.run(run_grid, &self.module, args, options)
    }
}

impl Signature {
    /// Cuts the arguments to shards, runs the first function of a module on all devices of an engine, and puts the results
    /// together again.
    pub fn run(
        &self,
        engine: Engine,
        module: &Module,
        args: &[Tensor],
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
                shards.map(|(arg, to)| Value::Tensor(shard(mesh, &to.layout, arg, position))).collect();
        }
        let mut devices = engine(module, vec![programs], options)?.pop().unwrap_or_default();
        let mut joined = Vec::with_capacity(self.results.len());
        for (n, global) in self.results.iter().enumerate() {
            let take = |position| {
                let values = devices.get_mut(positions.device(position) as usize)?;
                match std::mem::replace(values.get_mut(n)?, Value::Token) {
                    Value::Tensor(tensor) => Some(tensor),
                    _ => None,
                }
            };
            let shards: Vec<Tensor> = (0..count).filter_map(take).collect();
            joined.push(join(mesh, &global.layout, &global.ty, &shards));
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
