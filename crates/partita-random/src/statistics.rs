//! What the programs of a run were like.

use crate::check::{Failure, Passed, Sameness};
use partita::propagate::SlotId;
use std::collections::BTreeMap;

/// Counts over many programs.
#[derive(Default)]
pub struct Statistics {
    /// Programs.
    pub programs: u64,
    /// Operations of each kind, and how many of them ran whole on every device.
    pub ops: BTreeMap<&'static str, (u64, u64)>,
    /// Dimensions of values that are split, and how many of them unevenly.
    pub split: (u64, u64),
    /// Collectives of each kind in the partitioned programs.
    pub collectives: BTreeMap<&'static str, u64>,
    /// Seeds of the programs that were set aside: on their inputs infinities or NaN stand in a product or a combination.
    pub set_aside: BTreeMap<Sameness, Vec<u64>>,
    /// Seeds of the programs that failed, by kind of failure.
    pub failures: BTreeMap<String, Vec<u64>>,
}

impl Statistics {
    /// Counts a program that passed.
    pub fn passed(&mut self, seed: u64, passed: &Passed) {
        self.programs += 1;
        if passed.sameness != Sameness::Everywhere {
            self.set_aside.entry(passed.sameness).or_default().push(seed);
        }
        let module = &passed.program.module;
        for op in module.ops.ids() {
            self.ops.entry(module.op(op).def().name).or_default().0 += 1;
        }
        for (op, _) in &passed.partitioned.replicated {
            if let Some((_, whole)) = self.ops.get_mut(module.op(*op).def().name) {
                *whole += 1;
            }
        }
        let out = &passed.partitioned.module;
        for collective in &passed.partitioned.collectives {
            *self.collectives.entry(out.op(collective.op).def().name).or_default() += 1;
        }
        for value in module.values.ids() {
            let slot: Option<SlotId> = passed.shardings.graph.value_slot(value);
            let (Some(slot), Some(ty)) = (slot, module.tensor_type(value)) else { continue };
            let sharding = passed.shardings.sharding(slot);
            for (dim, size) in sharding.dims.iter().zip(&ty.shape) {
                let parts = passed.shardings.mesh.size_of(dim.atoms.iter().copied());
                self.split.0 += u64::from(parts > 1);
                self.split.1 += u64::from(parts > 1 && size % parts != 0);
            }
        }
    }

    /// Counts a program that failed.
    pub fn failed(&mut self, seed: u64, failure: &Failure) {
        self.programs += 1;
        self.failures.entry(failure.kind()).or_default().push(seed);
    }

    /// Adds what another thread counted.
    pub fn add(&mut self, other: Statistics) {
        self.programs += other.programs;
        for (name, (count, whole)) in other.ops {
            let entry = self.ops.entry(name).or_default();
            *entry = (entry.0 + count, entry.1 + whole);
        }
        self.split = (self.split.0 + other.split.0, self.split.1 + other.split.1);
        for (name, count) in other.collectives {
            *self.collectives.entry(name).or_default() += count;
        }
        for (sameness, mut seeds) in other.set_aside {
            let all = self.set_aside.entry(sameness).or_default();
            all.append(&mut seeds);
            all.sort_unstable();
        }
        for (kind, mut seeds) in other.failures {
            let all = self.failures.entry(kind).or_default();
            all.append(&mut seeds);
            all.sort_unstable();
        }
    }

    /// How many programs were set aside.
    pub fn set_aside_count(&self) -> u64 {
        self.set_aside.values().map(|seeds| seeds.len() as u64).sum()
    }

    /// How many programs failed.
    pub fn failed_count(&self) -> u64 {
        self.failures.values().map(|seeds| seeds.len() as u64).sum()
    }
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "operations (of these whole on every device though their results are split):")?;
        for (name, (count, whole)) in &self.ops {
            writeln!(f, "  {name:36} {count:>9} {whole:>9}")?;
        }
        writeln!(f, "collectives:")?;
        for (name, count) in &self.collectives {
            writeln!(f, "  {name:36} {count:>9}")?;
        }
        writeln!(f, "split dimensions: {}, uneven: {}", self.split.0, self.split.1)?;
        for (sameness, seeds) in &self.set_aside {
            let elsewhere = match sameness {
                Sameness::WhereFinite => "the same on inputs without",
                _ => "and so it is on all inputs tried",
            };
            let all: Vec<String> = seeds.iter().map(u64::to_string).collect();
            let (count, all) = (seeds.len(), all.join(", "));
            writeln!(
                f,
                "set aside {count}, with --seed {all}: infinities or NaN in a product or a combination, {elsewhere}"
            )?;
        }
        for (kind, seeds) in &self.failures {
            let first: Vec<String> = seeds.iter().take(5).map(u64::to_string).collect();
            writeln!(f, "FAILED {} times, with --seed {}: {kind}", seeds.len(), first.join(", "))?;
        }
        Ok(())
    }
}
