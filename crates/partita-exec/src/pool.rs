//! Memory that is used again.
//!
//! Fresh memory from the system is cleared and faulted in page by page, which costs more than most kernels take to fill it. So memory
//! that a device does not need any more is kept for the next value of about its size.

use crate::crew::{Crew, Scratch};
use partita::ir::TensorType;
use partita::value::{Tensor, TensorBuilder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Smaller values are not worth keeping: the system's own allocator is fast for them.
const SMALLEST: usize = 1 << 12;

/// So much may always be kept unused, in bytes.
const SPARE: usize = 16 << 20;

/// What one device computes with: its memory, and who helps.
#[derive(Default)]
pub(crate) struct Pool {
    /// The threads of the run.
    pub(crate) crew: Arc<Crew>,
    /// By capacity in words.
    free: BTreeMap<usize, Vec<Vec<u128>>>,
    free_bytes: usize,
    /// Bytes handed out and not seen again.
    live_bytes: usize,
    /// Room for the registers of loops and for packed tiles.
    scratch: Scratch,
}

impl Pool {
    /// The memory of a device whose thread is one of a crew.
    pub(crate) fn new(crew: Arc<Crew>) -> Pool {
        Pool { crew, ..Pool::default() }
    }

    /// Does parts of a kernel's work, by this thread and by those that have nothing else to do.
    pub(crate) fn each(&mut self, parts: usize, work: &(dyn Fn(usize, &mut Scratch) + Sync)) {
        self.crew.each(parts, &mut self.scratch, work);
    }

    /// A tensor to be filled; what its elements are is not known.
    pub(crate) fn tensor(&mut self, ty: TensorType) -> TensorBuilder {
        let bytes = ty.bytes();
        if bytes < SMALLEST {
            return TensorBuilder::new(ty);
        }
        self.live_bytes += bytes;
        let words = bytes.div_ceil(16);
        let most = words + words / 4;
        let found = self.free.range(words..=most).next().map(|(capacity, _)| *capacity);
        match found.and_then(|capacity| self.take(capacity)) {
            Some(memory) => TensorBuilder::in_memory(ty, memory),
            None => {
                self.trim();
                TensorBuilder::new(ty)
            }
        }
    }

    /// Keeps the memory of a tensor where nobody else has it.
    pub(crate) fn recycle(&mut self, tensor: Tensor) {
        let bytes = tensor.memory();
        if bytes < SMALLEST {
            return;
        }
        if let Some(memory) = tensor.into_memory() {
            self.live_bytes = self.live_bytes.saturating_sub(bytes);
            self.free_bytes += memory.capacity() * 16;
            self.free.entry(memory.capacity()).or_default().push(memory);
        }
    }

    fn take(&mut self, capacity: usize) -> Option<Vec<u128>> {
        let list = self.free.get_mut(&capacity)?;
        let memory = list.pop()?;
        if list.is_empty() {
            self.free.remove(&capacity);
        }
        self.free_bytes -= capacity * 16;
        Some(memory)
    }

    /// Gives memory back to the system where much of it lies unused.
    fn trim(&mut self) {
        while self.free_bytes > SPARE.max(self.live_bytes / 8) {
            let Some(largest) = self.free.keys().next_back().copied() else { return };
            drop(self.take(largest));
        }
    }
}
