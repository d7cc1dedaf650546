//! Completion by cost: what it and the search for plans know of a program.
//!
//! [`Subject`] reads a program once, by a few of its [`Layers`] where it is deep. [`Space`] groups its tensors into kinds with the
//! dimensions that are sharded alike; an [`Assignment`] splits some of these. [`Estimator`] is the cost model over kinds, and
//! [`StrategyGraph`] the problem in which every kind decides for itself.

mod assignment;
mod by_cost;
mod choices;
mod comparison;
mod cut;
mod estimate;
mod invariant;
mod layers;
mod machine;
mod measured;
mod solutions;
mod space;
mod subject;

pub use assignment::{Assignment, Store};
pub use by_cost::{Alternative, Completed, Decision, by_cost, complete};
pub use choices::{Choice, named, replay};
pub use cut::{Axes, Cut, axes, parts};
pub use estimate::{Estimate, Estimator, Relaxation, Solved, StrategyGraph};
pub use layers::{Few, Layers};
pub use machine::Machine;
pub use measured::Measured;
pub use space::{Class, ClassId, Freedom, KindId, Role, Space, TensorKind};
pub use subject::Subject;
