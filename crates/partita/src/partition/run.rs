//! Running a per-device program on virtual devices, from global tensors to global tensors.

use super::boundary::placed;
use super::{Layout, Positions, Signature, join};
use crate::interpret::{RunError, RunOptions, Value, estimate_memory};
use crate::ir::{FuncId, Id, Module, Shape};
use crate::sharding::Mesh;
use crate::value::Tensor;
use rustc_hash::FxHashMap;

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
        let mut programs = vec![(FuncId::from_index(0), Vec::new()); self.mesh.device_count() as usize];
        self.place(args, cut, |device, shard| {
            programs[device].1.push(Value::Tensor(shard));
            Ok::<(), RunError>(())
        })?;
        let engine = options.engine;
        let mut devices = engine(module, vec![programs], options)?.pop().unwrap_or_default();
        self.collect(|device, result| {
            let value = devices.get_mut(device).and_then(|values| values.get_mut(result));
            match value.map(|value| std::mem::replace(value, Value::Token)) {
                Some(Value::Tensor(tensor)) => Ok(tensor),
                _ => Err(RunError::refused(format!("device {device} gave no tensor for result {result}"))),
            }
        })
    }

    /// Cuts global arguments to shards, and hands each to the device that has it, the arguments of a device in their order.
    pub fn place<E>(
        &self,
        args: &[Tensor],
        cut: Cut,
        mut put: impl FnMut(usize, Tensor) -> Result<(), E>,
    ) -> Result<(), E> {
        let positions = Positions::new(&self.mesh);
        for (arg, to) in args.iter().zip(&self.arguments) {
            // Devices that have the same shard share it in memory.
            let mut shards: FxHashMap<Shape, Tensor> = FxHashMap::default();
            for position in 0..self.mesh.device_count() {
                // Shards are numbered by position; what runs, by device.
                let device = to.device(&positions, position) as usize;
                let (start, _) = placed(&self.mesh, &to.layout, arg.shape(), position);
                let shard = shards.entry(start).or_insert_with(|| cut(&self.mesh, &to.layout, arg, position));
                put(device, shard.clone())?;
            }
        }
        Ok(())
    }

    /// Puts the global results together from the shards that the devices have: `take` gives one, by device and number of the
    /// result.
    pub fn collect<E>(
        &self,
        mut take: impl FnMut(usize, usize) -> Result<Tensor, E>,
    ) -> Result<Vec<Tensor>, E> {
        let positions = Positions::new(&self.mesh);
        let mut joined = Vec::with_capacity(self.results.len());
        for (n, global) in self.results.iter().enumerate() {
            let shards =
                (0..self.mesh.device_count()).map(|p| take(global.device(&positions, p) as usize, n));
            let shards = shards.collect::<Result<Vec<Tensor>, E>>()?;
            let ty =
                shards.first().map_or_else(|| global.ty.clone(), |shard| global.ty.with_elem(shard.elem()));
            joined.push(join(&self.mesh, &global.layout, &ty, &shards));
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
