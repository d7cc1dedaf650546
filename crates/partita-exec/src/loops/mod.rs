//! Elementwise operations, broadcasts and the reductions they lead into, as one loop.
//!
//! A loop is a list of instructions on registers, run for a chunk of elements at a time: each instruction goes over its chunk in a
//! plain vectorised loop, and all chunks that are alive together stay in the first-level cache. So the interpretation costs one call
//! per instruction and chunk, and no value inside the loop is ever written to memory.

mod fold;
mod kernel;
mod lanes;
mod math;
mod number;
mod run;
mod table;

pub(crate) use fold::{Folder, folder};
pub(crate) use kernel::Kernel;
pub(crate) use lanes::{LaneRunner, Lanes, Walk};
pub(crate) use run::run;
pub(crate) use table::{convert, kernel};

use partita::ir::{Elem, OpId, Shape};
use partita::ops::ElementCx;
use partita::value::Scalar;
use smallvec::SmallVec;

/// A value inside of a loop: inputs first, then the result of each instruction.
pub(crate) type Register = usize;

/// A loop over a shape.
pub(crate) struct Fused {
    /// What is iterated over.
    pub(crate) shape: Shape,
    /// The element types of the inputs; each has the shape of the loop, or none.
    pub(crate) inputs: Vec<Elem>,
    /// What is computed, in order.
    pub(crate) code: Vec<Instruction>,
    /// What leaves the loop.
    pub(crate) outputs: Vec<Output>,
    /// For each instruction where its result stands while the loop runs.
    pub(crate) places: Vec<Place>,
    /// The widths of the chunks of memory that places are in, in bytes of an element.
    pub(crate) rooms: Vec<usize>,
    /// How many elements are done at a time.
    pub(crate) chunk: usize,
}

/// One operation on a chunk.
pub(crate) struct Instruction {
    /// The operation it comes from.
    pub(crate) op: OpId,
    /// What computes it.
    pub(crate) how: How,
    /// What it reads.
    pub(crate) from: SmallVec<[Register; 3]>,
    /// The type of its result.
    pub(crate) elem: Elem,
}

/// The formula of an op's row.
pub(crate) type Formula = fn(&ElementCx<'_>, &[Scalar]) -> Scalar;

/// What computes an instruction.
pub(crate) enum How {
    /// A loop for these types.
    Kernel(Kernel),
    /// The formula of the op's row, element by element.
    Formula(Formula),
}

/// Where the result of an instruction stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a chunk of memory that instructions share.
    Room(usize),
    /// In the memory of an output, unless that is also the memory of an input; then in the room.
    Output(usize, usize),
}

/// A value that leaves a loop.
pub(crate) struct Output {
    /// Which value.
    pub(crate) register: Register,
    /// Its type.
    pub(crate) elem: Elem,
    /// How it is folded, where it is.
    pub(crate) fold: Option<FoldOutput>,
}

/// A reduction at the end of a loop.
pub(crate) struct FoldOutput {
    /// The kernels.
    pub(crate) folder: Folder,
    /// For each dimension of the loop whether it is folded.
    pub(crate) folded: SmallVec<[bool; 4]>,
}

/// All registers of a loop that are in use at once fit in the first-level cache with so many bytes.
const CACHE: usize = 24 << 10;

impl Fused {
    /// Whether it is nothing but reductions.
    pub(crate) fn is_folds_only(&self) -> bool {
        self.code.is_empty() && self.outputs.iter().all(|output| output.fold.is_some())
    }

    /// A loop, its registers laid out.
    pub(crate) fn new(
        shape: Shape,
        inputs: Vec<Elem>,
        code: Vec<Instruction>,
        outputs: Vec<Output>,
    ) -> Fused {
        let mut last_use = vec![0usize; inputs.len() + code.len()];
        for (n, instruction) in code.iter().enumerate() {
            instruction.from.iter().for_each(|register| last_use[*register] = n);
        }
        // What leaves the loop is read again when the chunk is done.
        outputs.iter().for_each(|output| last_use[output.register] = usize::MAX);
        let stored = |register: Register| {
            outputs.iter().position(|output| output.register == register && output.fold.is_none())
        };
        let mut rooms: Vec<usize> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut places: Vec<Place> = Vec::with_capacity(code.len());
        for (n, instruction) in code.iter().enumerate() {
            let room = free.pop().unwrap_or_else(|| {
                rooms.push(0);
                rooms.len() - 1
            });
            rooms[room] = rooms[room].max(instruction.elem.bytes());
            let register = inputs.len() + n;
            places.push(stored(register).map_or(Place::Room(room), |output| Place::Output(output, room)));
            let mut done: SmallVec<[Register; 3]> = instruction.from.clone();
            done.dedup();
            done.sort_unstable();
            done.dedup();
            for register in done.into_iter().filter(|register| last_use[*register] == n) {
                if let Some(place) = register.checked_sub(inputs.len()).and_then(|i| places.get(i)) {
                    let (Place::Room(room) | Place::Output(_, room)) = *place;
                    free.push(room);
                }
            }
        }
        let bytes: usize = rooms.iter().sum::<usize>()
            + inputs.iter().map(|elem| elem.bytes()).sum::<usize>()
            + outputs.iter().map(|output| output.elem.bytes()).sum::<usize>();
        let chunk = (CACHE / bytes.max(1)).clamp(128, 4096) / 64 * 64;
        Fused { shape, inputs, code, outputs, places, rooms, chunk }
    }
}
