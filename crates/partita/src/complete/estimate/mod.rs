//! The quick judge: what a plan costs, from kinds of operations and how often each runs.
//!
//! Operations with the same rule on the same kinds of tensors are one entry, so that the time of an estimate does not grow with the depth of a
//! model. For each entry every axis splits the factor that costs least: bytes to bring operands there and results home, and the work
//! that is left for one device. What an entry costs is remembered by how its tensors are split: a plan that differs in one decision
//! is priced anew only where it differs.

mod bound;
mod by_axis;
mod contracted;
mod graph;
mod memory;
mod node;
mod reduce;

pub use bound::Relaxation;
pub use graph::{Solved, StrategyGraph};

use crate::complete::assignment::Assignment;
use crate::complete::cut::{Cut, Sizes};
use crate::complete::machine::Machine;
use crate::complete::space::{KindId, Role, Space};
use crate::complete::subject::Subject;
use crate::ir::Id;
use memory::Snapshots;
pub(in crate::complete) use node::Work;
use node::{Node, Price, Ways};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// What a plan costs, about.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Seconds that a device computes.
    pub compute: f64,
    /// Seconds that it sends.
    pub communication: f64,
    /// The most bytes it holds.
    pub memory: u64,
}

impl Estimate {
    /// Seconds in all; what does not fit into memory costs more the less it fits.
    pub fn cost(&self, limit: u64) -> f64 {
        let seconds = self.compute + self.communication;
        let over = self.memory.saturating_sub(limit) as f64 / limit.max(1) as f64;
        // Worse than any plan that fits: no plan is a hundred times slower than another that is worth looking at.
        if over > 0.0 { seconds * (100.0 + 100.0 * over) } else { seconds }
    }
}

/// The quick judge of a program.
pub struct Estimator<'s> {
    space: &'s Space,
    machine: Machine,
    sizes: Sizes,
    nodes: Vec<Node>,
    snapshots: Snapshots,
    /// Argument kinds with their number.
    arguments: Vec<(KindId, u64)>,
    /// For each kind whose state it is split as.
    stored_like: Vec<Option<Role>>,
    /// What entries cost by how their tensors are split.
    prices: FxHashMap<(u32, SmallVec<[Cut; 4]>), Price>,
}

impl<'s> Estimator<'s> {
    /// A judge for a program on a machine.
    pub fn new(subject: &Subject<'_>, space: &'s Space, machine: Machine) -> Estimator<'s> {
        let sizes = subject.mesh.axes().iter().map(|a| a.size).collect();
        let nodes = node::collect(subject, space, &machine);
        let mut arguments = FxHashMap::default();
        for (n, argument) in subject.arguments.iter().enumerate() {
            let kind = subject.graph.value_slot(*argument).and_then(|s| space.slot_kinds[s.index()]);
            if let Some(kind) = kind {
                *arguments.entry(kind).or_insert(0u64) += subject.argument_times(n);
            }
        }
        let mut arguments: Vec<(KindId, u64)> = arguments.into_iter().collect();
        arguments.sort_unstable();
        Estimator {
            space,
            machine,
            sizes,
            nodes,
            snapshots: Snapshots::new(subject, space),
            arguments,
            stored_like: stored_like(space),
            prices: FxHashMap::default(),
        }
    }

    /// How the tensors of each kind are split by a plan.
    pub fn cuts(&self, assignment: &Assignment) -> Vec<Cut> {
        let kinds = self.space.kinds.iter().zip(&self.stored_like);
        kinds.map(|(kind, stored)| assignment.cut(kind, *stored, &self.sizes)).collect()
    }

    /// What a plan costs.
    pub fn estimate(&mut self, assignment: &Assignment) -> Estimate {
        let cuts = self.cuts(assignment);
        self.estimate_cuts(&cuts)
    }

    /// What a plan costs that splits the kinds of tensors like this.
    pub fn estimate_cuts(&mut self, cuts: &[Cut]) -> Estimate {
        let ways = Ways { space: self.space, machine: &self.machine, sizes: &self.sizes };
        let mut sum = Price::default();
        for (n, node) in self.nodes.iter().enumerate() {
            let own: SmallVec<[Cut; 4]> =
                node.kinds().map(|k| k.map_or(Cut::default(), |k| cuts[k.0 as usize])).collect();
            let price =
                self.prices.entry((n as u32, own)).or_insert_with_key(|(_, own)| node.price(&ways, own));
            sum.compute += price.compute;
            sum.communication += price.communication;
        }
        let bytes =
            |kind: KindId| node::local_bytes(self.space.kind(kind), cuts[kind.0 as usize], &self.sizes);
        let held: u64 = self.arguments.iter().map(|(kind, n)| bytes(*kind).saturating_mul(*n)).sum();
        let memory = held.saturating_add(self.snapshots.most(&bytes));
        Estimate { compute: sum.compute, communication: sum.communication, memory }
    }

    /// The decision space.
    pub fn space(&self) -> &'s Space {
        self.space
    }

    /// What the machine can hold.
    pub fn memory_limit(&self) -> u64 {
        self.machine.memory
    }

    /// Sizes of the axes.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// Which kinds of operations there are.
    pub fn entries(&self) -> usize {
        self.nodes.len()
    }
}

/// What is made on the way from old state to new lies as the state does.
fn stored_like(space: &Space) -> Vec<Option<Role>> {
    let mut state: FxHashMap<_, ()> = FxHashMap::default();
    for kind in space.kinds.iter().filter(|k| k.role == Role::State) {
        state.insert((kind.shape.clone(), kind.classes.clone(), kind.bits), ());
    }
    let like = |kind: &crate::complete::space::TensorKind| match kind.role {
        Role::State | Role::Parameter => Some(kind.role),
        Role::Data => None,
        Role::Value => {
            let key = (kind.shape.clone(), kind.classes.clone(), kind.bits);
            state.contains_key(&key).then_some(Role::State)
        }
    };
    space.kinds.iter().map(like).collect()
}

/// Counts equal things, in the order in which they are first seen.
fn tally<K: Clone + Eq + Hash, V>(
    known: &mut FxHashMap<K, usize>,
    list: &mut Vec<V>,
    key: K,
    make: impl FnOnce() -> V,
) -> usize {
    *known.entry(key).or_insert_with(|| {
        list.push(make());
        list.len() - 1
    })
}
