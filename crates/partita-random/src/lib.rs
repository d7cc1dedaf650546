//! Random differential testing of the partitioner.
//!
//! A program is made from a seed ([`generate`]): random ops over random shapes, on a random mesh with random shardings. It is
//! partitioned and run ([`check`]), and must give on all devices what it gives on one. One that does not is made small
//! ([`shrink`]), and written as a file of `tests/partition`.
//!
//! What "the same" means depends on the [`arithmetic::Arithmetic`] of the program: to the last bit for integers and over a prime
//! field, within a bound where floats round.

pub mod arithmetic;
pub mod check;
pub mod generate;
mod rng;
pub mod shrink;
pub mod statistics;
