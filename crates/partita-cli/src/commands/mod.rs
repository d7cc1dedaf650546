//! One file per command.

pub mod check;
pub mod explain;
pub mod fmt;
mod job;
pub mod partition;
mod pjrt;
pub mod propagate;
pub mod run;
pub mod sharding;
pub mod simulate;
