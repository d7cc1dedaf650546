//! Optimisation: the same program for all devices, cheaper.
//!
//! One pass per file, each a function on the per-device program while its collectives still say in axes who talks to whom, so that
//! nothing here grows with the number of devices. [`PASSES`] lists them in the order they run; each can be left out. What chooses
//! shardings works before partitioning, on what propagation found ([`weight_update`]).

mod combine;
mod edit;
mod looped;
mod overlap;
mod prefetch;
mod sums;
mod target;
pub mod weight_update;

pub use target::Target;

use crate::partition::{Partitioned, schedule};

/// A pass over the per-device program.
pub struct Pass {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether it runs where nothing else is said. The others are worth it only on some devices: where sending takes place beside computing, or
    /// where to start a collective takes long.
    pub by_default: bool,
    run: fn(&mut Partitioned, Option<&Target>),
}

/// All passes, in the order they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "sums",
        about: "what is summed over devices and then added is added first, and summed over devices once",
        by_default: true,
        run: |partitioned, _| sums::run(partitioned),
    },
    Pass {
        name: "prefetch",
        about: "loops over layers gather the weights of each one round before they need them",
        by_default: false,
        run: |partitioned, _| prefetch::run(partitioned),
    },
    Pass {
        name: "looped-einsum",
        about: "products with a gathered operand or a scattered result are computed shard by shard, while the next one is sent",
        by_default: false,
        run: looped::run,
    },
    Pass {
        name: "schedule",
        about: "operations in an order that holds little in memory, and in which collectives run beside computing",
        by_default: true,
        run: |partitioned, target| match target {
            Some(target) => target.order(partitioned),
            None => schedule(partitioned),
        },
    },
    Pass {
        name: "combine",
        about: "small collectives that are ready at about the same time become one",
        by_default: false,
        run: combine::run,
    },
];

/// Which passes run, and for what.
#[derive(Clone, Debug)]
pub struct Options {
    runs: Vec<bool>,
    /// What the program runs on. Where it is known, passes that do not run by default are undone unless the simulated time falls.
    pub target: Option<Target>,
}

impl Default for Options {
    /// Those that run where nothing else is said.
    fn default() -> Self {
        Options { runs: PASSES.iter().map(|pass| pass.by_default).collect(), target: None }
    }
}

impl Options {
    /// No passes.
    pub fn none() -> Self {
        Options { runs: vec![false; PASSES.len()], target: None }
    }

    /// All passes.
    pub fn all() -> Self {
        Options { runs: vec![true; PASSES.len()], target: None }
    }

    /// The same with a pass or without it.
    pub fn set(mut self, pass: usize, runs: bool) -> Self {
        if let Some(slot) = self.runs.get_mut(pass) {
            *slot = runs;
        }
        self
    }

    /// The same without the passes after one.
    pub fn up_to(mut self, pass: usize) -> Self {
        self.runs.iter_mut().skip(pass + 1).for_each(|slot| *slot = false);
        self
    }
}

/// The number of the pass with a name.
pub fn pass_named(name: &str) -> Option<usize> {
    PASSES.iter().position(|pass| pass.name == name)
}

/// Runs passes over a per-device program whose groups of devices are not written out yet.
pub fn optimise(partitioned: &mut Partitioned, options: &Options) {
    for (pass, runs) in PASSES.iter().zip(&options.runs) {
        match &options.target {
            _ if !runs => {}
            Some(target) if !pass.by_default => {
                target.keep_if_faster(partitioned, |partitioned| (pass.run)(partitioned, Some(target)));
            }
            target => (pass.run)(partitioned, target.as_ref()),
        }
    }
}
