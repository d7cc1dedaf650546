//! Running a loop.

use super::kernel::{source, target};
use super::{Fused, How, Instruction, Output, Place, Register, convert};
use crate::array::Array;
use crate::copy::copy_box;
use crate::crew::Scratch;
use crate::pool::Pool;
use partita::ir::{Elem, Module, Shape, TensorType};
use partita::ops::ElementCx;
use partita::value::tensor::{read, strides, write};
use partita::value::{Scalar, Tensor, TensorBuilder};
use smallvec::SmallVec;
use std::ops::Range;

/// One dimension of the iteration: its size, and the stride of every input and folded output.
struct Dim {
    size: usize,
    strides: SmallVec<[isize; 8]>,
}

/// Where the elements of an input are.
enum Held {
    /// In an array of its own.
    Input(Array),
    /// In the memory of an output, which is written over them.
    Output(usize),
}

/// How an input is read.
enum Reading {
    /// Its elements stand in the order of the iteration.
    Straight(*const u8),
    /// It is the same element everywhere, repeated in its room.
    Constant(*const u8),
    /// Its elements are picked by strides into its room, or read where they stand if one row of them is straight.
    Strided(*const u8, *mut u8),
}

/// Runs a loop on arrays. Those that nobody else has may be written over: they are taken from the list.
///
/// Folded outputs start from the values given for them, in the order of the outputs.
pub(crate) fn run(
    module: &Module,
    fused: &Fused,
    mut inputs: Vec<Array>,
    starts: &[Tensor],
    pool: &mut Pool,
) -> Vec<Tensor> {
    let rank = fused.shape.len();
    let count = if fused.shape.contains(&0) { 0 } else { fused.shape.iter().product::<i64>() as usize };
    let mut starts = starts.iter();
    let fold_types: SmallVec<[Option<TensorType>; 4]> =
        fused.outputs.iter().map(|output| fold_type(fused, output)).collect();
    // Every element the same, or only one: one element is all there is to compute.
    let repeated =
        count > 1 && fused.outputs.iter().all(|o| o.fold.is_none()) && inputs.iter().all(Array::is_constant);
    if repeated {
        let single = inputs.iter().map(|a| a.view(one(rank), zeros(rank), 0)).collect();
        return one_element(module, fused, single, pool);
    }

    if count == 0 {
        // Nothing to go over: folds give what they start from. Other dimensions may be larger than memory.
        let empty = |(output, fold): (&Output, &Option<TensorType>)| match fold {
            Some(ty) => filled(ty, starts.next(), output.elem, pool).finish(),
            None => TensorBuilder::new(TensorType::new(output.elem, fused.shape.iter().copied())).finish(),
        };
        let results: Vec<Tensor> = fused.outputs.iter().zip(&fold_types).map(empty).collect();
        let typed = results.into_iter().zip(&fused.outputs);
        return typed.map(|(r, o)| if r.elem() == o.elem { r } else { rounded(r, o.elem, pool) }).collect();
    }
    let dims = dims(fused, &inputs);
    let inner = dims.last().map_or(1, |dim| dim.size);
    let chunk = if inner >= fused.chunk / 2 {
        // A row in equal pieces.
        let pieces = inner.div_ceil(fused.chunk);
        inner.div_ceil(pieces)
    } else {
        // Several rows.
        fused.chunk / inner.max(1) * inner.max(1)
    };

    // The memory of a dying input becomes that of the first output of its width.
    let straight: SmallVec<[bool; 8]> = (0..inputs.len()).map(|n| is_straight(&dims, n)).collect();
    let mut memories: Vec<Option<Tensor>> = fused.outputs.iter().map(|_| None).collect();
    let mut held: SmallVec<[Held; 8]> = SmallVec::with_capacity(inputs.len());
    for (n, mut input) in inputs.drain(..).enumerate() {
        let fits = |o: &Output| o.fold.is_none() && o.elem.bytes() == fused.inputs[n].bytes();
        let free = fused.outputs.iter().enumerate().position(|(i, o)| fits(o) && memories[i].is_none());
        // An output that is the input itself, or folds it, is taken from it after others are written.
        let kept =
            |output: usize| fused.outputs.iter().enumerate().all(|(i, o)| o.register != n || i == output);
        held.push(match free {
            Some(output)
                if straight[n]
                    && input.count() == count
                    && count > 1
                    && kept(output)
                    && input.is_own_memory() =>
            {
                let elem = fused.outputs[output].elem;
                memories[output] =
                    Some(input.into_memory().with_elem(elem).reshape(fused.shape.iter().copied()));
                Held::Output(output)
            }
            _ => Held::Input(input),
        });
    }
    let in_place: SmallVec<[bool; 4]> = memories.iter().map(Option::is_some).collect();
    let mut results: Vec<TensorBuilder> = Vec::with_capacity(fused.outputs.len());
    for ((output, memory), fold) in fused.outputs.iter().zip(memories).zip(&fold_types) {
        results.push(match (memory, fold) {
            (Some(memory), _) => memory.into_builder(),
            (None, None) => pool.tensor(TensorType::new(output.elem, fused.shape.iter().copied())),
            (None, Some(ty)) => filled(ty, starts.next(), output.elem, pool),
        });
    }
    let targets: SmallVec<[*mut u8; 4]> = results.iter_mut().map(|r| r.bytes_mut().as_mut_ptr()).collect();
    // Arrays stay where they are from here on: a splat's one element stands in the array itself.
    let pointers: SmallVec<[*const u8; 8]> = held
        .iter()
        .map(|held| match held {
            Held::Input(array) => array.pointer(),
            Held::Output(output) => targets[*output].cast_const(),
        })
        .collect();

    let runner = Runner {
        module,
        fused,
        dims: &dims,
        pointers: &pointers,
        straight: &straight,
        targets: &targets,
        in_place: &in_place,
        count,
        inner,
        chunk,
    };
    let parts = runner.parts(pool.crew.hands());
    pool.each(parts.len(), &|n, scratch| runner.run(parts[n].clone(), scratch));
    for held in held {
        if let Held::Input(input) = held {
            input.recycle(pool);
        }
    }
    let results = results.into_iter().zip(&fused.outputs).map(|(result, output)| {
        let result = result.finish();
        if result.elem() == output.elem { result } else { rounded(result, output.elem, pool) }
    });
    results.collect()
}

fn one(rank: usize) -> Shape {
    smallvec::smallvec![1; rank]
}

fn zeros(rank: usize) -> Shape {
    smallvec::smallvec![0; rank]
}

/// A loop whose inputs are the same everywhere: the results are splats.
fn one_element(module: &Module, fused: &Fused, inputs: Vec<Array>, pool: &mut Pool) -> Vec<Tensor> {
    let single = Fused {
        shape: one(fused.shape.len()),
        inputs: fused.inputs.clone(),
        code: fused
            .code
            .iter()
            .map(|i| Instruction {
                op: i.op,
                how: match i.how {
                    How::Kernel(kernel) => How::Kernel(kernel),
                    How::Formula(formula) => How::Formula(formula),
                },
                from: i.from.clone(),
                elem: i.elem,
            })
            .collect(),
        outputs: fused
            .outputs
            .iter()
            .map(|o| Output { register: o.register, elem: o.elem, fold: None })
            .collect(),
        places: fused.places.clone(),
        rooms: fused.rooms.clone(),
        chunk: fused.chunk,
    };
    let results = run(module, &single, inputs, &[], pool);
    results.into_iter().map(|r| r.repeat_element(0, fused.shape.iter().copied())).collect()
}

/// The type in which a folded output runs.
fn fold_type(fused: &Fused, output: &Output) -> Option<TensorType> {
    let fold = output.fold.as_ref()?;
    let kept = fused.shape.iter().zip(&fold.folded).filter(|(_, folded)| !**folded).map(|(size, _)| *size);
    Some(TensorType::new(fold.folder.running, kept))
}

/// A tensor that holds a start value everywhere.
fn filled(ty: &TensorType, start: Option<&Tensor>, elem: Elem, pool: &mut Pool) -> TensorBuilder {
    let start = start.map_or(Scalar::zero(elem), Tensor::item);
    let mut result = pool.tensor(ty.clone());
    let width = ty.elem.bytes();
    let mut bytes = [0u8; 16];
    write(ty.elem, &mut bytes, 0, start);
    for slot in result.bytes_mut().chunks_exact_mut(width) {
        slot.copy_from_slice(&bytes[..width]);
    }
    result
}

/// A folded output in its own type.
fn rounded(wide: Tensor, elem: Elem, pool: &mut Pool) -> Tensor {
    let mut result = pool.tensor(wide.ty().with_elem(elem));
    let count = wide.len();
    match (convert(wide.elem(), elem), wide.dense_bytes()) {
        (Some(kernel), Some(bytes)) if count > 0 => {
            let from = bytes.as_ptr();
            // SAFETY: both tensors have as many elements, of the types that the kernel converts.
            unsafe { kernel(result.bytes_mut().as_mut_ptr(), [from, from, from], count) };
        }
        _ => (0..count).for_each(|i| result.set(i, wide.get(i))),
    }
    pool.recycle(wide);
    result.finish()
}

/// The dimensions of the iteration, outermost first: those of size one left out, neighbours merged where everything walks straight on.
fn dims(fused: &Fused, inputs: &[Array]) -> SmallVec<[Dim; 6]> {
    let mut walks: SmallVec<[Shape; 8]> = inputs
        .iter()
        .map(|input| if input.shape.is_empty() { zeros(fused.shape.len()) } else { input.strides.clone() })
        .collect();
    for output in &fused.outputs {
        if let Some(fold) = &output.fold {
            let kept: Shape =
                (0..fused.shape.len()).filter(|d| !fold.folded[*d]).map(|d| fused.shape[d]).collect();
            let mut kept = strides(&kept).into_iter();
            let walk = fold.folded.iter().map(|folded| if *folded { 0 } else { kept.next().unwrap_or(0) });
            walks.push(walk.collect());
        }
    }
    // Whether a dimension is folded must not change within a merged one, even where it has one element only.
    let mut dims: SmallVec<[Dim; 6]> = SmallVec::new();
    for d in 0..fused.shape.len() {
        if fused.shape[d] == 1 {
            continue;
        }
        let size = fused.shape[d] as usize;
        let strides: SmallVec<[isize; 8]> = walks.iter().map(|walk| walk[d] as isize).collect();
        match dims.last_mut() {
            Some(last)
                if last
                    .strides
                    .iter()
                    .zip(&strides)
                    .all(|(outer, inner)| *outer == inner * size as isize) =>
            {
                *last = Dim { size: last.size * size, strides };
            }
            _ => dims.push(Dim { size, strides }),
        }
    }
    if dims.is_empty() {
        dims.push(Dim { size: 1, strides: SmallVec::from_elem(0, walks.len()) });
    }
    dims
}

/// Whether the elements of a walk stand in the order of the iteration.
fn is_straight(dims: &[Dim], n: usize) -> bool {
    let mut expected = 1;
    for dim in dims.iter().rev() {
        if dim.strides[n] != expected {
            return false;
        }
        expected *= dim.size as isize;
    }
    true
}

/// Where the registers of a loop are.
struct Rooms {
    inputs: SmallVec<[*mut u8; 8]>,
    results: SmallVec<[*mut u8; 8]>,
}

/// Words for all registers.
fn room_words(fused: &Fused, chunk: usize) -> usize {
    let words = |width: usize| (chunk * width).div_ceil(64) * 4;
    let inputs: usize = fused.inputs.iter().map(|elem| words(elem.bytes())).sum();
    inputs + fused.rooms.iter().map(|width| words(*width)).sum::<usize>()
}

impl Rooms {
    fn new(fused: &Fused, chunk: usize, memory: *mut u8) -> Rooms {
        let mut next = 0;
        let mut place = |width: usize| {
            let start = next;
            next += (chunk * width).div_ceil(64) * 64;
            // SAFETY: `room_words` counts the same bytes.
            unsafe { memory.add(start) }
        };
        let inputs = fused.inputs.iter().map(|elem| place(elem.bytes())).collect();
        let results = fused.rooms.iter().map(|width| place(*width)).collect();
        Rooms { inputs, results }
    }
}

/// Repeats one element.
///
/// # Safety
///
/// There is one element at the source and room for so many at the target.
unsafe fn repeat(width: usize, from: *const u8, to: *mut u8, count: usize) {
    // SAFETY: what the caller promises; a stride of zero reads the one element.
    unsafe { copy_box(width, &[count as i64], (from, &[0]), (to, &[1])) }
}

/// Runs an instruction for so many elements: by its kernel, or by the formula of its op's row.
///
/// # Safety
///
/// All pointers are valid for so many elements of the types of the registers, which the compiler of the instruction has matched with its
/// kernel, and the target overlaps no source.
pub(super) unsafe fn execute(
    module: &Module,
    instruction: &Instruction,
    elem_of: impl Fn(Register) -> Elem,
    to: *mut u8,
    from: &[*const u8; 3],
    size: usize,
) {
    let formula = match instruction.how {
        // SAFETY: what the caller promises.
        How::Kernel(kernel) => return unsafe { kernel(to, *from, size) },
        How::Formula(formula) => formula,
    };
    let elems: SmallVec<[Elem; 3]> = instruction.from.iter().map(|register| elem_of(*register)).collect();
    // SAFETY: what the caller promises.
    let sources: SmallVec<[&[u8]; 3]> =
        elems.iter().zip(from).map(|(elem, from)| unsafe { source(*from, size * elem.bytes()) }).collect();
    // SAFETY: as above.
    let to = unsafe { target::<u8>(to, size * instruction.elem.bytes()) };
    let operand = elems.first().copied().unwrap_or(instruction.elem);
    let cx = ElementCx { op: module.op(instruction.op), operand, result: instruction.elem };
    let mut elements: SmallVec<[Scalar; 3]> = SmallVec::from_elem(Scalar::Bool(false), elems.len());
    for i in 0..size {
        for ((slot, source), elem) in elements.iter_mut().zip(&sources).zip(&elems) {
            *slot = read(*elem, source, i);
        }
        write(instruction.elem, to, i, formula(&cx, &elements));
    }
}

/// A loop over arrays: everything that its parts look at.
struct Runner<'a> {
    module: &'a Module,
    fused: &'a Fused,
    dims: &'a [Dim],
    /// The first element of each input.
    pointers: &'a [*const u8],
    /// Of each input whether its elements stand in the order of the iteration.
    straight: &'a [bool],
    targets: &'a [*mut u8],
    in_place: &'a [bool],
    /// How many elements there are, how many in a row, and how many are done at a time.
    count: usize,
    inner: usize,
    chunk: usize,
}

// SAFETY: the pointers are to arrays that whoever runs the loop holds; parts of it write different elements of the outputs.
unsafe impl Sync for Runner<'_> {}

/// What one part of a loop has for itself.
struct Part<'a> {
    runner: &'a Runner<'a>,
    rooms: Rooms,
    readings: SmallVec<[Reading; 8]>,
}

impl Runner<'_> {
    /// The elements in parts for so many threads: no two of them write the same result.
    fn parts(&self, hands: usize) -> SmallVec<[Range<usize>; 8]> {
        let whole = smallvec::smallvec![0..self.count];
        if hands == 1 || self.count < crate::LARGE {
            return whole;
        }
        let outermost = &self.dims[0];
        let mut folds = outermost.strides[self.pointers.len()..].iter().peekable();
        let unit = if folds.peek().is_some() {
            if folds.any(|stride| *stride == 0) {
                return whole;
            }
            self.count / outermost.size
        } else if self.dims.len() == 1 {
            self.chunk
        } else {
            self.inner
        };
        let units = self.count.div_ceil(unit);
        let part = units.div_ceil(units.min(4 * hands)) * unit;
        (0..self.count).step_by(part).map(|start| start..(start + part).min(self.count)).collect()
    }

    /// Runs the loop for a part of its elements.
    fn run(&self, range: Range<usize>, scratch: &mut Scratch) {
        let words = room_words(self.fused, self.chunk);
        if scratch.len() < words {
            scratch.resize(words, 0);
        }
        let rooms = Rooms::new(self.fused, self.chunk, scratch.as_mut_ptr().cast());
        let reading = |n: usize| {
            let (pointer, width) = (self.pointers[n], self.fused.inputs[n].bytes());
            if self.dims.iter().all(|dim| dim.strides[n] == 0) {
                // SAFETY: the room has as many elements as a chunk, and the input has one.
                unsafe { repeat(width, pointer, rooms.inputs[n], self.chunk.min(range.len())) };
                Reading::Constant(rooms.inputs[n])
            } else if self.straight[n] {
                Reading::Straight(pointer)
            } else {
                Reading::Strided(pointer, rooms.inputs[n])
            }
        };
        let readings = (0..self.pointers.len()).map(reading).collect();
        Part { runner: self, rooms, readings }.run(range);
    }
}

impl<'a> std::ops::Deref for Part<'a> {
    type Target = Runner<'a>;
    fn deref(&self) -> &Runner<'a> {
        self.runner
    }
}

impl Part<'_> {
    fn run(&self, range: Range<usize>) {
        let (inner, chunk) = (self.inner, self.chunk);
        let mut registers: SmallVec<[*const u8; 24]> =
            SmallVec::from_elem(std::ptr::null(), self.readings.len() + self.fused.code.len());
        let across = |reading: (usize, &Reading)| {
            let last = self.dims.len() - 1;
            matches!(reading.1, Reading::Strided(..))
                && self.dims[last].strides[reading.0].unsigned_abs() > 1
                && self.dims[..last].iter().any(|dim| dim.strides[reading.0].unsigned_abs() == 1)
        };
        if chunk < inner && self.readings.iter().enumerate().any(across) {
            // Pieces of rows that are read across: all rows of one piece first, so that what is read stays near.
            for piece in (0..inner).step_by(chunk) {
                let size = chunk.min(inner - piece);
                for row in range.clone().step_by(inner) {
                    self.chunk(row + piece, size, inner, &mut registers);
                }
            }
            return;
        }
        if chunk < inner {
            let mut at = range.start;
            while at < range.end {
                let row_end = (at / inner + 1) * inner;
                let size = chunk.min(row_end.min(range.end) - at);
                self.chunk(at, size, inner, &mut registers);
                at += size;
            }
            return;
        }
        for start in range.clone().step_by(chunk) {
            self.chunk(start, chunk.min(range.end - start), inner, &mut registers);
        }
    }

    /// Runs all instructions for elements that are part of one row, or whole rows.
    fn chunk(&self, start: usize, size: usize, inner: usize, registers: &mut [*const u8]) {
        for (n, reading) in self.readings.iter().enumerate() {
            let width = self.fused.inputs[n].bytes();
            registers[n] = match *reading {
                // SAFETY: the input has an element for each of the iteration.
                Reading::Straight(pointer) => unsafe { pointer.add(start * width) },
                Reading::Constant(pointer) => pointer,
                Reading::Strided(pointer, room) => self.pick(n, pointer, room, start, size, inner),
            };
        }
        for (n, instruction) in self.fused.code.iter().enumerate() {
            let to = match self.fused.places[n] {
                Place::Output(output, _) if !self.in_place[output] => {
                    // SAFETY: the output has an element for each of the iteration.
                    unsafe { self.targets[output].add(start * instruction.elem.bytes()) }
                }
                Place::Room(room) | Place::Output(_, room) => self.rooms.results[room],
            };
            let mut from = [std::ptr::null(); 3];
            from.iter_mut().zip(&instruction.from).for_each(|(slot, register)| *slot = registers[*register]);
            // SAFETY: registers hold `size` elements of the types of the instruction; a room is given to no result while another in it is
            // still to be read.
            unsafe { execute(self.module, instruction, |register| self.elem(register), to, &from, size) };
            registers[self.readings.len() + n] = to;
        }
        let mut folds = self.readings.len();
        for (n, output) in self.fused.outputs.iter().enumerate() {
            let from = registers[output.register];
            let width = output.elem.bytes();
            match &output.fold {
                Some(fold) => {
                    self.fold(fold, folds, self.targets[n], from, width, start, size, inner);
                    folds += 1;
                }
                None if self.in_place[n] || !self.is_placed(output.register, n) => {
                    // SAFETY: the output has an element for each of the iteration; the register is another place, or, for
                    // an input that leaves the loop as it is, may be the same one.
                    unsafe { std::ptr::copy(from, self.targets[n].add(start * width), size * width) };
                }
                None => {}
            }
        }
    }

    fn elem(&self, register: usize) -> Elem {
        match register.checked_sub(self.readings.len()) {
            Some(n) => self.fused.code[n].elem,
            None => self.fused.inputs[register],
        }
    }

    /// Whether an instruction writes an output itself.
    fn is_placed(&self, register: usize, output: usize) -> bool {
        register
            .checked_sub(self.readings.len())
            .is_some_and(|n| matches!(self.fused.places[n], Place::Output(o, _) if o == output))
    }

    /// The position of an element of the iteration in a walk.
    fn position(&self, n: usize, mut index: usize) -> isize {
        let mut position = 0;
        for dim in self.dims.iter().rev() {
            position += (index % dim.size) as isize * dim.strides[n];
            index /= dim.size;
        }
        position
    }

    /// The elements of a chunk of an input, in order.
    fn pick(
        &self,
        n: usize,
        base: *const u8,
        room: *mut u8,
        start: usize,
        size: usize,
        inner: usize,
    ) -> *const u8 {
        let width = self.fused.inputs[n].bytes();
        let stride = self.dims.last().map_or(0, |dim| dim.strides[n]) as i64;
        if size <= inner {
            // SAFETY: an element of the input.
            let from = unsafe { base.offset(self.position(n, start) * width as isize) };
            if stride == 1 {
                return from;
            }
            // SAFETY: a part of a row of the input, and a room for a chunk.
            unsafe { copy_box(width, &[size as i64], (from, &[stride]), (room, &[1])) };
            return room;
        }
        // Rows of the last two dimensions that have the same distance are copied at once.
        let mut done = 0;
        while done < size {
            let row = (start + done) / inner;
            let (rows, step) = match self.dims.len().checked_sub(2).map(|d| &self.dims[d]) {
                Some(dim) => ((dim.size - row % dim.size).min((size - done) / inner), dim.strides[n] as i64),
                None => ((size - done) / inner, 0),
            };
            let shape = [rows as i64, inner as i64];
            // SAFETY: elements of the input, and a room for a chunk.
            unsafe {
                let from = base.offset(self.position(n, start + done) * width as isize);
                copy_box(
                    width,
                    &shape,
                    (from, &[step, stride]),
                    (room.add(done * width), &[inner as i64, 1]),
                );
            }
            done += rows * inner;
        }
        room
    }

    /// Folds the elements of a chunk into an output.
    #[allow(clippy::too_many_arguments, reason = "one chunk and where it goes")]
    fn fold(
        &self,
        fold: &super::FoldOutput,
        walk: usize,
        to: *mut u8,
        from: *const u8,
        width: usize,
        start: usize,
        size: usize,
        inner: usize,
    ) {
        let running = fold.folder.running.bytes();
        let row = size.min(inner);
        let folded = self.dims.last().is_none_or(|dim| dim.strides[walk] == 0);
        for done in (0..size).step_by(row) {
            // SAFETY: the position of a kept index in the output; the elements of the chunk in order.
            unsafe {
                let result = to.offset(self.position(walk, start + done) * running as isize);
                let elements = from.add(done * width);
                let kernel = if folded { fold.folder.row } else { fold.folder.each };
                kernel(result, elements, row);
            }
        }
    }
}
