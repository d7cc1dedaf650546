//! What a program is optimised for.

use super::overlap;
use crate::device::{Placement, Profile};
use crate::ir::{IdVec, OpId};
use crate::partition::{Partitioned, schedule};
use crate::simulate::{Lane, Simulation, simulate};

/// Devices, where on their network the mesh lies, and how much memory there is.
#[derive(Clone, Debug)]
pub struct Target {
    /// The devices.
    pub profile: Profile,
    /// Where the mesh lies.
    pub placement: Placement,
    /// The bytes that a program may hold.
    pub memory: u64,
}

impl Target {
    /// What a program costs.
    pub(super) fn simulate(&self, partitioned: &Partitioned) -> Simulation {
        simulate(&partitioned.program(), &self.profile, &self.placement)
    }

    /// Brings the operations of a program into the order that is best here.
    pub(super) fn order(&self, partitioned: &mut Partitioned) {
        schedule(partitioned);
        overlap::order(partitioned, self);
    }

    /// What a program costs in the order that is best here.
    fn simulate_ordered(&self, partitioned: &Partitioned) -> Simulation {
        let mut copy = partitioned.clone();
        self.order(&mut copy);
        self.simulate(&copy)
    }

    /// Says of other programs whether they are better than this one.
    pub(super) fn judge(&self, partitioned: &Partitioned) -> Judge<'_> {
        Judge { target: self, before: self.simulate_ordered(partitioned) }
    }

    /// Does something to a program that may make it faster, and undoes it where it does not, or takes more memory than there is.
    pub(super) fn keep_if_faster(
        &self,
        partitioned: &mut Partitioned,
        change: impl FnOnce(&mut Partitioned),
    ) {
        let old = partitioned.clone();
        change(partitioned);
        if partitioned.module.ops.len() != old.module.ops.len() && !self.judge(&old).prefers(partitioned) {
            *partitioned = old;
        }
    }

    /// Whether a program holds more than there is, and more than it did before.
    pub(super) fn is_too_much(&self, before: &Simulation, after: &Simulation) -> bool {
        after.peak_memory > self.memory.max(before.peak_memory)
    }
}

/// Compares programs with one of which the cost is known.
pub(super) struct Judge<'t> {
    target: &'t Target,
    before: Simulation,
}

impl Judge<'_> {
    /// Whether a program takes less time than the one known, and holds no more than there is, or than that did.
    pub(super) fn prefers(&self, partitioned: &Partitioned) -> bool {
        let after = self.target.simulate_ordered(partitioned);
        after.step_seconds < self.before.step_seconds && !self.target.is_too_much(&self.before, &after)
    }
}

/// How long each operation takes, those with regions as a whole.
pub(super) fn durations(partitioned: &Partitioned, simulation: &Simulation) -> IdVec<OpId, f64> {
    let mut seconds = IdVec::filled(0.0, partitioned.module.ops.len());
    for op in &simulation.ops {
        seconds[op.op] = op.seconds;
    }
    for event in simulation.events.iter().filter(|event| event.lane == Lane::Control) {
        seconds[event.op] = event.seconds;
    }
    seconds
}
