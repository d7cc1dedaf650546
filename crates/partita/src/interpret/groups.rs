//! Who communicates with whom: the process groups of the specification.

use super::{CollectiveOp, Device};
use crate::ir::{Attr, OpRef, names};
use crate::ops::collective::groups::{group_ids, rows};

/// The size of a grid of devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridSize {
    /// The outer size.
    pub replicas: usize,
    /// The inner size.
    pub partitions: usize,
}

impl GridSize {
    /// How many devices.
    pub fn count(self) -> usize {
        self.replicas * self.partitions
    }

    /// The number of a device.
    pub fn number(self, device: Device) -> usize {
        device.replica as usize * self.partitions + device.partition as usize
    }

    /// The device with a number.
    pub fn device(self, number: usize) -> Device {
        let (replica, partition) = (number / self.partitions.max(1), number % self.partitions.max(1));
        Device { replica: replica as u32, partition: partition as u32 }
    }
}

/// The groups that an operation splits the grid into.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The devices of each group in order, by number.
    groups: Vec<Vec<usize>>,
    /// The group of each device.
    group_of: Vec<Option<usize>>,
}

impl Groups {
    fn new(groups: Vec<Vec<usize>>, size: GridSize) -> Result<Groups, String> {
        let mut group_of = vec![None; size.count()];
        for (n, group) in groups.iter().enumerate() {
            for &device in group {
                if group_of[device].replace(n).is_some() {
                    return Err(format!("{} is in two groups", size.device(device)));
                }
            }
        }
        Ok(Groups { groups, group_of })
    }

    /// The group of a device.
    pub fn of(&self, device: usize) -> Option<&[usize]> {
        let group = self.group_of.get(device).copied().flatten()?;
        Some(&self.groups[group])
    }
}

/// The channel of an operation; zero where it has none.
pub fn channel(op: OpRef<'_>) -> i64 {
    match op.attr(names::CHANNEL_HANDLE) {
        Some(Attr::Channel(channel)) => channel.handle,
        _ => 0,
    }
}

/// How ids in groups are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strategy {
    CrossReplica,
    CrossPartition,
    CrossReplicaAndPartition,
    FlattenedIds,
}

fn strategy(op: OpRef<'_>, kind: CollectiveOp) -> Strategy {
    let has_channel = channel(op) > 0;
    match kind {
        CollectiveOp::AllGather | CollectiveOp::AllReduce | CollectiveOp::ReduceScatter => {
            match (has_channel, op.flag(names::USE_GLOBAL_DEVICE_IDS)) {
                (false, _) => Strategy::CrossReplica,
                (true, false) => Strategy::CrossReplicaAndPartition,
                (true, true) => Strategy::FlattenedIds,
            }
        }
        CollectiveOp::Reduce if has_channel && op.flag(names::USE_GLOBAL_DEVICE_IDS) => {
            Strategy::FlattenedIds
        }
        CollectiveOp::AllToAll | CollectiveOp::Broadcast | CollectiveOp::Permute | CollectiveOp::Reduce => {
            if has_channel {
                Strategy::CrossPartition
            } else {
                Strategy::CrossReplica
            }
        }
    }
}

/// The groups of a collective on a grid.
pub fn process_groups(op: OpRef<'_>, kind: CollectiveOp, size: GridSize) -> Result<Groups, String> {
    let strategy = strategy(op, kind);
    if kind == CollectiveOp::Permute {
        let pairs = expand(pair_list(op)?, strategy, size)?;
        return Groups::new(connected(&pairs, size.count()), size);
    }
    let ids = group_ids(op).map_err(|error| error.message)?;
    let ids = if ids.is_empty() { vec![(0..limit(strategy, size) as i64).collect()] } else { ids };
    Groups::new(expand(ids, strategy, size)?, size)
}

/// The groups of devices that a collective joins in a program of one replica with so many partitions, as numbers of partitions.
/// Devices that a permutation joins, over others or directly, are one group.
pub(crate) fn partition_groups(
    op: OpRef<'_>,
    kind: CollectiveOp,
    partitions: usize,
) -> Result<Vec<Vec<usize>>, String> {
    process_groups(op, kind, GridSize { replicas: 1, partitions }).map(|groups| groups.groups)
}

/// Who sends to whom in `collective_permute`, `send` and `recv`, by number of device.
pub(super) fn source_target_pairs(op: OpRef<'_>, size: GridSize) -> Result<Vec<(usize, usize)>, String> {
    let strategy = if channel(op) > 0 { Strategy::CrossPartition } else { Strategy::CrossReplica };
    let pairs = expand(pair_list(op)?, strategy, size)?;
    Ok(pairs.iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

fn pair_list(op: OpRef<'_>) -> Result<Vec<Vec<i64>>, String> {
    match op.attr(names::SOURCE_TARGET_PAIRS) {
        Some(Attr::Elements(tensor)) => Ok(rows(tensor)),
        _ => Err("it has no source-target pairs".into()),
    }
}

/// How many ids there are.
fn limit(strategy: Strategy, size: GridSize) -> usize {
    match strategy {
        Strategy::CrossReplica | Strategy::CrossReplicaAndPartition => size.replicas,
        Strategy::CrossPartition => size.partitions,
        Strategy::FlattenedIds => size.count(),
    }
}

/// Groups of devices from groups of ids.
fn expand(ids: Vec<Vec<i64>>, strategy: Strategy, size: GridSize) -> Result<Vec<Vec<usize>>, String> {
    let limit = limit(strategy, size);
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(ids.len());
    for row in &ids {
        for &id in row {
            if id < 0 || id as usize >= limit {
                let GridSize { replicas, partitions } = size;
                return Err(format!(
                    "{id} is not one of the {limit} ids of the {replicas}×{partitions} grid"
                ));
            }
        }
        let row = || row.iter().map(|&id| id as usize);
        match strategy {
            Strategy::CrossReplica => {
                groups.extend(
                    (0..size.partitions)
                        .map(|partition| row().map(|id| id * size.partitions + partition).collect()),
                );
            }
            Strategy::CrossPartition => {
                groups.extend(
                    (0..size.replicas)
                        .map(|replica| row().map(|id| replica * size.partitions + id).collect()),
                );
            }
            Strategy::CrossReplicaAndPartition => groups.push(
                (0..size.partitions)
                    .flat_map(|partition| row().map(move |id| id * size.partitions + partition))
                    .collect(),
            ),
            Strategy::FlattenedIds => groups.push(row().collect()),
        }
    }
    Ok(groups)
}

/// Devices that are joined by pairs, directly or not.
fn connected(pairs: &[Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    fn root(parent: &mut [usize], mut device: usize) -> usize {
        while parent[device] != device {
            parent[device] = parent[parent[device]];
            device = parent[device];
        }
        device
    }
    let mut parent: Vec<usize> = (0..count).collect();
    for pair in pairs {
        if let [a, b] = pair[..] {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for device in 0..count {
        let root = root(&mut parent, device);
        groups[root].push(device);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: GridSize = GridSize { replicas: 4, partitions: 2 };

    fn devices(groups: Vec<Vec<usize>>) -> Vec<Vec<(u32, u32)>> {
        let pair = |n| (SIZE.device(n).replica, SIZE.device(n).partition);
        groups.into_iter().map(|group| group.into_iter().map(pair).collect()).collect()
    }

    #[test]
    fn strategies_are_those_of_the_specification() {
        let ids = || vec![vec![0, 1], vec![2, 3]];
        assert_eq!(
            devices(expand(ids(), Strategy::CrossReplica, SIZE).unwrap()),
            [[(0, 0), (1, 0)], [(0, 1), (1, 1)], [(2, 0), (3, 0)], [(2, 1), (3, 1)]]
        );
        assert_eq!(
            devices(expand(vec![vec![0, 1]], Strategy::CrossPartition, SIZE).unwrap()),
            [[(0, 0), (0, 1)], [(1, 0), (1, 1)], [(2, 0), (2, 1)], [(3, 0), (3, 1)]]
        );
        assert_eq!(
            devices(expand(ids(), Strategy::CrossReplicaAndPartition, SIZE).unwrap()),
            [[(0, 0), (1, 0), (0, 1), (1, 1)], [(2, 0), (3, 0), (2, 1), (3, 1)]]
        );
        let flat = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        assert_eq!(
            devices(expand(flat, Strategy::FlattenedIds, SIZE).unwrap()),
            [[(0, 0), (0, 1), (1, 0), (1, 1)], [(2, 0), (2, 1), (3, 0), (3, 1)]]
        );
        assert!(expand(vec![vec![4]], Strategy::CrossReplica, SIZE).is_err());
    }

    #[test]
    fn chains_are_one_group() {
        assert_eq!(connected(&[vec![0, 1], vec![1, 3]], 5), [vec![0, 1, 3], vec![2], vec![4]]);
    }
}
