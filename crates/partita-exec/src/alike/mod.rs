//! What several devices compute alike is computed once.
//!
//! Virtual devices share one memory, so that equal values need not be made again on each of them: the update of replicated weights, what
//! follows an all-reduce. Which devices are alike in a value follows from the program (`analysis`) and from the arguments that they share in
//! memory; the first of them that comes to a step computes it, and the others take what it gave (`board`). All kernels give the same bits for
//! the same operands, so that no result changes.

mod analysis;
mod board;
mod likeness;

pub(crate) use board::{Board, Key, Taken};

use crate::program::Program;
use likeness::{Likeness, Likenesses};
use partita::interpret::GridSize;
use partita::value::Tensor;
use rustc_hash::FxHashMap;

/// The steps that several devices do alike.
pub(crate) struct Alike {
    likenesses: Likenesses,
    /// By block and step: its number among these, and who is alike.
    steps: FxHashMap<(usize, usize), (u32, Likeness)>,
    /// What was computed, and who waits for it.
    pub(crate) board: Board,
}

/// A step that a device does alike with others.
pub(crate) struct Common {
    /// The number of the step among those that devices do alike.
    pub(crate) step: u32,
    /// Which devices: the first of them.
    pub(crate) first: u32,
    /// How many devices there are besides this one.
    pub(crate) others: usize,
}

impl Alike {
    /// Looks for what devices do alike, given the arguments of each; nothing where that is not worth it.
    pub(crate) fn new(program: &Program<'_>, size: GridSize, args: &[Vec<Tensor>]) -> Option<Alike> {
        if args.len() < 2 || !program.has_large_values() {
            return None;
        }
        let (likenesses, steps) = analysis::analyse(program, size, args);
        (!steps.is_empty()).then(|| Alike { likenesses, steps, board: Board::default() })
    }

    /// How many steps there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// What a step is for a device, where others do it alike.
    pub(crate) fn common(&self, block: usize, step: usize, device: usize) -> Option<Common> {
        let &(step, likeness) = self.steps.get(&(block, step))?;
        let (first, count) = self.likenesses.class(likeness, device);
        (count > 1).then_some(Common { step, first, others: count - 1 })
    }
}
