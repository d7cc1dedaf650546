//! One file per command.

pub mod auto;
pub mod check;
pub mod explain;
pub mod fmt;
mod job;
pub mod partition;
pub mod passes;
mod pjrt;
pub mod propagate;
pub mod run;
pub mod sharding;
pub mod simulate;
pub mod solve;
