//! Optimisation: the same program for all devices, cheaper.
//!
//! One pass per file, each a function on the per-device program while its collectives still say in axes who talks to whom, so that
//! nothing here grows with the number of devices. [`PASSES`] lists them in the order they run; each can be left out. What chooses
//! shardings works before partitioning, on what propagation found ([`weight_update`]).

mod combine;
mod edit;
mod looped;
mod prefetch;
mod sums;
pub mod weight_update;

use crate::partition::{Partitioned, schedule};

/// A pass over the per-device program.
pub struct Pass {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether it runs where nothing else is said. The others are worth it only where sending takes place beside computing.
    pub by_default: bool,
    run: fn(&mut Partitioned),
}

/// All passes, in the order they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "sums",
        about: "what is summed over devices and then added is added first, and summed over devices once",
        by_default: true,
        run: sums::run,
    },
    Pass {
        name: "prefetch",
        about: "loops over layers gather the weights of each one round before they need them",
        by_default: false,
        run: prefetch::run,
    },
    Pass {
        name: "looped-einsum",
        about: "products with a gathered operand or a scattered result are computed shard by shard, while the next one is sent",
        by_default: false,
        run: |partitioned| looped::run(partitioned, &looped::Choice { two_way: true, better: &|_, _| true }),
    },
    Pass {
        name: "schedule",
        about: "operations in an order that holds little in memory",
        by_default: true,
        run: schedule,
    },
    Pass {
        name: "combine",
        about: "small collectives that are ready at about the same time become one",
        by_default: true,
        run: combine::run,
    },
];

/// Which passes run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    runs: Vec<bool>,
}

impl Default for Options {
    /// Those that run where nothing else is said.
    fn default() -> Self {
        Options { runs: PASSES.iter().map(|pass| pass.by_default).collect() }
    }
}

impl Options {
    /// No passes.
    pub fn none() -> Self {
        Options { runs: vec![false; PASSES.len()] }
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
        if *runs {
            (pass.run)(partitioned);
        }
    }
}
