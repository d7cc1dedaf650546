//! The reference interpreter: plain, and the oracle for everything faster.
//!
//! Kernels live in the rows of the op table. This module walks the program: it keeps the values of each device
//! in a dense table, frees them at their last use, and evaluates control flow and communication itself.

mod elementwise;
mod error;
mod region;

pub use elementwise::elementwise;
pub use error::EvalError;
pub use region::RegionCaller;

use crate::value::Tensor;

/// A value while a program runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// Several values.
    Tuple(Vec<Value>),
    /// A token: it orders effects and holds nothing.
    Token,
}

/// Ops that the interpreter itself evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriverOp {
    /// Ends a region or a function.
    Return,
}
