//! Which operations become one loop.
//!
//! First, from the end of a block to its start: an elementwise operation that only one loop reads joins that loop. Nothing outside of
//! the loop sees its value, so no order is disturbed. Then, from the start to the end: a loop joins an earlier one over the same shape
//! that it reads from, or that reads the same memory. That is allowed where everything else it reads is there before the earlier one
//! runs, which levels tell: every step has a higher level than all that it reads.

use super::ops::{Class, Ops};
use partita::ir::{OpId, Shape, ValueId};
use rustc_hash::FxHashMap;

/// A loop has at most so many operations.
const MAX_OPS: usize = 200;

/// Reading the same memory is a reason to join loops of at least so many elements.
const WORTH_SHARING: i64 = 1024;

/// What becomes one step: operations in program order. Those that are no loop stand alone.
pub(super) struct Group {
    pub(super) ops: Vec<OpId>,
    pub(super) is_loop: bool,
    shape: Shape,
    level: u32,
}

/// How many elements a loop goes over, or more than any.
fn elements(shape: &[i64]) -> i64 {
    shape.iter().fold(1, |count: i64, size| count.saturating_mul(*size))
}

/// The groups of a block, each after all that it reads as far as its first operation tells.
pub(super) fn groups(ops: &Ops<'_>) -> Vec<Group> {
    let joined = join_consumers(ops);
    merge(ops, joined)
}

/// First pass: operations by the loop they are in, which is named by its last operation.
fn join_consumers(ops: &Ops<'_>) -> Vec<Group> {
    // For each operation in the block the place of the last one of its group.
    let mut root: Vec<usize> = (0..ops.list.len()).collect();
    let mut sizes: Vec<usize> = vec![1; ops.list.len()];
    for n in (0..ops.list.len()).rev() {
        let Class::Elementwise = ops.class[n] else { continue };
        let Some(users) = ops.inside_users(n) else { continue };
        let mut target = None;
        let together = users.iter().all(|user| {
            let fits = ops.reads_as_element(*user, n) && ops.shape(*user) == ops.shape(n);
            let group = root[*user];
            fits && *target.get_or_insert(group) == group
        });
        if let (true, Some(group)) = (together, target)
            && sizes[group] < MAX_OPS
        {
            root[n] = group;
            sizes[group] += 1;
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    for (n, root) in root.into_iter().enumerate() {
        let is_loop = !matches!(ops.class[n], Class::Other);
        let group = *place.entry(root).or_insert_with(|| {
            let shape = if is_loop { ops.shape(n).clone() } else { Shape::new() };
            groups.push(Group { ops: Vec::new(), is_loop, shape, level: 0 });
            groups.len() - 1
        });
        groups[group].ops.push(ops.list[n]);
    }
    // By the last operation: then each comes after all that it reads.
    groups.sort_by_key(|group| group.ops.last().map(|op| ops.place[op]));
    groups
}

/// Second pass: joins loops with earlier ones.
fn merge(ops: &Ops<'_>, groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::with_capacity(groups.len());
    let mut maker: FxHashMap<ValueId, usize> = FxHashMap::default();
    // The last loop that reads a value, element by element.
    let mut reader: FxHashMap<ValueId, usize> = FxHashMap::default();
    for mut group in groups {
        let reads = ops.outside_reads(&group.ops);
        let level_of = |value: &ValueId| maker.get(value).map_or(0, |n| merged[*n].level);
        group.level = 1 + reads.iter().map(level_of).max().unwrap_or(0);
        let mut target = None;
        if group.is_loop {
            let count = elements(&group.shape);
            let makers = reads.iter().filter_map(|v| maker.get(v));
            let readers = reads.iter().filter(|_| count >= WORTH_SHARING).filter_map(|v| reader.get(v));
            target = makers.chain(readers).copied().find(|&n| {
                let earlier = &merged[n];
                let allowed = |value: &ValueId| match maker.get(value) {
                    Some(&from) if from == n => ops.is_elementwise(*value),
                    _ => level_of(value) < earlier.level,
                };
                earlier.is_loop
                    && earlier.shape == group.shape
                    && earlier.ops.len() + group.ops.len() <= MAX_OPS
                    && reads.iter().all(allowed)
            });
        }
        let place = match target {
            Some(n) => {
                merged[n].ops.extend(&group.ops);
                n
            }
            None => {
                merged.push(group);
                merged.len() - 1
            }
        };
        let group = &merged[place];
        for op in &group.ops {
            ops.results(*op).for_each(|value| {
                maker.insert(value, place);
            });
        }
        if group.is_loop && elements(&group.shape) >= WORTH_SHARING {
            reads.into_iter().filter(|v| ops.has_shape(*v, &group.shape)).for_each(|value| {
                reader.insert(value, place);
            });
        }
    }
    for group in &mut merged {
        group.ops.sort_by_key(|op| ops.place[op]);
        group.ops.dedup();
    }
    in_order(ops, merged)
}

/// The groups in an order in which each comes after all that it reads, near the order of the program.
fn in_order(ops: &Ops<'_>, groups: Vec<Group>) -> Vec<Group> {
    use std::cmp::Reverse;
    let mut maker: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (n, group) in groups.iter().enumerate() {
        for op in &group.ops {
            ops.results(*op).for_each(|value| {
                maker.insert(value, n);
            });
        }
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    let mut missing: Vec<usize> = vec![0; groups.len()];
    for (n, group) in groups.iter().enumerate() {
        let mut from: Vec<usize> =
            ops.outside_reads(&group.ops).iter().filter_map(|v| maker.get(v)).copied().collect();
        from.sort_unstable();
        from.dedup();
        missing[n] = from.len();
        from.into_iter().for_each(|m| users[m].push(n));
    }
    let key = |n: usize| (groups[n].ops.last().map_or(0, |op| ops.place[op]), n);
    let mut ready: std::collections::BinaryHeap<Reverse<(usize, usize)>> =
        (0..groups.len()).filter(|n| missing[*n] == 0).map(|n| Reverse(key(n))).collect();
    let mut order = Vec::with_capacity(groups.len());
    while let Some(Reverse((_, n))) = ready.pop() {
        order.push(n);
        for &user in &users[n] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(Reverse(key(user)));
            }
        }
    }
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    order.into_iter().filter_map(|n| groups[n].take()).collect()
}
