//! Calls of code outside the program, and composites.

mod call;
mod composite;
mod config;
mod lapack;
mod layouts;
mod targets;

pub(crate) use call::CUSTOM_CALL;
pub(crate) use composite::COMPOSITE;
