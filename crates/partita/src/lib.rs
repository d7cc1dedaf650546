//! Partita reads StableHLO programs, checks, prints and runs them, and partitions them over device meshes.
//!
//! The library takes text and values and gives text and values: it opens no files and starts no threads.
//! See `ARCHITECTURE.md` for the map.

pub mod complete;
pub mod device;
pub mod diagnostic;
pub mod equal;
pub mod inline;
pub mod interpret;
pub mod ir;
pub mod ledger;
pub mod ops;
pub mod optimise;
pub mod partition;
pub mod propagate;
pub mod sharding;
pub mod simulate;
#[cfg(test)]
mod test_programs;
pub mod text;
pub mod value;
pub mod verify;

pub use diagnostic::Diagnostic;
pub use ir::Module;
