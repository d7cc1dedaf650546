//! Collectives that the program writes itself. They name devices, and stay as they are: each device brings its own value.

use super::Partitioner;
use super::pattern::Positions;
use crate::diagnostic::Diagnostic;
use crate::interpret::{CollectiveOp, DriverOp, partition_groups};
use crate::ir::attr::ChannelHandle;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::Eval;
use crate::ops::collective::groups::group_ids;
use crate::sharding::AtomSet;
use crate::value::{Scalar, Tensor};

impl<'m> Partitioner<'m> {
    /// The atoms along which a collective of the program joins devices. Shards along them are parts of different values to
    /// it, so it must not be split along them; along all others its groups exchange shards as they exchange the whole.
    pub(super) fn joined(&self, op: OpRef<'m>) -> AtomSet {
        let Some(kind) = collective(op) else { return AtomSet::EMPTY };
        let mesh = self.mesh;
        let Ok(groups) = partition_groups(op, kind, mesh.device_count() as usize) else {
            return mesh.all_atoms();
        };
        let positions = Positions::new(mesh);
        let mut position = vec![0; mesh.device_count() as usize];
        for place in 0..mesh.device_count() {
            position[positions.device(place) as usize] = place;
        }
        let mut joined = AtomSet::EMPTY;
        for atom in mesh.all_atoms().iter() {
            let (stride, size) = (positions.stride(atom), mesh.atom_size(atom));
            let coordinate = |device: &usize| position[*device] / stride % size;
            let differ = |group: &Vec<usize>| {
                group
                    .split_first()
                    .is_some_and(|(a, rest)| rest.iter().any(|b| coordinate(b) != coordinate(a)))
            };
            if groups.iter().any(differ) {
                joined.insert(atom);
            }
        }
        joined
    }

    /// Gives a collective of the program a channel of its own, and its groups as lists of devices.
    pub(super) fn keep_collective(&mut self, op: OpRef<'m>, new: &mut NewOp) -> Result<(), Diagnostic> {
        let Some(kind) = collective(op) else { return Ok(()) };
        let devices = self.mesh.device_count();
        if let Err(why) = partition_groups(op, kind, devices as usize) {
            let message =
                format!("the devices that `{}` names are not those of the mesh: {why}", op.def().name);
            return Err(Diagnostic::new("groups", op.op().span, message)
                .fix("give it a channel, and name the devices by their places in the mesh"));
        }
        if let Some(Attr::Channel(channel)) = new.attrs.get(names::CHANNEL_HANDLE)
            && channel.handle > 0
        {
            let kind = channel.kind;
            let handle = self.emit.new_channel();
            new.attrs.set(names::CHANNEL_HANDLE, Attr::Channel(Box::new(ChannelHandle { handle, kind })));
        }
        // The mesh is not declared in the per-device program.
        if let (Some(Attr::MeshAxes(_)), Ok(rows)) = (new.attrs.get(names::REPLICA_GROUPS), group_ids(op)) {
            let shape = [rows.len() as i64, rows.first().map_or(0, Vec::len) as i64];
            let ids: Vec<i64> = rows.into_iter().flatten().collect();
            let ty = TensorType::new(Elem::Int(64), shape);
            let groups = Tensor::from_fn(ty, |i| Scalar::Int(ids[i]));
            new.attrs.set(names::REPLICA_GROUPS, Attr::Elements(Box::new(groups)));
        }
        Ok(())
    }
}

fn collective(op: OpRef<'_>) -> Option<CollectiveOp> {
    match op.def().eval {
        Eval::Driver(DriverOp::Collective(kind)) => Some(kind),
        _ => None,
    }
}

/// The largest channel that something else than a collective uses: messages keep theirs.
pub(super) fn last_message_channel(input: &Module) -> i64 {
    let channel = |id: OpId| match input.ops[id].attrs.get(names::CHANNEL_HANDLE) {
        Some(Attr::Channel(channel)) if collective(input.op(id)).is_none() => channel.handle,
        _ => 0,
    };
    input.ops.ids().map(channel).max().unwrap_or(0)
}
