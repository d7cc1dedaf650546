//! One file per command.

pub mod check;
pub mod explain;
pub mod fmt;
pub mod propagate;
pub mod run;
pub mod sharding;
