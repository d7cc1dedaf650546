//! Regions on scalars, such as those of reductions and scatters, as instructions that run for many elements at once.

use super::fold::Fold;
use super::run::execute;
use super::{How, Instruction, Register, folder, kernel};
use crate::copy::copy_box;
use partita::Module;
use partita::interpret::DriverOp;
use partita::ir::{Elem, OpRef, RegionId, ValueId};
use partita::ops::rule::Combine;
use partita::ops::{Eval, OpKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// So many elements are done at a time.
const CHUNK: usize = 512;

/// A region, compiled.
pub(crate) struct Lanes {
    /// The types of its arguments.
    pub(crate) args: SmallVec<[Elem; 4]>,
    /// The types of its results.
    pub(crate) results: SmallVec<[Elem; 2]>,
    constants: Vec<(Elem, [u8; 16])>,
    code: Vec<Instruction>,
    /// Which registers are returned: arguments first, then constants, then the results of instructions.
    returned: SmallVec<[Register; 2]>,
    /// The kernel that folds elements into running values in place, where the region is a known way to combine.
    fold: Option<Fold>,
}

/// Elements in memory: where the first stands, and by how many elements one walks in each dimension of a box.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a, P> {
    /// The first element.
    pub(crate) first: P,
    /// From index to index in each dimension.
    pub(crate) strides: &'a [i64],
}

impl Lanes {
    /// Compiles a region; nothing where it is more than functions of its scalar arguments.
    pub(crate) fn of(module: &Module, region: RegionId) -> Option<Lanes> {
        let region = &module.regions[region];
        let scalar = |value: ValueId| module.tensor_type(value).filter(|ty| ty.rank() == 0).map(|ty| ty.elem);
        let args: SmallVec<[Elem; 4]> = region.args.iter().map(scalar).collect::<Option<_>>()?;
        let (end, body) = region.ops.split_last()?;
        let mut constants: Vec<(ValueId, Elem, [u8; 16])> = Vec::new();
        let mut same: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let name =
            |same: &FxHashMap<ValueId, ValueId>, value: ValueId| same.get(&value).copied().unwrap_or(value);
        let mut ops = Vec::new();
        for &id in body {
            let op = module.op(id);
            match op.def().eval {
                Eval::Driver(DriverOp::Identity) => {
                    for (result, operand) in op.results().zip(op.operands()) {
                        same.insert(result, name(&same, *operand));
                    }
                }
                Eval::Kernel(make) if op.operands().is_empty() && !op.has_effect() => {
                    let tensors = make(op, &[]).ok()?;
                    for (value, tensor) in op.results().zip(tensors) {
                        let mut bytes = [0; 16];
                        let element = tensor.element_bytes(0);
                        bytes[..element.len()].copy_from_slice(element);
                        constants.push((value, scalar(value)?, bytes));
                    }
                }
                Eval::Elementwise(formula) if (1..=3).contains(&op.operands().len()) => {
                    ops.push((id, formula))
                }
                _ => return None,
            }
        }
        let mut registers: FxHashMap<ValueId, Register> = FxHashMap::default();
        let first = region.args.iter().chain(constants.iter().map(|(value, ..)| *value));
        first.enumerate().for_each(|(n, value)| {
            registers.insert(value, n);
        });
        let mut code = Vec::with_capacity(ops.len());
        for (id, formula) in ops {
            let op = module.op(id);
            let from = op.operands().iter().map(|v| registers.get(&name(&same, *v)).copied());
            let from = from.collect::<Option<SmallVec<[Register; 3]>>>()?;
            let result = op.op().results.at(0);
            let how = kernel(op).map_or(How::Formula(formula), How::Kernel);
            registers.insert(result, args.len() + constants.len() + code.len());
            code.push(Instruction { op: id, how, from, elem: scalar(result)? });
        }
        let returned = module.operands(*end).iter();
        let results = returned.clone().map(|v| scalar(*v)).collect::<Option<SmallVec<[Elem; 2]>>>()?;
        let returned: SmallVec<[Register; 2]> =
            returned.map(|v| registers.get(&name(&same, *v)).copied()).collect::<Option<_>>()?;
        let fold = known(module, &args, &code).filter(|_| returned[..] == [args.len() + constants.len()]);
        let constants = constants.into_iter().map(|(_, elem, bytes)| (elem, bytes)).collect();
        Some(Lanes { args, results, constants, code, returned, fold })
    }

    /// The region of an operation that combines what its results start from with elements of its first operands, where it is one of
    /// scalars and both are of the types of the results.
    pub(crate) fn combining(op: OpRef<'_>) -> Option<Lanes> {
        let elems: Vec<Elem> = (0..op.op().results.len()).map(|n| op.result_tensor(n).elem).collect();
        let fits = |(n, elem): (usize, &Elem)| op.operand_tensor(n).elem == *elem;
        let lanes = Lanes::of(op.module, op.region_id(0))?;
        (lanes.combines(&elems) && elems.iter().enumerate().all(fits)).then_some(lanes)
    }

    /// Whether it takes running values and elements of types, and gives running values.
    pub(crate) fn combines(&self, elems: &[Elem]) -> bool {
        self.args.len() == 2 * elems.len()
            && self.results[..] == *elems
            && self.args[..elems.len()] == *elems
            && self.args[elems.len()..] == *elems
    }

    /// Whether it returns the elements and nothing of the running values.
    pub(crate) fn returns_elements(&self) -> bool {
        let count = self.returned.len();
        self.args.len() == 2 * count
            && self.returned.iter().enumerate().all(|(n, register)| *register == count + n)
    }

    /// What runs it.
    pub(crate) fn runner<'a>(&'a self, module: &'a Module) -> LaneRunner<'a> {
        let words = |elem: Elem| (CHUNK * elem.bytes()).div_ceil(16);
        let elems: SmallVec<[Elem; 8]> = (0..self.returned_end()).map(|n| self.elem(n)).collect();
        let mut memory = vec![0u128; elems.iter().map(|elem| words(*elem)).sum()];
        let mut registers: SmallVec<[*mut u8; 8]> = SmallVec::new();
        let mut rest = &mut memory[..];
        for elem in &elems {
            let (room, others) = std::mem::take(&mut rest).split_at_mut(words(*elem));
            registers.push(room.as_mut_ptr().cast());
            rest = others;
        }
        for (n, (elem, bytes)) in self.constants.iter().enumerate() {
            let to = registers[self.args.len() + n];
            // SAFETY: the register has room for a chunk, and the constant is one element.
            unsafe { copy_box(elem.bytes(), &[CHUNK as i64], (bytes.as_ptr(), &[0]), (to, &[1])) };
        }
        LaneRunner { lanes: self, module, rooms: registers, _memory: memory }
    }

    fn returned_end(&self) -> usize {
        self.args.len() + self.constants.len() + self.code.len()
    }

    fn elem(&self, register: Register) -> Elem {
        let constants = self.args.len() + self.constants.len();
        match register {
            n if n < self.args.len() => self.args[n],
            n if n < constants => self.constants[n - self.args.len()].0,
            n => self.code[n - constants].elem,
        }
    }
}

/// The kernel that folds in place, where all that is done is to combine both arguments in a known way.
fn known(module: &Module, args: &[Elem], code: &[Instruction]) -> Option<Fold> {
    let [instruction] = code else { return None };
    if args.len() != 2 || !matches!(instruction.from[..], [0, 1] | [1, 0]) {
        return None;
    }
    let how = match module.op(instruction.op).kind() {
        OpKind::Add => Combine::Add,
        OpKind::Multiply => Combine::Multiply,
        OpKind::Maximum => Combine::Maximum,
        OpKind::Minimum => Combine::Minimum,
        OpKind::And => Combine::And,
        OpKind::Or => Combine::Or,
        OpKind::Xor => Combine::Xor,
        _ => return None,
    };
    folder(how, args[0]).filter(|folder| folder.running == args[0]).map(|folder| folder.each)
}

/// A region that runs: it and the memory of its registers.
pub(crate) struct LaneRunner<'a> {
    lanes: &'a Lanes,
    module: &'a Module,
    /// For each register memory for a chunk.
    rooms: SmallVec<[*mut u8; 8]>,
    /// Where the rooms are.
    _memory: Vec<u128>,
}

impl LaneRunner<'_> {
    /// Runs the region for up to a chunk of elements, and gives where its results stand. Arguments may stand in their rooms.
    ///
    /// # Safety
    ///
    /// So many elements of the types of the arguments stand where the pointers say, aligned.
    pub(crate) unsafe fn run(&mut self, args: &[*const u8], count: usize) -> SmallVec<[*const u8; 2]> {
        debug_assert!(count <= CHUNK);
        let lanes = self.lanes;
        let constants = lanes.args.len() + lanes.constants.len();
        let place =
            |register: Register| args.get(register).copied().unwrap_or(self.rooms[register].cast_const());
        for (n, instruction) in lanes.code.iter().enumerate() {
            let mut from = [std::ptr::null(); 3];
            from.iter_mut().zip(&instruction.from).for_each(|(slot, register)| *slot = place(*register));
            let to = self.rooms[constants + n];
            // SAFETY: every register holds so many elements of its type, and each has memory of its own.
            unsafe { execute(self.module, instruction, |register| lanes.elem(register), to, &from, count) };
        }
        lanes.returned.iter().map(|register| place(*register)).collect()
    }

    /// One running value becomes what the region makes of it and of an element.
    ///
    /// # Safety
    ///
    /// [`Lanes::combines`] of one type, and both are of it.
    pub(crate) unsafe fn combine_one(&mut self, running: *mut u8, element: *const u8) {
        // SAFETY: what the caller promises; a result stands in memory of its own, or is the running value itself.
        unsafe {
            if let Some(fold) = self.lanes.fold {
                return fold(running, element, 1);
            }
            let result = self.run(&[running.cast_const(), element], 1)[0];
            std::ptr::copy(result, running, self.lanes.args[0].bytes());
        }
    }

    /// For each index of a box: running values become what the region makes of them and of elements.
    ///
    /// # Safety
    ///
    /// [`Lanes::combines`] of the types; all that the walks reach is valid; no two indices reach the same running value, and running values
    /// overlap no elements.
    pub(crate) unsafe fn combine(
        &mut self,
        shape: &[i64],
        running: &[Walk<'_, *mut u8>],
        elements: &[Walk<'_, *const u8>],
    ) {
        if shape.contains(&0) {
            return;
        }
        let strides = || running.iter().map(|w| w.strides).chain(elements.iter().map(|w| w.strides));
        let dims = dims(shape, strides);
        let Some((inner, outer)) = dims.split_last() else { return };
        let mut index: SmallVec<[i64; 6]> = SmallVec::from_elem(0, outer.len());
        loop {
            let offset =
                |walk: usize| -> i64 { outer.iter().zip(&index).map(|(d, i)| d.strides[walk] * i).sum() };
            let mut done = 0;
            while done < inner.size {
                let count = (inner.size - done).min(CHUNK as i64);
                let at = |walk: usize| offset(walk) + done * inner.strides[walk];
                // SAFETY: indices of the box.
                unsafe { self.row(count, running, elements, inner, at) };
                done += count;
            }
            let mut d = outer.len();
            loop {
                if d == 0 {
                    return;
                }
                d -= 1;
                index[d] += 1;
                if index[d] < outer[d].size {
                    break;
                }
                index[d] = 0;
            }
        }
    }

    /// # Safety
    ///
    /// As [`LaneRunner::combine`], for a part of a row that starts so many elements further on.
    unsafe fn row(
        &mut self,
        count: i64,
        running: &[Walk<'_, *mut u8>],
        elements: &[Walk<'_, *const u8>],
        inner: &Dim,
        at: impl Fn(usize) -> i64,
    ) {
        let lanes = self.lanes;
        let bytes = |n: usize| lanes.args[n].bytes() as isize;
        // SAFETY: what the caller promises; rooms have a chunk of elements.
        unsafe {
            let place = |n: usize| {
                let first = match n.checked_sub(running.len()) {
                    Some(n) => elements[n].first,
                    None => running[n].first.cast_const(),
                };
                first.offset(at(n) as isize * bytes(n))
            };
            if let (Some(fold), true) = (lanes.fold, count == 1 || inner.strides.iter().all(|s| *s == 1)) {
                fold(place(0).cast_mut(), place(1), count as usize);
                return;
            }
            let mut args: SmallVec<[*const u8; 4]> = SmallVec::new();
            for n in 0..lanes.args.len() {
                let first = place(n);
                if inner.strides[n] == 1 || count == 1 {
                    args.push(first);
                    continue;
                }
                copy_box(
                    lanes.args[n].bytes(),
                    &[count],
                    (first, &[inner.strides[n]]),
                    (self.rooms[n], &[1]),
                );
                args.push(self.rooms[n].cast_const());
            }
            let results = self.run(&args, count as usize);
            for (n, result) in results.into_iter().enumerate() {
                let to = place(n).cast_mut();
                if result != to.cast_const() {
                    copy_box(lanes.args[n].bytes(), &[count], (result, &[1]), (to, &[inner.strides[n]]));
                }
            }
        }
    }
}

/// One dimension of a box: its size, and the stride of every walk.
#[derive(Debug)]
struct Dim {
    size: i64,
    strides: SmallVec<[i64; 4]>,
}

/// The dimensions of a box, those of size one left out, neighbours merged where all walk straight on. The last is one along which elements
/// stand side by side, or else the longest. There is always one.
fn dims<'a, I: Iterator<Item = &'a [i64]>>(shape: &[i64], strides: impl Fn() -> I) -> SmallVec<[Dim; 6]> {
    let mut dims: SmallVec<[Dim; 6]> = SmallVec::new();
    for (d, &size) in shape.iter().enumerate().filter(|(_, size)| **size != 1) {
        let next = Dim { size, strides: strides().map(|list| list[d]).collect() };
        match dims.last_mut() {
            Some(last)
                if last.strides.iter().zip(&next.strides).all(|(outer, inner)| *outer == inner * size) =>
            {
                last.size *= size;
                last.strides = next.strides;
            }
            _ => dims.push(next),
        }
    }
    let together = |dim: &Dim| dim.strides.iter().filter(|s| s.abs() == 1).count();
    let best = (0..dims.len()).max_by_key(|&d| {
        if dims[d].size < 8 { (0, dims[d].size) } else { (1 + together(&dims[d]), dims[d].size) }
    });
    if let Some(best) = best {
        let inner = dims.remove(best);
        dims.push(inner);
    } else {
        dims.push(Dim { size: 1, strides: strides().map(|_| 1).collect() });
    }
    dims
}
