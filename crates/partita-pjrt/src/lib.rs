//! Runs programs on devices behind a PJRT plug-in: the shared library that XLA's back ends for CPUs, GPUs and TPUs come as.
//!
//! [`Plugin::load`] opens a plug-in, [`Client::new`] starts its devices, [`Client::compile`] compiles StableHLO text with XLA's own
//! partitioner off, and [`Program::run`] takes global arrays to global arrays: shards go to the devices that have them, the
//! program runs on all of them, and the results are put together again.
//!
//! Nothing here knows one platform from another, but for the list of options by which a platform is told how many devices to
//! have (`client.rs`). Handles free what they hold, errors of the plug-in become [`Error`]s, and what the plug-in still works on
//! is waited for.

mod api;
mod buffer;
mod client;
mod element;
mod error;
mod executable;
mod find;
mod options;
mod raw;
mod run;

pub use api::Plugin;
pub use buffer::Buffer;
pub use client::{Client, Device};
pub use error::{Error, ErrorKind};
pub use executable::{Executable, Memory};
pub use find::{PLUGIN_VARIABLE, find_plugin};
pub use run::{Program, Timing};
