//! Optimisation: the same program for all devices, cheaper.
//!
//! One pass per file, each a function on the per-device program while its collectives still say in axes who talks to whom, so that
//! nothing here grows with the number of devices. [`PASSES`] lists them in the order they run; each can be left out. What chooses
//! shardings works before partitioning, on what propagation found ([`weight_update`]).

mod combine;
mod edit;
mod hierarchy;
mod hoist;
mod leading;
mod looped;
mod narrow;
mod overlap;
mod prefetch;
mod product;
mod remat;
mod split;
mod sums;
mod target;
pub mod weight_update;

pub use target::Target;

use crate::device::Profile;
use crate::diagnostic::Errors;
use crate::partition::{Partitioned, schedule};
use crate::verify::verify;
use std::convert::Infallible;

/// A pass over the per-device program.
pub struct Pass {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// When it runs where nothing is said of it.
    pub when: When,
    run: fn(&mut Partitioned, &Options),
}

/// When a pass runs where nothing is said of it.
#[derive(Clone, Copy)]
pub enum When {
    /// Always.
    Always,
    /// Never: it is worth it only where sending takes place beside computing, or where to start a collective takes long. Where it is asked for and
    /// it is known what the program runs on, it is undone unless the simulated time falls.
    Asked,
    /// Where the program is for devices of a kind.
    For(fn(&Profile) -> bool),
}

/// All passes, in the order they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "sums",
        about: "what is summed over devices and then added is added first, and summed over devices once",
        when: When::Always,
        run: |partitioned, _| sums::run(partitioned),
    },
    Pass {
        name: "narrow",
        about: "values are sent in the narrow type that they are converted to afterwards",
        when: When::Always,
        run: |partitioned, _| narrow::run(partitioned),
    },
    Pass {
        name: "hoist",
        about: "stacks of layers are gathered once, before the loops over them, where there is memory for it",
        when: When::Asked,
        run: |partitioned, options| hoist::run(partitioned, options.target.as_ref()),
    },
    Pass {
        name: "prefetch",
        about: "loops over layers gather the weights of each one round before they need them",
        when: When::Asked,
        run: |partitioned, _| prefetch::run(partitioned),
    },
    Pass {
        name: "looped-einsum",
        about: "products with a gathered operand or a scattered result are computed shard by shard, while the next one is sent",
        when: When::Asked,
        run: |partitioned, options| looped::run(partitioned, options.target.as_ref()),
    },
    Pass {
        name: "split",
        about: "huge all-reduces of products are done in parts, while the next part is computed",
        when: When::Asked,
        run: |partitioned, options| split::run(partitioned, options.target.as_ref()),
    },
    Pass {
        name: "hierarchy",
        about: "all-reduces over links of several kinds are done level by level",
        when: When::For(|profile| profile.flat),
        run: |partitioned, options| hierarchy::run(partitioned, options.target.as_ref()),
    },
    Pass {
        name: "schedule",
        about: "operations in an order that holds little in memory, and in which collectives run beside computing",
        when: When::Always,
        run: |partitioned, options| match &options.target {
            Some(target) => target.order(partitioned),
            None => schedule(partitioned),
        },
    },
    Pass {
        name: "rematerialise",
        about: "what is cheap to compute is computed again, and gathered again, where the program would not fit memory",
        when: When::Always,
        run: |partitioned, options| {
            if let Some(limit) = options.memory() {
                remat::run(partitioned, limit);
            }
        },
    },
    Pass {
        name: "combine",
        about: "small collectives that are ready at about the same time become one",
        when: When::Asked,
        run: |partitioned, options| combine::run(partitioned, options.target.as_ref()),
    },
    Pass {
        name: "leading",
        about: "gathers and scatters are along a leading dimension, which some engines take without turning arrays around",
        when: When::For(|profile| profile.leading),
        run: |partitioned, _| leading::run(partitioned),
    },
];

/// Which passes run, and for what.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is said of each pass.
    said: Vec<Option<bool>>,
    /// What the program runs on.
    pub target: Option<Target>,
    /// The bytes that the program may hold, where that is not what the target has.
    memory: Option<u64>,
}

impl Default for Options {
    /// Nothing is said.
    fn default() -> Self {
        Options { said: vec![None; PASSES.len()], target: None, memory: None }
    }
}

impl Options {
    /// The same for what the program runs on, where that is known.
    pub fn on(self, target: Option<Target>) -> Self {
        Options { target, ..self }
    }

    /// The same for a program that may hold so many bytes, where anything is said of that.
    pub fn within(self, memory: Option<u64>) -> Self {
        Options { memory, ..self }
    }

    /// No passes.
    pub fn none() -> Self {
        Options { said: vec![Some(false); PASSES.len()], target: None, memory: None }
    }

    /// All passes.
    pub fn all() -> Self {
        Options { said: vec![Some(true); PASSES.len()], target: None, memory: None }
    }

    /// The same with a pass or without it.
    pub fn set(mut self, pass: usize, runs: bool) -> Self {
        if let Some(slot) = self.said.get_mut(pass) {
            *slot = Some(runs);
        }
        self
    }

    /// The same without the passes after one.
    pub fn up_to(mut self, pass: usize) -> Self {
        self.said.iter_mut().skip(pass + 1).for_each(|slot| *slot = Some(false));
        self
    }

    /// The bytes that the program may hold, where anything is said of them.
    fn memory(&self) -> Option<u64> {
        self.memory.or(self.target.as_ref().map(|target| target.memory))
    }

    /// Whether a pass runs.
    fn runs(&self, pass: usize) -> bool {
        let by_default = || match (PASSES[pass].when, &self.target) {
            (When::Always, _) => true,
            (When::For(fits), Some(target)) => fits(&target.profile),
            (When::For(_), None) | (When::Asked, _) => false,
        };
        self.said[pass].unwrap_or_else(by_default)
    }
}

/// Programs for more devices are not verified after every pass: their groups are long.
const MOST_DEVICES_VERIFIED: i64 = 4096;

/// The number of the pass with a name.
pub fn pass_named(name: &str) -> Option<usize> {
    PASSES.iter().position(|pass| pass.name == name)
}

/// Runs passes over a per-device program whose groups of devices are not written out yet.
pub fn optimise(partitioned: &mut Partitioned, options: &Options) {
    let Ok(()) = optimise_observed::<Infallible>(partitioned, options, &mut |_, _| Ok(()));
}

/// Runs passes; the program is seen after the turn of each, by its number, as long as there is no error.
pub(crate) fn optimise_observed<E>(
    partitioned: &mut Partitioned,
    options: &Options,
    see: &mut dyn FnMut(usize, &Partitioned) -> Result<(), E>,
) -> Result<(), E> {
    for (n, pass) in PASSES.iter().enumerate() {
        match (&options.target, pass.when) {
            _ if !options.runs(n) => {}
            (Some(target), When::Asked) => {
                target.keep_if_faster(partitioned, |partitioned| (pass.run)(partitioned, options));
            }
            _ => (pass.run)(partitioned, options),
        }
        if cfg!(debug_assertions) && options.runs(n) {
            assert_sound(partitioned, pass.name);
        }
        see(n, partitioned)?;
    }
    Ok(())
}

/// Verifies a per-device program after a pass, with its groups of devices written out where that is not too much.
fn assert_sound(partitioned: &Partitioned, pass: &str) {
    if partitioned.mesh.device_count() > MOST_DEVICES_VERIFIED {
        return;
    }
    let mut emitted = partitioned.clone();
    emitted.expand();
    let errors = verify(&emitted.module).err().map(Errors);
    assert!(errors.is_none(), "after the pass `{pass}`: {}", errors.unwrap_or_default());
}
