//! An order in which collectives run beside computing.
//!
//! A collective runs from the place where it stands to the first use of what it gives. The order is found from its end: after a use of a
//! collective is placed, whatever else can come before is placed, the last of the order there was first, until as much time has gone by as
//! the collective takes; then the collective is. So it starts as late as it can without being waited for, which keeps memory low, and
//! nothing else moves. Linear but for two heaps.

use super::edit::{for_each_operand, regions};
use super::target::{Target, durations};
use crate::device::Asynchronous;
use crate::ir::*;
use crate::partition::{Partitioned, effects};
use crate::simulate::Exchanges;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Regions of fewer operations stay as they are.
const SHORT: usize = 4;

/// Brings the operations of every region into such an order, where the program gets faster by it and fits memory.
pub(super) fn order(partitioned: &mut Partitioned, target: &Target) {
    if target.profile.asynchronous == Asynchronous::None {
        return;
    }
    let before = target.simulate(partitioned);
    if before.exposed_communication_seconds <= 0.0 {
        return;
    }
    let seconds = durations(partitioned, &before);
    let effects = effects(partitioned);
    let module = &partitioned.module;
    let exchanges = Exchanges::new(&partitioned.program());
    // How long a collective takes that runs beside computing, and where.
    let beside = |op: OpId| {
        let exchange = exchanges.get(op)?;
        let sides = target.placement.used_sides(exchange.atoms);
        target.profile.asynchronous.takes(exchange.shape).then_some((sides, ticks(seconds[op])))
    };
    let mut orders = Vec::new();
    for region in regions(module) {
        let ops = &module.regions[region].ops;
        if ops.len() >= SHORT && ops.iter().any(|op| beside(*op).is_some()) {
            let graph = Graph::new(module, ops, &effects);
            orders.push((region, graph.order(beside, |op| ticks(seconds[op]))));
        }
    }
    let mut old = Vec::new();
    for (region, order) in orders {
        let ops = std::mem::replace(&mut partitioned.module.regions[region].ops, order);
        old.push((region, ops));
    }
    let after = target.simulate(partitioned);
    if after.step_seconds >= before.step_seconds || target.is_too_much(&before, &after) {
        for (region, ops) in old {
            partitioned.module.regions[region].ops = ops;
        }
    }
}

/// Seconds as a whole number, so that orders are the same everywhere.
fn ticks(seconds: f64) -> u64 {
    (seconds * 1e12) as u64
}

/// The operations of a region by their places, and what each needs.
struct Graph<'m> {
    ops: &'m [OpId],
    needs: Vec<Vec<u32>>,
    /// How often each is needed.
    users: Vec<u32>,
}

impl<'m> Graph<'m> {
    fn new(module: &'m Module, ops: &'m [OpId], effects: &IdVec<OpId, bool>) -> Graph<'m> {
        let places: FxHashMap<OpId, u32> = ops.iter().enumerate().map(|(n, op)| (*op, n as u32)).collect();
        let mut users = vec![0; ops.len()];
        let mut needs = Vec::with_capacity(ops.len());
        let mut last_effect: Option<u32> = None;
        for (place, &op) in ops.iter().enumerate() {
            let mut list: Vec<u32> = Vec::new();
            for_each_operand(module, op, |v| {
                if let ValueDef::Result(def, _) = module.values[v].def {
                    list.extend(places.get(&def).filter(|n| **n as usize != place));
                }
            });
            // What does more than give results stays in its order.
            if effects[op] {
                list.extend(last_effect.replace(place as u32));
            }
            list.iter().for_each(|n| users[*n as usize] += 1);
            needs.push(list);
        }
        Graph { ops, needs, users }
    }

    /// The operations in their new order. `beside` gives the sides of the network and the time of a collective that runs beside computing.
    fn order(
        mut self,
        beside: impl Fn(OpId) -> Option<(u64, u64)>,
        takes: impl Fn(OpId) -> u64,
    ) -> Vec<OpId> {
        let mut order = Vec::with_capacity(self.ops.len());
        let mut ready: BinaryHeap<usize> = BinaryHeap::new();
        let mut waiting: BinaryHeap<Reverse<(u64, Reverse<usize>)>> = BinaryHeap::new();
        let (mut now, mut free) = (0u64, [0u64; 64]);
        let mut released: Vec<usize> = (0..self.ops.len()).filter(|n| self.users[*n] == 0).collect();
        loop {
            for place in released.drain(..) {
                match beside(self.ops[place]) {
                    Some((sides, time)) => {
                        let used = || (0..64).filter(|n| sides >> n & 1 == 1);
                        let end = used().map(|n| free[n]).fold(now, u64::max) + time;
                        used().for_each(|n| free[n] = end);
                        waiting.push(Reverse((end, Reverse(place))));
                    }
                    None => ready.push(place),
                }
            }
            let due = waiting.peek().is_some_and(|Reverse((end, _))| *end <= now) || ready.is_empty();
            let next = match if due { waiting.pop() } else { None } {
                Some(Reverse((end, Reverse(place)))) => {
                    now = now.max(end);
                    place
                }
                None => match ready.pop() {
                    Some(place) => {
                        now += takes(self.ops[place]);
                        place
                    }
                    None => break,
                },
            };
            order.push(self.ops[next]);
            for &need in &std::mem::take(&mut self.needs[next]) {
                let users = &mut self.users[need as usize];
                *users -= 1;
                if *users == 0 {
                    released.push(need as usize);
                }
            }
        }
        order.reverse();
        order
    }
}
