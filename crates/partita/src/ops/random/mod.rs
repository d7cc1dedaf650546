//! Random numbers.

mod bits;
mod distributions;
mod philox;
mod threefry;

pub(crate) use bits::RNG_BIT_GENERATOR;
pub(crate) use distributions::RNG;
