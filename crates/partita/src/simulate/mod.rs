//! What a per-device program costs on devices that are not at hand: a timeline of one device, which stands for all.
//!
//! Each op takes what the slower of computing and reading or writing memory takes (`roofline`), ops on elements joined with their
//! neighbours (`fuse`). Collectives take what the network says ([`crate::device::Placement::seconds`]), beside computing where
//! the profile says so (`timeline`). Loops are folded, and nothing grows with the number of devices.

mod exchange;
mod flops;
mod fuse;
mod roofline;
mod timeline;

pub use exchange::Exchanges;
pub use flops::model_flops;

use crate::device::{Placement, Profile, Traffic, place};
use crate::diagnostic::Diagnostic;
use crate::ir::{Module, OpId};
use crate::ledger::Memory;
use crate::partition::{Collective, Partitioned};
use crate::sharding::Mesh;
use rustc_hash::FxHashMap;

/// A per-device program, and the mesh it runs on.
#[derive(Clone, Copy)]
pub struct Program<'p> {
    /// The program; its first function is what every device runs.
    pub module: &'p Module,
    /// The mesh.
    pub mesh: &'p Mesh,
    /// Who talks to whom in its collectives. Those that are not named here say so by their attributes.
    pub collectives: &'p [Collective],
}

impl Partitioned {
    /// The program as the simulator takes it.
    pub fn program(&self) -> Program<'_> {
        Program { module: &self.module, mesh: &self.mesh, collectives: &self.collectives }
    }
}

/// What a program costs, in seconds and bytes of one device.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Simulation {
    /// From the start to the end.
    pub step_seconds: f64,
    /// How long the device computes.
    pub compute_seconds: f64,
    /// How long collectives take, all of them one after the other.
    pub communication_seconds: f64,
    /// How long the device waits for collectives.
    pub exposed_communication_seconds: f64,
    /// Operations of the matrix unit, on one device, those that are done again among them.
    pub flops: f64,
    /// The part of the peak of the matrix unit that these are.
    pub hardware_flops_utilization: f64,
    /// The most that it holds at any time.
    pub peak_memory: u64,
    /// What each op takes, in the order of the program.
    pub ops: Vec<OpTime>,
    /// What happens when, loops in their first round.
    pub events: Vec<Event>,
    /// Whether there is a loop of which the program does not say how often it runs: it counts once.
    pub unknown_trips: bool,
}

/// What an op takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OpTime {
    /// The op of the per-device program.
    pub op: OpId,
    /// How long it takes once.
    pub seconds: f64,
    /// How often it runs.
    pub times: f64,
    /// Whether it is a collective.
    pub is_collective: bool,
}

/// Something that takes a while.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    /// The op of the per-device program.
    pub op: OpId,
    /// When it starts.
    pub start: f64,
    /// How long it takes.
    pub seconds: f64,
    /// Where it happens.
    pub lane: Lane,
}

/// Where something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// On the device.
    Compute,
    /// On sides of the network, as bits.
    Network(u64),
    /// Around others: a loop or a branch.
    Control,
}

impl Simulation {
    /// The part of the peak of all devices that the operations of the program as it was written are.
    pub fn model_flops_utilization(&self, model_flops: f64, profile: &Profile, devices: i64) -> f64 {
        let devices = devices.max(1);
        let peak = profile.peak() * profile.part_of(devices) * devices as f64;
        if self.step_seconds > 0.0 { model_flops / (self.step_seconds * peak) } else { 0.0 }
    }
}

/// Simulates a program where its mesh lies on the network of a profile. Deterministic, and linear in the size of the program.
pub fn simulate(program: &Program<'_>, profile: &Profile, placement: &Placement) -> Simulation {
    let exchanges = Exchanges::new(program);
    let mut simulation = timeline::run(program, profile, placement, &exchanges);
    let devices = program.mesh.device_count();
    let memory = Memory::new(program.module);
    if let Some(rate) = profile.memory_fresh {
        let taken = memory.peak.saturating_sub(memory.arguments) as f64;
        let seconds = taken / (rate * profile.part_of(devices));
        simulation.compute_seconds += seconds;
        simulation.step_seconds += seconds;
    }
    let peak = profile.peak() * profile.part_of(devices);
    if simulation.step_seconds > 0.0 {
        simulation.hardware_flops_utilization = simulation.flops / (simulation.step_seconds * peak);
    }
    simulation.peak_memory = memory.peak;
    simulation
}

/// The best place for the mesh of a program on the network of a profile: that where its collectives take the least time.
/// `lengths` are those of the sides of the network, where the user says them.
pub fn placement(
    program: &Program<'_>,
    profile: &Profile,
    lengths: Option<&[i64]>,
) -> Result<Placement, Diagnostic> {
    place(program.mesh, profile, lengths, &traffic(program))
}

/// What the collectives of a program send, those that are alike summed.
pub fn traffic(program: &Program<'_>) -> Vec<Traffic> {
    let exchanges = Exchanges::new(program);
    let mut sums: Vec<Traffic> = Vec::new();
    let mut known: FxHashMap<_, usize> = FxHashMap::default();
    for (exchange, times) in exchanges.with_times(program.module) {
        let at = *known.entry((exchange.shape, exchange.atoms)).or_insert_with(|| {
            let nothing = crate::device::Exchange { bytes: 0, ..exchange.clone() };
            sums.push(Traffic { exchange: nothing, times: 1.0 });
            sums.len() - 1
        });
        let bytes = exchange.bytes as f64 * times;
        sums[at].exchange.bytes = sums[at].exchange.bytes.saturating_add(bytes as u64);
    }
    sums
}

#[cfg(test)]
mod tests;
