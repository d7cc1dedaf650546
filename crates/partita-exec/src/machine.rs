//! One device: its values, its place in the program, and the steps that need no other device.
//!
//! The place in the program is a stack of frames on the heap, so that a device can stop in the middle of nested loops to wait for
//! others, and go on later on any thread.

use crate::alike::{Alike, Key, Taken};
use crate::array::Array;
use crate::kernels::slices;
use crate::log::Log;
use crate::loops;
use crate::pool::Pool;
use crate::program::{Action, Operand, Program, Step};
use partita::interpret::{CollectiveOp, Device, EvalError, Failure, RegionCaller, RunError, RunErrorKind};
use partita::ir::{Elem, OpId, RegionId, ValueId};
use partita::ops::Eval;
use partita::value::tensor::read;
use partita::value::{Scalar, Tensor};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The run goes on after failed checks, but not after so many.
const MAX_FAILURES: usize = 20;

/// How deep kernels that call regions may nest.
const MAX_NESTING: u32 = 256;

/// Why a device does not go on by itself.
pub(crate) enum Pause {
    /// It is done, with these results.
    Done(Vec<Tensor>),
    /// It waits for others of its group, with what it brings.
    Wait(Wait),
    /// Another device is at a step that this one would do alike.
    Later(Key),
}

/// What a device waits for.
pub(crate) struct Wait {
    pub(crate) op: OpId,
    pub(crate) kind: CollectiveOp,
    pub(crate) operands: Vec<Tensor>,
}

/// A step by its place in the program.
#[derive(Clone, Copy)]
struct At {
    block: usize,
    step: usize,
}

struct Frame {
    block: usize,
    /// The next step.
    next: usize,
    then: Then,
}

/// What happens with what a block returns.
enum Then {
    /// It goes to whoever runs the machine.
    Leave,
    /// It becomes the results of a step.
    Results(At),
    /// It says whether a loop goes on with these values.
    Test(At, Vec<Array>),
    /// It is what a loop goes on with.
    Repeat(At),
}

/// What follows a step.
enum Flow {
    Next,
    Leave(Vec<Array>),
    Wait(Wait),
    Later(Key),
}

/// What a device finds at a step that others may do alike.
enum Come {
    /// Nobody else does it.
    Alone,
    /// It is the first, and so many others can use what it computes.
    First(Key, usize),
    /// It has what another has computed.
    Done,
    /// Another is at it.
    Later(Key),
}

/// One device.
pub(crate) struct Machine<'p> {
    program: &'p Program<'p>,
    pub(crate) device: Device,
    /// Whether there are other devices, so that messages name this one.
    named: bool,
    /// Set where the run is to end before its next step.
    stop: Option<&'p AtomicBool>,
    values: Vec<Option<Array>>,
    frames: Vec<Frame>,
    pub(crate) pool: Pool,
    pub(crate) failures: Vec<Failure>,
    nesting: u32,
    /// What it did when, where somebody wants to know.
    pub(crate) log: Option<Log>,
    /// The step that waits for others.
    waiting: Option<At>,
    /// Its number among all devices, and what it does alike with others.
    number: usize,
    alike: Option<&'p Alike>,
    /// How often it has done each step that others do alike.
    rounds: Vec<u32>,
}

impl<'p> Machine<'p> {
    /// A device that is about to run a program. The arguments fit.
    pub(crate) fn new(
        program: &'p Program<'p>,
        device: Device,
        named: bool,
        stop: Option<&'p AtomicBool>,
        args: Vec<Tensor>,
        pool: Pool,
        (number, alike): (usize, Option<&'p Alike>),
    ) -> Machine<'p> {
        let mut values: Vec<Option<Array>> = Vec::new();
        values.resize_with(program.module.values.len(), || None);
        for (value, array) in &program.constants {
            values[index(*value)] = Some(array.clone());
        }
        let mut machine = Machine {
            program,
            device,
            named,
            stop,
            values,
            frames: Vec::new(),
            pool,
            failures: Vec::new(),
            nesting: 0,
            log: None,
            waiting: None,
            number,
            alike,
            rounds: vec![0; alike.map_or(0, Alike::len)],
        };
        machine.enter(program.entry, args.into_iter().map(Array::new).collect(), Then::Leave);
        machine
    }

    /// Runs until the program ends or the device must wait.
    pub(crate) fn run(&mut self, observe: &mut dyn FnMut(OpId)) -> Result<Pause, RunError> {
        match self.go_on(observe)? {
            Flow::Wait(wait) => Ok(Pause::Wait(wait)),
            Flow::Later(key) => Ok(Pause::Later(key)),
            Flow::Leave(arrays) => {
                Ok(Pause::Done(arrays.into_iter().map(|a| a.into_tensor(&mut self.pool)).collect()))
            }
            Flow::Next => Ok(Pause::Done(Vec::new())),
        }
    }

    /// Gives the step that waited its results; the others came at a time.
    pub(crate) fn resume(&mut self, results: Vec<Tensor>, came: Instant) {
        if let Some(at) = self.waiting.take() {
            if let Some(log) = &mut self.log {
                log.met(self.program.blocks[at.block].steps[at.step].op, came);
            }
            self.complete(at, results.into_iter().map(Array::new).collect());
        }
    }

    fn go_on(&mut self, observe: &mut dyn FnMut(OpId)) -> Result<Flow, RunError> {
        let program = self.program;
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(Flow::Leave(Vec::new())) };
            let block = &program.blocks[frame.block];
            let Some(step) = block.steps.get(frame.next) else {
                match self.leave(observe)? {
                    Flow::Next => continue,
                    flow => return Ok(flow),
                }
            };
            let at = At { block: frame.block, step: frame.next };
            frame.next += 1;
            let common = match self.common(at, step) {
                Come::Alone => None,
                Come::First(key, others) => Some((key, others)),
                Come::Done => continue,
                Come::Later(key) => return Ok(Flow::Later(key)),
            };
            if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                let stop = Stop::Here(RunErrorKind::Stopped, "the run was stopped".into());
                return Err(self.place(step.op, stop));
            }
            step.others.iter().for_each(|op| observe(*op));
            observe(step.op);
            let start = self.log.as_ref().map(|_| Instant::now());
            let flow = self.step(at, step, observe);
            if let (Some(log), Some(start)) = (&mut self.log, start) {
                match flow {
                    Ok(Flow::Wait(_)) => log.waits(),
                    _ => log.done(step.op, 1 + step.others.len(), start),
                }
            }
            match flow {
                Ok(Flow::Next) => {
                    if let (Some((key, others)), Some(alike)) = (common, self.alike) {
                        let results = step.results.iter().map(|value| self.values[index((*value)?)].clone());
                        alike.board.give(key, results.collect(), others);
                        self.pool.crew.announce();
                    }
                }
                Ok(flow) => return Ok(flow),
                Err(error) => return Err(self.place(step.op, error)),
            }
        }
    }

    /// Comes to a step that others may do alike, and takes what they have given.
    fn common(&mut self, at: At, step: &Step) -> Come {
        let Some(alike) = self.alike else { return Come::Alone };
        let Some(common) = alike.common(at.block, at.step, self.number) else { return Come::Alone };
        let round = &mut self.rounds[common.step as usize];
        let key = Key { step: common.step, first: common.first, round: *round };
        match alike.board.take(key) {
            Taken::Nothing => {
                *round += 1;
                Come::First(key, common.others)
            }
            Taken::Busy => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.next = at.step;
                }
                Come::Later(key)
            }
            Taken::Results(results) => {
                *round += 1;
                for operand in step.operands.iter().filter(|operand| operand.dies) {
                    self.free(operand.value);
                }
                for (place, array) in step.results.iter().zip(results) {
                    if let Some(value) = place {
                        self.values[index(*value)] = array;
                    }
                }
                step.drops.iter().for_each(|value| self.free(*value));
                Come::Done
            }
        }
    }

    /// Does one step.
    fn step(&mut self, at: At, step: &'p Step, observe: &mut dyn FnMut(OpId)) -> Result<Flow, Stop> {
        let module = &*self.program.module;
        let results: Vec<Array> = match &step.action {
            Action::Loop(fused) => {
                let (inputs, starts) = step.operands.split_at(fused.inputs.len());
                let inputs = self.arrays(inputs)?;
                let starts = self.tensors(starts)?;
                if fused.is_folds_only() && inputs.iter().all(Array::is_constant) {
                    // Equal elements, however many, are folded in a few steps.
                    let ops = step.others.iter().chain([&step.op]);
                    let mut results = Vec::with_capacity(starts.len());
                    for ((op, output), start) in ops.zip(&fused.outputs).zip(starts) {
                        let input = inputs[output.register].tensor(&mut self.pool);
                        results.append(&mut self.reference(*op, vec![input, start], observe)?);
                    }
                    results
                } else {
                    loops::run(module, fused, inputs, &starts, &mut self.pool)
                        .into_iter()
                        .map(Array::new)
                        .collect()
                }
            }
            Action::View(view) => {
                let array = self.first(step)?;
                vec![view.apply(array, &mut self.pool)]
            }
            Action::Dot(dot) => {
                let mut arrays = self.arrays(&step.operands)?;
                match (arrays.pop(), arrays.pop()) {
                    (Some(right), Some(left)) => {
                        if left.is_constant() && right.is_constant() {
                            let tensors =
                                vec![left.into_tensor(&mut self.pool), right.into_tensor(&mut self.pool)];
                            self.reference(step.op, tensors, observe)?
                        } else {
                            vec![Array::new(dot.run(left, right, &mut self.pool))]
                        }
                    }
                    _ => return Err(missing()),
                }
            }
            Action::Convolution(convolution) => {
                let mut arrays = self.arrays(&step.operands)?;
                let (Some(right), Some(left)) = (arrays.pop(), arrays.pop()) else { return Err(missing()) };
                vec![Array::new(convolution.run(left, right, &mut self.pool))]
            }
            Action::DynamicSlice { copy } => {
                let mut arrays = self.arrays(&step.operands)?;
                let indices = arrays.split_off(1.min(arrays.len()));
                let array = arrays.pop().ok_or_else(missing)?;
                let shape = &module.op(step.op).result_tensor(0).shape;
                let starts = slices::starts(&indices, &array.shape, shape);
                let slice = slices::slice(array, &starts, shape);
                if *copy && !slice.is_constant() {
                    let tensor = slice.copied(&mut self.pool);
                    slice.recycle(&mut self.pool);
                    vec![Array::new(tensor)]
                } else {
                    vec![slice]
                }
            }
            Action::DynamicUpdateSlice => {
                let mut arrays = self.arrays(&step.operands)?;
                let indices = arrays.split_off(2.min(arrays.len()));
                let (Some(update), Some(array)) = (arrays.pop(), arrays.pop()) else { return Err(missing()) };
                let starts = slices::starts(&indices, &array.shape, &update.shape);
                let result = slices::update(array, &update, &starts, &mut self.pool);
                update.recycle(&mut self.pool);
                vec![Array::new(result)]
            }
            Action::Concatenate(dim) => {
                let arrays = self.arrays(&step.operands)?;
                let ty = module.op(step.op).result_tensor(0);
                let result = slices::concatenate(&arrays, *dim, ty, &mut self.pool);
                arrays.into_iter().for_each(|array| array.recycle(&mut self.pool));
                vec![Array::new(result)]
            }
            Action::Pad => {
                let mut arrays = self.arrays(&step.operands)?;
                let (Some(value), Some(array)) = (arrays.pop(), arrays.pop()) else { return Err(missing()) };
                vec![Array::new(slices::pad(module.op(step.op), array, &value, &mut self.pool))]
            }
            Action::Compute(kernel) => {
                let arrays = self.arrays(&step.operands)?;
                kernel.run(module, arrays, &mut self.pool).into_iter().map(Array::new).collect()
            }
            Action::Reference => {
                let tensors = self.tensors(&step.operands)?;
                self.reference(step.op, tensors, observe)?
            }
            Action::While(test, _) => {
                let values = self.arrays(&step.operands)?;
                self.enter(*test, values.clone(), Then::Test(at, values));
                return Ok(Flow::Next);
            }
            Action::Branch(blocks) => {
                let array = self.first(step)?;
                let scalar = read(array.elem(), array.element(0), 0);
                let last = blocks.len().saturating_sub(1);
                let chosen = match scalar {
                    Scalar::Bool(first) => usize::from(!first),
                    index => usize::try_from(index.as_i64()).map_or(last, |index| index.min(last)),
                };
                let Some(&block) = blocks.get(chosen) else { return Err(missing()) };
                self.enter(block, Vec::new(), Then::Results(at));
                return Ok(Flow::Next);
            }
            Action::Inline(block) => {
                let values = self.arrays(&step.operands)?;
                self.enter(*block, values, Then::Results(at));
                return Ok(Flow::Next);
            }
            Action::ReplicaId => vec![device_id(self.device.replica)],
            Action::PartitionId => vec![device_id(self.device.partition)],
            Action::Collective(kind) => {
                let operands = self.tensors(&step.operands)?;
                self.waiting = Some(at);
                return Ok(Flow::Wait(Wait { op: step.op, kind: *kind, operands }));
            }
        };
        self.complete(at, results);
        Ok(Flow::Next)
    }

    /// The kernel of an op's row.
    fn reference(
        &mut self,
        id: OpId,
        operands: Vec<Tensor>,
        observe: &mut dyn FnMut(OpId),
    ) -> Result<Vec<Array>, Stop> {
        let op = self.program.module.op(id);
        let results = match op.def().eval {
            Eval::Elementwise(formula) => Ok(vec![partita::interpret::elementwise(op, formula, &operands)]),
            Eval::Kernel(kernel) => kernel(op, &operands),
            Eval::Regions(kernel) => self.with_regions(observe, |caller| kernel(caller, op, &operands))?,
            Eval::Refuse(reason) => Err(EvalError::new(format!("it cannot be evaluated: {reason}"))),
            Eval::Driver(_) => Err(EvalError::new("it is left to the reference interpreter")),
        };
        match results {
            Ok(results) => {
                operands.into_iter().for_each(|tensor| self.pool.recycle(tensor));
                Ok(results.into_iter().map(Array::new).collect())
            }
            Err(error) if error.check && op.op().results.is_empty() => {
                let failure = self.failure(id, error.message);
                self.failures.push(failure);
                if self.failures.len() < MAX_FAILURES {
                    return Ok(Vec::new());
                }
                let failures = std::mem::take(&mut self.failures);
                Err(Stop::Placed(Box::new(RunError { kind: RunErrorKind::Checks, failures })))
            }
            Err(error) => {
                let kind = if error.check { RunErrorKind::Checks } else { RunErrorKind::Program };
                Err(Stop::Here(kind, error.message))
            }
        }
    }

    /// Runs something that calls regions on this device.
    pub(crate) fn with_regions<T>(
        &mut self,
        observe: &mut dyn FnMut(OpId),
        kernel: impl FnOnce(&mut RegionCaller<'_, '_>) -> Result<T, EvalError>,
    ) -> Result<Result<T, EvalError>, Stop> {
        let program = self.program;
        // An error inside of the region knows its place better than the kernel does.
        let mut inner = None;
        let mut run = |region: RegionId, args: &[Tensor]| match self.call_region(region, args, observe) {
            Ok(results) => Ok(results),
            Err(Stop::Here(_, message)) => Err(EvalError::new(message)),
            Err(stop) => {
                inner = Some(stop);
                Err(EvalError::new("the region failed"))
            }
        };
        let result = kernel(&mut RegionCaller::new(&program.module, &mut run));
        match inner {
            Some(stop) => Err(stop),
            None => Ok(result),
        }
    }

    fn call_region(
        &mut self,
        region: RegionId,
        args: &[Tensor],
        observe: &mut dyn FnMut(OpId),
    ) -> Result<Vec<Tensor>, Stop> {
        let Some(&block) = self.program.regions.get(&region) else { return Err(missing()) };
        if self.nesting == MAX_NESTING {
            let message = format!("regions that kernels call nest more than {MAX_NESTING} deep");
            return Err(Stop::Here(RunErrorKind::Program, message));
        }
        self.nesting += 1;
        // What happens inside is part of what the kernel does.
        let log = self.log.take();
        let outer = std::mem::take(&mut self.frames);
        self.enter(block, args.iter().cloned().map(Array::new).collect(), Then::Leave);
        let flow = self.go_on(observe);
        self.frames = outer;
        self.log = log;
        self.nesting -= 1;
        match flow {
            Ok(Flow::Leave(arrays)) => {
                Ok(arrays.into_iter().map(|a| a.into_tensor(&mut self.pool)).collect())
            }
            Ok(_) => Err(Stop::Here(
                RunErrorKind::Program,
                "its region must wait for other devices, which the region of a kernel cannot".into(),
            )),
            Err(error) => Err(Stop::Placed(Box::new(error))),
        }
    }

    // --- blocks ---

    fn enter(&mut self, block: usize, args: Vec<Array>, then: Then) {
        for (arg, value) in self.program.blocks[block].args.iter().zip(args) {
            if let Some(arg) = arg {
                self.values[index(*arg)] = Some(value);
            }
        }
        self.frames.push(Frame { block, next: 0, then });
    }

    /// Ends a block: what it returns goes where the frame says.
    fn leave(&mut self, _: &mut dyn FnMut(OpId)) -> Result<Flow, RunError> {
        let Some(frame) = self.frames.pop() else { return Ok(Flow::Leave(Vec::new())) };
        let program = self.program;
        let results = self.arrays(&program.blocks[frame.block].results);
        let results = match (results, &frame.then) {
            (Ok(results), _) => results,
            (Err(stop), Then::Results(at) | Then::Test(at, _) | Then::Repeat(at)) => {
                return Err(self.place(program.blocks[at.block].steps[at.step].op, stop));
            }
            (Err(Stop::Placed(error)), Then::Leave) => return Err(*error),
            (Err(Stop::Here(kind, message)), Then::Leave) => {
                let failure =
                    Failure { message, op: None, span: Default::default(), function: None, device: None };
                return Err(RunError { kind, failures: vec![failure] });
            }
        };
        match frame.then {
            Then::Leave => return Ok(Flow::Leave(results)),
            Then::Results(at) => self.complete(at, results),
            Then::Repeat(at) => {
                if let Action::While(test, _) = program.blocks[at.block].steps[at.step].action {
                    let results: Vec<Array> = results.into_iter().map(|array| self.settled(array)).collect();
                    self.enter(test, results.clone(), Then::Test(at, results));
                }
            }
            Then::Test(at, values) => {
                let again = results.first().is_some_and(|a| read(a.elem(), a.element(0), 0).is_true());
                match program.blocks[at.block].steps[at.step].action {
                    Action::While(_, body) if again => self.enter(body, values, Then::Repeat(at)),
                    _ => self.complete(at, values),
                }
            }
        }
        Ok(Flow::Next)
    }

    /// A value that a loop carries holds no more memory than it needs.
    fn settled(&mut self, array: Array) -> Array {
        if array.is_constant() || array.is_row_major() {
            return array;
        }
        array.into_row_major(&mut self.pool)
    }

    // --- values ---

    fn array(&mut self, operand: Operand) -> Result<Array, Stop> {
        let slot = &mut self.values[index(operand.value)];
        let array = if operand.dies { slot.take() } else { slot.clone() };
        array.ok_or_else(missing)
    }

    fn arrays(&mut self, operands: &[Operand]) -> Result<Vec<Array>, Stop> {
        operands.iter().map(|operand| self.array(*operand)).collect()
    }

    fn tensors(&mut self, operands: &[Operand]) -> Result<Vec<Tensor>, Stop> {
        let mut list = Vec::with_capacity(operands.len());
        for operand in operands {
            let array = self.array(*operand)?;
            list.push(array.into_tensor(&mut self.pool));
        }
        Ok(list)
    }

    fn first(&mut self, step: &Step) -> Result<Array, Stop> {
        let operand = step.operands.first().copied().ok_or_else(missing)?;
        self.array(operand)
    }

    /// Sets the results of a step, and frees what nothing reads any more.
    fn complete(&mut self, at: At, results: Vec<Array>) {
        let step = &self.program.blocks[at.block].steps[at.step];
        for (place, array) in step.results.iter().zip(results) {
            match place {
                Some(value) => self.values[index(*value)] = Some(array),
                None => array.recycle(&mut self.pool),
            }
        }
        step.drops.iter().for_each(|value| self.free(*value));
    }

    /// Gives up a value.
    fn free(&mut self, value: ValueId) {
        if let Some(array) = self.values[index(value)].take() {
            array.recycle(&mut self.pool);
        }
    }

    // --- errors ---

    /// An error at an operation.
    fn place(&self, op: OpId, stop: Stop) -> RunError {
        match stop {
            Stop::Placed(error) => *error,
            Stop::Here(kind, message) => RunError { kind, failures: vec![self.failure(op, message)] },
        }
    }

    /// A failure at an operation, as the program that was compiled has it.
    pub(crate) fn failure(&self, op: OpId, message: String) -> Failure {
        self.program.failure(op, message, self.named.then_some(self.device))
    }
}

/// Why a step did not work: an error that has its place already, or one that still needs it.
pub(crate) enum Stop {
    Here(RunErrorKind, String),
    Placed(Box<RunError>),
}

/// The compiler has made a mistake: better an error than a wrong value.
fn missing() -> Stop {
    Stop::Here(RunErrorKind::Program, "a value it needs has not been computed".into())
}

fn index(value: ValueId) -> usize {
    partita::ir::Id::index(value)
}

fn device_id(id: u32) -> Array {
    Array::new(Tensor::scalar(Elem::Uint(32), Scalar::Uint(u64::from(id))))
}
