//! Regions written for one device of a mesh along some axes.
//!
//! On one device such a region stands for all devices of its mesh: each gets its shards of the operands, all run the region in
//! lock step, and what they return is put together. A device that is one of the mesh already, because the
//! region stands in another, takes its own shards and meets those that have the others at the end.

use super::env::{Env, Stop, fail};
use super::grid::{Grid, run_machines};
use super::groups::GridSize;
use super::machine::{Flow, Machine, Then};
use super::{RunError, Value};
use crate::ir::{FuncId, OpRef, TensorType};
use crate::partition::{DimLayout, Layout, Positions, join_shards, shard};
use crate::sharding::manual::{border, border_shardings, manual_atoms, manual_axes, region_mesh};
use crate::sharding::{AtomSet, Mesh, Sharding};
use std::collections::VecDeque;

/// How the values of a manual region lie along its manual axes.
pub(super) struct ManualRegion {
    mesh: Mesh,
    atoms: AtomSet,
    inputs: Vec<Option<Layout>>,
    /// The global types of the results that are tensors, too.
    results: Vec<Option<(Layout, TensorType)>>,
    /// The position of each device.
    positions: Vec<i64>,
}

impl ManualRegion {
    /// Reads the attributes of a region; nothing where it is local along no axis.
    pub(super) fn of(op: OpRef<'_>) -> Result<Option<ManualRegion>, String> {
        if manual_axes(op).is_empty() {
            return Ok(None);
        }
        let Some(mesh) = region_mesh(op)? else { return Ok(None) };
        let atoms = manual_atoms(&mesh, op);
        let module = op.module;
        let [entries, exits] = border_shardings(op, &mesh)?;
        let returned = op.region(0).ops.last().map_or(&[][..], |last| module.operands(*last));
        let layout = |sharding: &Sharding, outer, inner| -> Result<Option<Layout>, String> {
            let (Some(global), Some(local)) = (module.tensor_type(outer), module.tensor_type(inner)) else {
                return Ok(None);
            };
            let dims = border(&mesh, atoms, sharding, &global.shape, &local.shape)
                .map_err(|error| format!("`{}`: {}", module.value_name(outer), error.message))?;
            let dims = dims.into_iter().map(|d| DimLayout { atoms: d.manual, block: d.size }).collect();
            Ok(Some(Layout { dims, partial: None }))
        };
        let mut inputs = Vec::with_capacity(entries.len());
        for ((sharding, &outer), inner) in entries.iter().zip(op.operands()).zip(op.region(0).args.iter()) {
            inputs.push(layout(sharding, outer, inner)?);
        }
        let mut results = Vec::with_capacity(exits.len());
        for ((sharding, outer), &inner) in exits.iter().zip(op.results()).zip(returned) {
            results.push(layout(sharding, outer, inner)?.zip(module.tensor_type(outer).cloned()));
        }
        let mut positions = vec![0; mesh.device_count() as usize];
        for position in 0..mesh.device_count() {
            positions[Positions::new(&mesh).device(position) as usize] = position;
        }
        Ok(Some(ManualRegion { mesh, atoms, inputs, results, positions }))
    }

    /// How many devices its mesh has.
    pub(super) fn device_count(&self) -> usize {
        self.positions.len()
    }

    /// The shards of the operands that a device gets.
    fn cut(&self, args: &[Value], device: usize) -> Vec<Value> {
        let cut = |(arg, layout): (&Value, &Option<Layout>)| match (arg, layout) {
            (Value::Tensor(tensor), Some(layout)) => {
                Value::Tensor(shard(&self.mesh, layout, tensor, self.positions[device]))
            }
            _ => arg.clone(),
        };
        args.iter().zip(&self.inputs).map(cut).collect()
    }

    /// The devices that hold the other shards of what a device returns, itself among them.
    pub(super) fn group(&self, device: usize) -> Vec<usize> {
        let others: Vec<_> = self.mesh.all_atoms().minus(self.atoms).iter().collect();
        let place = |d: usize| Positions::new(&self.mesh).coordinate(self.positions[d], &others);
        let own = place(device);
        (0..self.device_count()).filter(|d| place(*d) == own).collect()
    }

    /// What the shards of all devices of a group make up.
    pub(super) fn join(&self, shards: &[(usize, Vec<Value>)]) -> Vec<Value> {
        let join = |(n, global): (usize, &Option<(Layout, TensorType)>)| {
            let values = shards.iter().filter_map(|(device, list)| Some((*device, list.get(n)?)));
            let Some((layout, ty)) = global else {
                return { values }.next().map_or(Value::Token, |(_, value)| value.clone());
            };
            let tensors = values.filter_map(|(device, v)| Some((self.positions[device], v.as_tensor()?)));
            Value::Tensor(join_shards(&self.mesh, layout, ty, tensors))
        };
        self.results.iter().enumerate().map(join).collect()
    }

    /// Runs the region on all devices of its mesh.
    fn run(
        &self,
        env: &mut Env<'_, '_, '_>,
        op: OpRef<'_>,
        func: FuncId,
        args: &[Value],
    ) -> Result<Vec<Value>, RunError> {
        let size = GridSize { replicas: 1, partitions: self.device_count() };
        let machine = |n| Machine::in_region(env, size.device(n), func, op.region_id(0), self.cut(args, n));
        let machines = (0..self.device_count()).map(machine).collect();
        let results = run_machines(env, &mut Grid::new(size, VecDeque::new()), machines)?;
        Ok(self.join(&results.into_iter().enumerate().collect::<Vec<_>>()))
    }
}

impl Machine {
    /// A manual region.
    pub(super) fn manual(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        grid: &Grid,
        op: OpRef<'_>,
    ) -> Result<Flow, Stop> {
        let args = self.operands(env, op)?;
        let Some(region) = ManualRegion::of(op)? else {
            return self.branch(env, op, 0, args, Then::Results(op.id));
        };
        let size = grid.size();
        if size.count() == 1 {
            let func = self.current_func()?;
            let run = |env: &mut Env<'_, '_, '_>| {
                region.run(env, op, func, &args).map_err(|error| Stop::Placed(Box::new(error)))
            };
            let results = env.nested(run)?;
            self.complete(env, op.id, results)?;
            return Ok(Flow::Next);
        }
        if size != (GridSize { replicas: 1, partitions: region.device_count() }) {
            let devices = region.device_count();
            return Err(fail(format!(
                "its mesh has {devices} devices, but the program runs on {}",
                size.count()
            )));
        }
        let shards = region.cut(&args, size.number(self.device));
        self.branch(env, op, 0, shards, Then::Assemble(op.id))
    }
}
