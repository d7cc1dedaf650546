//! What an op that reads by windows finds beside the ends of its operands.

use crate::ir::OpRef;

/// What stands beside the ends of a dimension that is reached by an affine access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// Shards cannot say: such dimensions are not split.
    Unknown,
    /// Nothing is read there.
    Nothing,
    /// Zeros.
    Zero,
    /// An operand, a scalar.
    Operand(usize),
    /// The initial value that belongs to the operand: as many operands further on as there are results.
    Initial,
    /// What is nearest to it: of elements that are there twice one is selected, and it does not matter which.
    Nearest,
    /// What is there already: nothing is written beside the ends of what is written.
    Kept,
    /// The other operands: each index of the result is in one of them.
    Others,
}

impl Edge {
    /// The operand that holds what stands beside the ends of another.
    pub fn filler(self, op: OpRef<'_>, operand: usize) -> Option<usize> {
        match self {
            Edge::Operand(n) => Some(n),
            Edge::Initial => Some(op.results().len() + operand),
            _ => None,
        }
    }
}
