//! Automatic partitioning: how a program is best split over a mesh, found without annotations or with a few.
//!
//! [`Subject`] reads a program once, by a few of its [`Layers`] where it is deep. [`Space`] finds the decisions that are left to take; an [`Assignment`] takes some of them.
//! [`Estimator`] judges many of these quickly, [`Judge`] a few in full, and [`search()`] finds the best. [`plan()`] writes it down.

mod analysis;
mod fixed;
mod plan;
mod ranker;
mod search;
mod tactics;
mod truth;

pub use analysis::Analysis;
pub use fixed::fixed;
pub use partita::complete::{
    Assignment, Axes, Class, ClassId, Cut, Estimate, Estimator, KindId, Layers, Machine, Relaxation, Role,
    Solved, Space, Store, StrategyGraph, Subject, TensorKind,
};
pub use plan::{argument_names, plan, text};
pub use ranker::{Edge, Lesson, Lessons, Ranker, Scene};
pub use search::{Event, Found, GraphCost, Limits, Move, Stop, graph_cost, preferred, search};
pub use tactics::Tactic;
pub use truth::{Cost, Judge, Judged, Related, sharding};
