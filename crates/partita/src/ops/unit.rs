//! Which part of a device runs an op, and whether it is joined with its neighbours.

use super::def::{Eval, OpDef};
use crate::interpret::DriverOp;

/// Which part of a device runs an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// None: it gives its operands on under other names or shapes, or steers what others do.
    Nowhere,
    /// Element by element, joined with ops of its kind around it: what passes between them never reaches memory.
    Elements,
    /// As elements that are joined before it, but what comes after has to wait for all of them.
    Fold,
    /// The matrix unit.
    Matrix,
    /// By itself, from memory to memory.
    Memory,
}

impl OpDef {
    /// Which part of a device runs it. Formulas on elements and what steers others need not say so.
    pub fn unit(&self) -> Unit {
        match self.eval {
            Eval::Elementwise(_) => Unit::Elements,
            Eval::Driver(DriverOp::Collective(_)) => Unit::Memory,
            Eval::Driver(_) => Unit::Nowhere,
            _ => self.unit,
        }
    }
}

impl OpDef {
    /// Whether its regions are parts of the program, which run in its place, and not what a kernel does to elements.
    pub fn runs_regions(&self) -> bool {
        use DriverOp::*;
        matches!(self.eval, Eval::Driver(While | If | Case | Region | ManualRegion | AsyncStart))
    }
}
