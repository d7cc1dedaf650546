//! A compiled program: blocks of steps on values that are known by their numbers.

use crate::array::Array;
use crate::kernels::Compute;
use crate::kernels::convolution::Convolution;
use crate::kernels::dot::Dot;
use crate::loops::Fused;
use crate::pool::Memory;
use crate::views::View;
use partita::Module;
use partita::interpret::CollectiveOp;
use partita::ir::{FuncId, IdVec, OpId, RegionId, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

/// A program that is ready to run, on one device or on many at once.
pub struct Program<'m> {
    /// What was compiled: the module, or a copy of it without calls.
    pub(crate) module: Cow<'m, Module>,
    /// For each operation of a copy the one it was, and its function.
    pub(crate) origin: Option<IdVec<OpId, (FuncId, OpId)>>,
    /// The names of the functions of the module that was compiled.
    pub(crate) functions: IdVec<FuncId, String>,
    /// The function that was compiled.
    pub(crate) function: FuncId,
    /// The same function in the module above.
    pub(crate) func: FuncId,
    pub(crate) blocks: Vec<Block>,
    /// The block of the function.
    pub(crate) entry: usize,
    /// The blocks of regions that kernels of the op table call.
    pub(crate) regions: FxHashMap<RegionId, usize>,
    /// Values that are there before anything runs.
    pub(crate) constants: Vec<(ValueId, Array)>,
    /// What its values have left in memory.
    pub(crate) memory: Arc<Memory>,
}

/// A region: arguments in, steps, results out.
pub(crate) struct Block {
    /// The arguments; nothing for those that nothing reads.
    pub(crate) args: Vec<Option<ValueId>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) results: SmallVec<[Operand; 4]>,
}

/// A value that a step reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub(crate) value: ValueId,
    /// Whether nothing reads it afterwards, so that the step may have it.
    pub(crate) dies: bool,
}

/// One thing to do.
pub(crate) struct Step {
    /// The operation it comes from; of several the last.
    pub(crate) op: OpId,
    /// The operations before that one that it does as well.
    pub(crate) others: Vec<OpId>,
    pub(crate) action: Action,
    pub(crate) operands: SmallVec<[Operand; 4]>,
    /// Where the results go; nothing for those that nothing reads.
    pub(crate) results: SmallVec<[Option<ValueId>; 2]>,
    /// Values besides the operands that nothing reads afterwards.
    pub(crate) drops: Vec<ValueId>,
}

/// What a step does.
pub(crate) enum Action {
    /// A fused loop; its operands are the inputs and then the start values of folds.
    Loop(Box<Fused>),
    /// Another view of its operand.
    View(View),
    /// A contraction.
    Dot(Box<Dot>),
    /// A convolution.
    Convolution(Box<Convolution>),
    /// A slice at a computed place: a view, or a copy where the operand is about to be written.
    DynamicSlice { copy: bool },
    /// Writes over a part of its first operand.
    DynamicUpdateSlice,
    /// Puts its operands together along a dimension.
    Concatenate(usize),
    /// Puts elements around its operand.
    Pad,
    /// A kernel that was prepared for the operation.
    Compute(Box<dyn Compute>),
    /// The kernel of the op's row.
    Reference,
    /// A loop: the blocks of its condition and its body.
    While(usize, usize),
    /// One of several blocks.
    Branch(Vec<usize>),
    /// A block with the operands as its arguments.
    Inline(usize),
    /// The number of this replica.
    ReplicaId,
    /// The number of this partition.
    PartitionId,
    /// Something done together with other devices.
    Collective(CollectiveOp),
}
