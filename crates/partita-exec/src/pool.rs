//! Memory that is used again.
//!
//! Fresh memory from the system is cleared and faulted in page by page, which costs more than most kernels take to fill it. So memory
//! that a device does not need any more is kept for the next value of about its size, on any device of the program, in this run or the next.

use crate::crew::{Crew, Scratch};
use partita::ir::TensorType;
use partita::value::{Tensor, TensorBuilder};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Smaller values are not worth keeping: the system's own allocator is fast for them.
const SMALLEST: usize = 1 << 12;

/// So much may always be kept unused, in bytes.
const SPARE: usize = 16 << 20;

/// The memory that values of a program have left.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// By capacity in words.
    free: BTreeMap<usize, Vec<Vec<u128>>>,
    free_bytes: usize,
    /// Bytes handed out and not seen again.
    live_bytes: usize,
    /// The most that were handed out at once.
    most_bytes: usize,
    /// What the run was expected to hold.
    expected_bytes: usize,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins with these arguments, and is expected to hold so many bytes; what the one before gave away is not expected back.
    pub(crate) fn begin<'a>(&self, args: impl IntoIterator<Item = &'a Tensor>, expected: u64) {
        let mut seen = FxHashSet::default();
        let given = args.into_iter().filter(|tensor| tensor.memory() >= SMALLEST);
        let bytes =
            given.filter(|tensor| seen.insert(tensor.element_bytes(0).as_ptr())).map(Tensor::memory).sum();
        let mut kept = self.lock();
        kept.live_bytes = bytes;
        kept.expected_bytes = usize::try_from(expected).unwrap_or(usize::MAX);
        kept.most_bytes = kept.most_bytes.max(bytes);
    }
}

impl Kept {
    /// Memory of at least so many words and not many more.
    fn find(&mut self, words: usize) -> Option<Vec<u128>> {
        self.live_bytes += words * 16;
        self.most_bytes = self.most_bytes.max(self.live_bytes);
        let found = self.free.range(words..=words + words / 4).next().map(|(capacity, _)| *capacity);
        let memory = found.and_then(|capacity| self.take(capacity));
        if memory.is_none() {
            self.trim();
        }
        memory
    }

    fn keep(&mut self, bytes: usize, memory: Vec<u128>) {
        self.live_bytes = self.live_bytes.saturating_sub(bytes);
        self.free_bytes += memory.capacity() * 16;
        self.free.entry(memory.capacity()).or_default().push(memory);
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

    /// Gives memory back to the system where more would be held than was expected, and than an eighth above what was ever in use.
    fn trim(&mut self) {
        let most = (self.most_bytes + SPARE.max(self.most_bytes / 8)).max(self.expected_bytes);
        while self.live_bytes + self.free_bytes > most {
            let Some(largest) = self.free.keys().next_back().copied() else { return };
            drop(self.take(largest));
        }
    }
}

/// What one device computes with: memory, and who helps.
#[derive(Default)]
pub(crate) struct Pool {
    /// The threads of the run.
    pub(crate) crew: Arc<Crew>,
    memory: Arc<Memory>,
    /// Room for the registers of loops and for packed tiles.
    scratch: Scratch,
}

impl Pool {
    /// For a device whose thread is one of a crew, with the memory of its program.
    pub(crate) fn new(crew: Arc<Crew>, memory: Arc<Memory>) -> Pool {
        Pool { crew, memory, ..Pool::default() }
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
        let found = self.memory.lock().find(bytes.div_ceil(16));
        match found {
            Some(memory) => TensorBuilder::in_memory(ty, memory),
            None => TensorBuilder::new(ty),
        }
    }

    /// Keeps the memory of a tensor where nobody else has it.
    pub(crate) fn recycle(&mut self, tensor: Tensor) {
        let bytes = tensor.memory();
        if bytes < SMALLEST {
            return;
        }
        if let Some(memory) = tensor.into_memory() {
            self.memory.lock().keep(bytes, memory);
        }
    }
}
