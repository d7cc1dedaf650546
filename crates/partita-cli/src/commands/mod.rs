//! One file per command.

pub mod check;
pub mod fmt;
pub mod run;
