//! Figures of finished programs, by which completion compares shardings.

use super::estimate::Work;
use super::machine::Machine;
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::ir::{Module, OpId, RegionId};
use crate::ledger::{Ledger, Memory};
use crate::ops::{Spread, trip_count};
use crate::optimise::{Options, optimise};
use crate::partition::{Partitioned, PathCache, partition_with};
use crate::propagate::Propagated;

/// Bytes × memory must fall at least to this part of the incumbent's.
const GAIN: f64 = 0.99;

/// Memory may grow to this part of the incumbent's, and further the more bytes are saved: a program that sends a tenth may hold 1.7 times as much.
const MEMORY: f64 = 1.05;
const MEMORY_FOR_BYTES: f64 = 0.2;

/// Computing may grow to this part of the incumbent's, and further the more bytes are saved, up to a limit.
const COMPUTE: f64 = 1.02;
const COMPUTE_FOR_BYTES: f64 = 0.06;
const MOST_COMPUTE: f64 = 1.1;

/// A program that replicates more than the incumbent sends at most this part of its bytes, and counts as if it sent more than it does.
const REPLICATING: f64 = 0.5;
const REPLICATING_COUNTS: f64 = 1.25;

/// Figures of a finished per-device program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Bytes that a device sends in rings.
    pub ring_bytes: u64,
    /// Peak memory of a device.
    pub memory: u64,
    /// Seconds of computing by the cost model.
    pub compute: f64,
    /// Operations that are replicated, and values that are replicated on their way to a sharded layout.
    pub replicated: usize,
}

impl Measured {
    /// Returns whether a program may take the place of the incumbent on a machine: where neither holds more than the machine has, or it is not known how much that
    /// is, by bytes, memory and computing, else by what is missing.
    pub(super) fn improves(&self, incumbent: &Measured, machine: &Machine) -> bool {
        if self.missing(machine) != incumbent.missing(machine) {
            return self.missing(machine) < incumbent.missing(machine);
        }
        let part = |of: fn(&Measured) -> f64| of(self) / of(incumbent).max(f64::MIN_POSITIVE);
        let (bytes, memory) = (part(|m| m.ring_bytes as f64), part(|m| m.memory as f64));
        let compute = part(|m| m.compute);
        bytes <= 1.0
            && bytes * memory <= GAIN
            && (memory * bytes.powf(MEMORY_FOR_BYTES) <= MEMORY
                || machine.has_known_memory() && self.missing(machine) == 0)
            && compute <= MOST_COMPUTE
            && compute * bytes.powf(COMPUTE_FOR_BYTES) <= COMPUTE
            && (self.replicated <= incumbent.replicated || bytes <= REPLICATING)
    }

    /// Returns whether a program saves bytes, but holds or computes too much for that, or more than the machine has.
    pub(super) fn pays_too_much(&self, incumbent: &Measured, machine: &Machine) -> bool {
        self.missing(machine) > 0
            || (self.ring_bytes as f64) < GAIN * incumbent.ring_bytes as f64
                && !self.improves(incumbent, machine)
    }

    /// Bytes that the program holds and the machine does not have.
    pub(super) fn missing(&self, machine: &Machine) -> u64 {
        self.memory.saturating_sub(machine.memory)
    }

    /// The figure by which programs that improve on the incumbent are compared: bytes first, memory beside them.
    pub(super) fn score(&self, incumbent: &Measured) -> f64 {
        let replicating = if self.replicated > incumbent.replicated { REPLICATING_COUNTS } else { 1.0 };
        replicating * self.ring_bytes as f64 * (self.memory as f64).powf(0.25)
    }
}

/// A program that was partitioned to see what comes of its shardings.
pub(super) struct Finished {
    /// The per-device program before the passes.
    pub(super) partitioned: Partitioned,
    /// Its figures after the passes that run by default.
    pub(super) figures: Measured,
}

impl Finished {
    /// Partitions a program at the prices of a machine, with the reshards that are known already.
    pub(super) fn new(
        program: &Inlined,
        shardings: &Propagated,
        machine: &Machine,
        paths: &PathCache,
    ) -> Result<Finished, Diagnostic> {
        let partitioned = partition_with(program, shardings, paths)?;
        let mut optimised = partitioned.clone();
        let memory = machine.has_known_memory().then_some(machine.memory);
        optimise(&mut optimised, &Options::default().within(memory));
        let module = &optimised.module;
        let body = module.funcs.iter().next().and_then(|func| func.body);
        let ledger = Ledger::new(&optimised, program);
        let through_replication = ledger.entries.iter().filter(|entry| entry.replicates).count();
        let figures = Measured {
            ring_bytes: ledger.total().ring_bytes,
            replicated: optimised.replicated.len() + through_replication,
            memory: Memory::new(module).peak,
            compute: body.map_or(0.0, |body| compute(module, body, machine, &mut Vec::new())),
        };
        Ok(Finished { partitioned, figures })
    }
}

/// Seconds that a device computes at least, where all work is divided.
pub(super) fn least_compute(subject: &Subject<'_>, machine: &Machine) -> f64 {
    let module = &subject.whole.module;
    let body = module.funcs.iter().next().and_then(|func| func.body);
    let whole = body.map_or(0.0, |body| compute(module, body, machine, &mut Vec::new()));
    whole / subject.mesh.device_count() as f64
}

/// Seconds of computing in a region, with its loops as often as they run.
fn compute(module: &Module, region: RegionId, machine: &Machine, loops: &mut Vec<OpId>) -> f64 {
    let mut seconds = 0.0;
    for &id in &module.regions[region].ops {
        let op = module.op(id);
        match op.def().spread {
            Spread::Rule(..) => seconds += Work::of(op, machine).seconds(),
            Spread::Loop => {
                loops.push(id);
                let trips = trip_count(module, loops).unwrap_or(1) as f64;
                for &inner in op.regions() {
                    seconds += trips * compute(module, inner, machine, loops);
                }
                loops.pop();
            }
            _ => {
                for &inner in op.regions() {
                    seconds += compute(module, inner, machine, loops);
                }
            }
        }
    }
    seconds
}
