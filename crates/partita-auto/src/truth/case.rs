//! A program that plans are tried on.

use super::{Cost, first_of, sharding};
use partita::compiler::Device;
use partita::complete::Machine;
use partita::complete::Subject;
use partita::complete::{Cut, axes};
use partita::complete::{KindId, Space};
use partita::inline::Inlined;
use partita::ir::{Id, Span, ValueId};
use partita::ledger::{Ledger, device_bytes};
use partita::ops::Spread;
use partita::partition::Partitioned;
use partita::propagate::{Propagated, SlotId, complete};
use partita::sharding::Sharding;
use partita::simulate::simulate;
use partita::{Compiler, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program that plans are tried on.
#[derive(Clone, Copy)]
pub(super) struct Case<'a, 'p> {
    pub(super) subject: &'a Subject<'p>,
    pub(super) space: &'a Space,
    /// The kind of each slot.
    pub(super) kinds: &'a [Option<KindId>],
    pub(super) machine: &'a Machine,
}

/// What comes of a plan.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) cost: Cost,
    /// The lines of the program that send, with bytes in rings, the most first.
    pub(super) lines: Vec<(String, u64)>,
}

/// Values that propagation left otherwise than a plan has them.
#[derive(Default)]
pub(super) struct Astray {
    /// Bytes of all values.
    pub(super) total: f64,
    /// The values that lie otherwise by kind, with their bytes.
    pub(super) kinds: FxHashMap<KindId, (f64, Vec<ValueId>)>,
}

/// An argument or result by number, its slot, and how a plan has it.
pub(super) type Wanted = (usize, SlotId, Sharding);

impl Case<'_, '_> {
    /// How a plan has arguments and results.
    pub(super) fn wanted(&self, cuts: &[Cut]) -> (Vec<Wanted>, Vec<Wanted>) {
        let graph = &self.subject.graph;
        let wanted = |(n, slot): (usize, Option<SlotId>)| {
            let slot = slot.filter(|slot| graph.annotation(*slot).is_none())?;
            let cut = cuts[self.kinds[slot.index()]?.0 as usize];
            Some((n, slot, sharding(&self.subject.mesh, cut, graph.rank(slot))))
        };
        let arguments = self.subject.arguments.iter().map(|argument| graph.value_slot(*argument));
        let results = graph.result_slots().iter().copied();
        (arguments.enumerate().filter_map(wanted).collect(), results.enumerate().filter_map(wanted).collect())
    }

    /// The shardings of all tensors where arguments and results lie as a plan has them, and values on the way as constraints say.
    pub(super) fn completed(&self, cuts: &[Cut], constraints: &[(ValueId, Sharding)]) -> Propagated {
        let mut graph = self.subject.graph.clone();
        let (arguments, results) = self.wanted(cuts);
        for (_, slot, sharding) in arguments.iter().chain(&results) {
            graph.annotate(*slot, sharding);
        }
        for (value, sharding) in constraints {
            if let Some(slot) = self.subject.graph.value_slot(*value) {
                graph.annotate(slot, sharding);
            }
        }
        complete(graph, self.subject.mesh.clone())
    }

    /// Values that propagation left otherwise than a plan has them: where an axis is missing, or `exactly` where any dimension differs.
    pub(super) fn astray(&self, found: &Propagated, cuts: &[Cut], exactly: bool) -> Astray {
        let module = self.subject.module();
        let mut astray = Astray::default();
        for op in module.ops.ids().filter(|op| self.subject.executions[*op] > 0) {
            let op = module.op(op);
            if !matches!(op.def().spread, Spread::Rule(..)) {
                continue;
            }
            for value in op.results() {
                let Some(slot) = found.graph.value_slot(value) else { continue };
                let Some(kind) = self.kinds[slot.index()] else { continue };
                let bytes = device_bytes(module.type_of(value)) as f64;
                astray.total += bytes;
                let cut = cuts[kind.0 as usize];
                let first = |axis: usize| self.subject.mesh.axes()[axis].atoms().next();
                let splits = |axis: usize, dim: usize| {
                    first(axis).is_none_or(|atom| found.graph.dimension(slot, dim).0.contains(&atom))
                };
                let dims = 0..found.graph.rank(slot);
                let lies = match exactly {
                    true => (0..self.subject.mesh.axes().len())
                        .filter(|axis| first(*axis).is_some())
                        .all(|axis| cut.dim(axis) == dims.clone().find(|d| splits(axis, *d))),
                    false => axes(cut.all()).all(|axis| dims.clone().any(|d| splits(axis, d))),
                };
                if found.graph.annotation(slot).is_none() && !lies {
                    let entry = astray.kinds.entry(kind).or_default();
                    entry.0 += bytes;
                    entry.1.push(value);
                }
            }
        }
        astray
    }

    /// Values of some kinds that are astray, with the shardings that a plan has for them. What is said of a value is said of all copies of it, where its function is called several times: nothing is,
    /// where they should lie differently.
    pub(super) fn constraints(
        &self,
        mut astray: Astray,
        kinds: &[KindId],
        cuts: &[Cut],
    ) -> Vec<(ValueId, Sharding)> {
        let mut found = Vec::new();
        let mut done: FxHashSet<ValueId> = FxHashSet::default();
        for &kind in kinds {
            let Some((_, values)) = astray.kinds.remove(&kind) else { continue };
            let cut = cuts[kind.0 as usize];
            let sharding = sharding(&self.subject.mesh, cut, self.space.kind(kind).shape.len());
            let lies_so = |value: &ValueId| {
                let slot = self.subject.graph.value_slot(*value);
                let kind = slot.and_then(|slot| self.kinds[slot.index()]);
                kind.is_some_and(|kind| cuts[kind.0 as usize] == cut)
            };
            for value in values {
                let copies = self.subject.copies(value);
                if copies.iter().all(lies_so) {
                    let all = copies.iter().copied().chain([value]).filter(|value| done.insert(*value));
                    found.extend(all.map(|value| (value, sharding.clone())));
                }
            }
        }
        found
    }

    /// What comes of a plan on devices with so much memory: the program of one device after the passes that run by default.
    pub(super) fn measure(&self, found: &Propagated, memory: u64) -> Result<Outcome, Diagnostic> {
        measure(self.subject.program, found, None, self.machine, memory)
    }
}

/// Measures the program of one device on devices with so much memory, after the passes that run by default.
pub(super) fn measure(
    program: &Inlined,
    shardings: &Propagated,
    partitioned: Option<Partitioned>,
    machine: &Machine,
    memory: u64,
) -> Result<Outcome, Diagnostic> {
    let Some(profile) = &machine.profile else {
        return Err(Diagnostic::new("device", Span::default(), "plans are judged on a device: name one"));
    };
    let device = Device { profile: Some(profile.clone()), memory: Some(memory), ..Device::default() };
    let compiler = Compiler::new().device(device.clone()).prices(machine.prices);
    let partitioned = compiler.lower(program, shardings, partitioned).map_err(first_of)?;
    let ledger = Ledger::new(&partitioned, program);
    let total = ledger.total();
    let simulation =
        simulate(&partitioned.program(), profile, &device.placement(&partitioned.program(), profile)?);
    let cost = Cost {
        seconds: simulation.step_seconds,
        compute: simulation.compute_seconds,
        communication: simulation.communication_seconds,
        memory: simulation.peak_memory,
        ring_bytes: total.ring_bytes,
        collectives: total.count,
        executions: total.executions,
    };
    Ok(Outcome { cost, lines: lines(&ledger) })
}

/// The lines of a program that send something, the most first.
fn lines(ledger: &Ledger) -> Vec<(String, u64)> {
    let mut sums: FxHashMap<&str, u64> = FxHashMap::default();
    for entry in &ledger.entries {
        *sums.entry(entry.location.as_deref().unwrap_or("no line")).or_default() += entry.ring_bytes;
    }
    let sums = sums.into_iter().filter(|(_, bytes)| *bytes > 0);
    let mut lines: Vec<(String, u64)> = sums.map(|(line, bytes)| (line.to_string(), bytes)).collect();
    sort(&mut lines);
    lines
}

/// Sorts lines by what they send, the most first.
pub(super) fn sort(lines: &mut [(String, u64)]) {
    lines.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
}
