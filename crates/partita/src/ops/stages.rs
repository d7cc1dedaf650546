//! Ops that do their work along one dimension after the other: where such an op cannot be split as a whole, each of its stages can be
//! split along the dimensions of the others.

use crate::ir::{Attrs, OpRef, TensorType};

/// The part of an op that works along one dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The dimension. The op that does the stage has it as its last one.
    pub dim: usize,
    /// The attributes of that op.
    pub attrs: Attrs,
    /// The type of what comes out, with the dimensions in their places.
    pub result: TensorType,
}

/// What a row says: the stages of an op of one operand and one result, in an order in which they can be done. Stages that do not change
/// the type can be done in any order.
pub type Stages = fn(OpRef<'_>) -> Vec<Stage>;

/// It has none.
pub fn none(_: OpRef<'_>) -> Vec<Stage> {
    Vec::new()
}
