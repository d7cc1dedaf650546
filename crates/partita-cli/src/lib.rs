//! What the `partita` command is made of: reading files, the way from a program to shardings and on to devices, reports, and
//! errors in words. Other front ends, such as the Python package, say the same things by the same code.

mod arguments;
pub mod commands;
pub mod device;
pub mod error;
mod format;
pub mod input;
pub mod memory;
mod npz;
pub mod output;
mod plan;
mod profile;
mod progress;
pub mod render;
pub mod report;
mod results;
