//! One device: its values, its place in the program, and the ops that need no other device.
//!
//! The place in the program is a stack of frames on the heap, one for each function and region that runs, so
//! that no program is too deep. Only kernels that call regions nest on the stack of this process, and they may
//! do so [`super::env::MAX_NESTING`] times.

use super::env::{Env, Stop, fail};
use super::grid::{Grid, Message};
use super::{
    CollectiveOp, Device, EvalError, Failure, RegionCaller, RunError, RunErrorKind, Value, elementwise,
};
use crate::ir::{FuncId, IdVec, OpId, OpRef, RegionId, Sym, Type, ValueId};
use crate::ops::Eval;
use crate::value::{Scalar, Tensor};

/// The run goes on after failed checks, but not after so many.
const MAX_FAILURES: usize = 20;

/// Why a device does not go on by itself.
pub(super) enum Pause {
    /// It is done, with these results.
    Done(Vec<Value>),
    /// It waits for others.
    Wait(Wait),
}

/// What a device waits for.
pub(super) struct Wait {
    /// The operation.
    pub(super) op: OpId,
    pub(super) kind: WaitKind,
}

pub(super) enum WaitKind {
    /// The others of its group, with what it brings.
    Collective(CollectiveOp, Vec<Tensor>),
    /// A message.
    Receive(Message),
    /// Those that have the other shards of what a manual region returns, with its own.
    Assemble(OpId, Vec<Value>),
}

/// A function or a region that runs.
struct Frame {
    func: FuncId,
    region: RegionId,
    /// The next operation.
    next: usize,
    then: Then,
}

/// What happens with what a region returns.
pub(super) enum Then {
    /// It goes to whoever runs the machine: the program has ended, or a region that a kernel called.
    Leave,
    /// It becomes the results of an operation.
    Results(OpId),
    /// It becomes the one result of an operation that starts something.
    Future(OpId),
    /// It says whether a loop goes on with these values.
    Test(OpId, Vec<Value>),
    /// It is what a loop goes on with.
    Repeat(OpId),
    /// It is a shard of the results of a manual region.
    Assemble(OpId),
}

/// What follows an operation.
pub(super) enum Flow {
    Next,
    Leave(Vec<Value>),
    Wait(WaitKind),
}

/// One device.
pub(super) struct Machine {
    pub(super) device: Device,
    /// Whether there are other devices, so that messages name this one.
    named: bool,
    values: IdVec<ValueId, Option<Value>>,
    frames: Vec<Frame>,
}

impl Machine {
    /// A device that is about to run a function.
    pub(super) fn new(
        env: &Env<'_, '_, '_>,
        device: Device,
        named: bool,
        func: FuncId,
        args: Vec<Value>,
    ) -> Result<Machine, RunError> {
        let module = env.module;
        let name = &module.strings[module.funcs[func].name];
        let Some(body) = module.funcs[func].body else {
            return Err(RunError::refused(format!("`@{name}` has no body to run")));
        };
        let inputs = &module.funcs[func].inputs;
        if inputs.len() != args.len() {
            let (expected, given) = (inputs.len(), args.len());
            return Err(RunError::refused(format!("`@{name}` takes {expected} arguments, not {given}")));
        }
        for (n, (arg, ty)) in args.iter().zip(inputs).enumerate() {
            if !arg.has_type(&module.types[*ty]) {
                let expected = &module.types[*ty];
                return Err(RunError::refused(format!("argument {n} of `@{name}` must be `{expected}`")));
            }
        }
        let values = IdVec::filled(None, module.values.len());
        let mut machine = Machine { device, named, values, frames: Vec::new() };
        machine.enter(env, func, body, args, Then::Leave);
        Ok(machine)
    }

    /// A device among others that is about to run a region of a function.
    pub(super) fn in_region(
        env: &Env<'_, '_, '_>,
        device: Device,
        func: FuncId,
        region: RegionId,
        args: Vec<Value>,
    ) -> Machine {
        let values = IdVec::filled(None, env.module.values.len());
        let mut machine = Machine { device, named: true, values, frames: Vec::new() };
        machine.enter(env, func, region, args, Then::Leave);
        machine
    }

    /// Runs until the program ends or the device must wait.
    pub(super) fn run(&mut self, env: &mut Env<'_, '_, '_>, grid: &mut Grid) -> Result<Pause, RunError> {
        match self.go_on(env, grid) {
            Ok((op, Flow::Wait(kind))) => Ok(Pause::Wait(Wait { op, kind })),
            Ok((_, Flow::Leave(results))) => Ok(Pause::Done(results)),
            Ok((_, Flow::Next)) => Ok(Pause::Done(Vec::new())),
            Err(error) => Err(error),
        }
    }

    /// Gives an operation that waited its results.
    pub(super) fn resume(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        op: OpId,
        results: Vec<Value>,
    ) -> Result<(), RunError> {
        self.complete(env, op, results).map_err(|stop| self.place(env, op, stop))
    }

    /// Runs something that calls regions on this device.
    pub(super) fn with_regions<T>(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        grid: &mut Grid,
        kernel: impl FnOnce(&mut RegionCaller<'_, '_>) -> Result<T, EvalError>,
    ) -> Result<Result<T, EvalError>, Stop> {
        // An error inside of the region knows its place better than the kernel does.
        let mut inner = None;
        let module = env.module;
        let mut run = |region: RegionId, args: &[Tensor]| {
            let args = args.iter().cloned().map(Value::Tensor).collect();
            match self.call_region(env, grid, region, args) {
                Ok(results) => into_tensors(results),
                Err(Stop::Here(_, message)) => Err(EvalError::new(message)),
                Err(stop) => {
                    inner = Some(stop);
                    Err(EvalError::new("the region failed"))
                }
            }
        };
        let result = kernel(&mut RegionCaller::new(module, &mut run));
        match inner {
            Some(stop) => Err(stop),
            None => Ok(result),
        }
    }

    fn call_region(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        grid: &mut Grid,
        region: RegionId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Stop> {
        let Some(func) = self.frames.last().map(|frame| frame.func) else {
            return Err(fail("a region is called outside of a function"));
        };
        let depth = self.frames.len();
        self.enter(env, func, region, args, Then::Leave);
        let result = env.nested(|env| self.go_on(env, grid).map_err(|error| Stop::Placed(Box::new(error))));
        match result {
            Ok((_, Flow::Leave(results))) => Ok(results),
            Ok((op, _)) => {
                let name = env.module.op(op).def().name;
                Err(fail(format!(
                    "`{name}` must wait for other devices, which the region of a kernel cannot"
                )))
            }
            Err(stop) => {
                self.frames.truncate(depth);
                Err(stop)
            }
        }
    }

    /// Evaluates operations until something other than the next one follows, and says which one it was.
    fn go_on(&mut self, env: &mut Env<'_, '_, '_>, grid: &mut Grid) -> Result<(OpId, Flow), RunError> {
        let module = env.module;
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Err(RunError::refused("the program has ended"));
            };
            let Some(&op) = module.regions[frame.region].ops.get(frame.next) else {
                let name = &module.strings[module.funcs[frame.func].name];
                return Err(RunError::refused(format!("a region in `@{name}` does not end with a return")));
            };
            frame.next += 1;
            match env.count_operation(op).and_then(|()| self.step(env, grid, op)) {
                Ok(Flow::Next) => {}
                Ok(flow) => return Ok((op, flow)),
                Err(stop) => return Err(self.place(env, op, stop)),
            }
        }
    }

    /// Evaluates one operation.
    fn step(&mut self, env: &mut Env<'_, '_, '_>, grid: &mut Grid, id: OpId) -> Result<Flow, Stop> {
        let op = env.module.op(id);
        let eval = op.def().eval;
        if let Eval::Driver(driver) = eval {
            return self.drive(env, grid, op, driver);
        }
        let operands = self.tensors(env, op)?;
        env.check_results(op, &operands)?;
        let results = match eval {
            Eval::Elementwise(f) => Ok(vec![elementwise(op, f, &operands)]),
            Eval::Kernel(kernel) => kernel(op, &operands),
            Eval::Regions(kernel) => self.with_regions(env, grid, |caller| kernel(caller, op, &operands))?,
            Eval::Refuse(reason) => Err(EvalError::new(format!("it cannot be evaluated: {reason}"))),
            Eval::Driver(_) => Ok(Vec::new()),
        };
        if let Ok(results) = &results {
            env.show_operation(id, &operands, results);
        }
        drop(operands);
        match results {
            Ok(results) => {
                let mut results: Vec<Value> = results.into_iter().map(Value::Tensor).collect();
                // Calls of code outside may give several results as one tuple.
                if op.result_types().len() == 1 && matches!(op.result_type(0), Type::Tuple(_)) {
                    results = vec![Value::Tuple(results)];
                }
                self.complete(env, id, results)?;
                Ok(Flow::Next)
            }
            Err(error) if error.check && op.op().results.is_empty() => {
                self.note_failed_check(env, id, error.message)?;
                Ok(Flow::Next)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps a failed check; the program goes on unless too many failed.
    pub(super) fn note_failed_check(
        &mut self,
        env: &mut Env<'_, '_, '_>,
        op: OpId,
        message: String,
    ) -> Result<(), Stop> {
        let failure = self.failure(env, op, message);
        env.failures.push(failure);
        if env.failures.len() < MAX_FAILURES {
            return Ok(());
        }
        let failures = std::mem::take(&mut env.failures);
        Err(Stop::Placed(Box::new(RunError { kind: RunErrorKind::Checks, failures })))
    }

    // --- regions ---

    /// Starts a function or a region.
    fn enter(&mut self, env: &Env<'_, '_, '_>, func: FuncId, region: RegionId, args: Vec<Value>, then: Then) {
        for (arg, value) in env.module.regions[region].args.iter().zip(args) {
            if env.plan.is_used(arg) {
                self.values[arg] = Some(value);
            }
        }
        self.frames.push(Frame { func, region, next: 0, then });
    }

    pub(super) fn current_func(&self) -> Result<FuncId, Stop> {
        self.frames.last().map(|frame| frame.func).ok_or_else(|| fail("no function runs"))
    }

    /// Starts a region of an operation.
    pub(super) fn branch(
        &mut self,
        env: &Env<'_, '_, '_>,
        op: OpRef<'_>,
        n: usize,
        args: Vec<Value>,
        then: Then,
    ) -> Result<Flow, Stop> {
        let Some(&region) = op.regions().get(n) else { return Err(fail("it has no such region")) };
        if env.module.regions[region].args.len() != args.len() {
            return Err(fail("its region takes another number of arguments"));
        }
        let func = self.current_func()?;
        self.enter(env, func, region, args, then);
        Ok(Flow::Next)
    }

    pub(super) fn call(&mut self, env: &Env<'_, '_, '_>, op: OpRef<'_>, callee: Sym) -> Result<Flow, Stop> {
        let module = env.module;
        let func = op.symbol(callee).and_then(|name| module.func(name));
        let Some((func, body)) = func.and_then(|func| Some((func, module.funcs[func].body?))) else {
            return Err(fail("the function it calls has no body"));
        };
        let args = self.operands(env, op)?;
        self.enter(env, func, body, args, Then::Results(op.id));
        Ok(Flow::Next)
    }

    /// Starts the condition of a loop.
    pub(super) fn test(&mut self, env: &Env<'_, '_, '_>, id: OpId, values: Vec<Value>) -> Result<Flow, Stop> {
        let op = env.module.op(id);
        self.branch(env, op, 0, values.clone(), Then::Test(id, values))
    }

    /// Ends a region: what it returns goes where the frame says.
    pub(super) fn leave_region(&mut self, env: &mut Env<'_, '_, '_>, id: OpId) -> Result<Flow, Stop> {
        let results = self.operands(env, env.module.op(id))?;
        let Some(frame) = self.frames.pop() else { return Err(fail("no region runs")) };
        match frame.then {
            Then::Leave => return Ok(Flow::Leave(results)),
            Then::Results(op) => self.complete(env, op, results)?,
            Then::Future(op) => self.complete(env, op, vec![Value::Future(results)])?,
            Then::Repeat(op) => return self.test(env, op, results),
            Then::Assemble(op) => return Ok(Flow::Wait(WaitKind::Assemble(op, results))),
            Then::Test(op, values) => {
                let again = match &results[..] {
                    [Value::Tensor(pred)] => pred.item().is_true(),
                    _ => return Err(fail("the condition of a loop must return one tensor")),
                };
                if again {
                    return self.branch(env, env.module.op(op), 1, values, Then::Repeat(op));
                }
                self.complete(env, op, values)?;
            }
        }
        Ok(Flow::Next)
    }

    // --- values ---

    /// The operands of an operation, taken where they are not used again.
    pub(super) fn operands(&mut self, env: &Env<'_, '_, '_>, op: OpRef<'_>) -> Result<Vec<Value>, Stop> {
        let mut list = Vec::with_capacity(op.operands().len());
        for (n, &operand) in op.operands().iter().enumerate() {
            let slot = &mut self.values[operand];
            let value = if env.plan.dies(env.module, op.id, n) { slot.take() } else { slot.clone() };
            list.push(value.ok_or_else(|| not_there(op, operand))?);
        }
        Ok(list)
    }

    /// The operands of an operation on tensors.
    pub(super) fn tensors(&mut self, env: &Env<'_, '_, '_>, op: OpRef<'_>) -> Result<Vec<Tensor>, Stop> {
        let mut list = Vec::with_capacity(op.operands().len());
        for (n, &operand) in op.operands().iter().enumerate() {
            let slot = &mut self.values[operand];
            let value = if env.plan.dies(env.module, op.id, n) { slot.take() } else { slot.clone() };
            match value {
                Some(Value::Tensor(tensor)) => list.push(tensor),
                Some(_) => return Err(fail(format!("operand {n} is not a tensor"))),
                None => return Err(not_there(op, operand)),
            }
        }
        Ok(list)
    }

    /// The operands of an operation that takes tensors and then a token.
    pub(super) fn tensors_and_token(
        &mut self,
        env: &Env<'_, '_, '_>,
        op: OpRef<'_>,
    ) -> Result<Vec<Tensor>, Stop> {
        let mut values = self.operands(env, op)?;
        values.pop();
        Ok(into_tensors(values)?)
    }

    pub(super) fn scalar_operand(&mut self, env: &Env<'_, '_, '_>, op: OpRef<'_>) -> Result<Scalar, Stop> {
        match self.tensors(env, op)?.first() {
            Some(tensor) => Ok(tensor.item()),
            None => Err(fail("it has no operand")),
        }
    }

    /// Sets the results of an operation, and frees what nothing uses any more.
    pub(super) fn complete(
        &mut self,
        env: &Env<'_, '_, '_>,
        id: OpId,
        results: Vec<Value>,
    ) -> Result<(), Stop> {
        let module = env.module;
        let places = module.ops[id].results;
        if places.len() != results.len() {
            return Err(fail(format!("it gives {} results, not {}", results.len(), places.len())));
        }
        for (n, (place, value)) in places.iter().zip(results).enumerate() {
            if !value.has_type(module.type_of(place)) {
                return Err(fail(format!("result {n} is not of its type `{}`", module.type_of(place))));
            }
            if env.plan.is_used(place) {
                self.values[place] = Some(value);
            }
        }
        for &value in env.plan.drops(id) {
            self.values[value] = None;
        }
        env.check_memory()
    }

    // --- errors ---

    /// An error at an operation.
    pub(super) fn place(&self, env: &Env<'_, '_, '_>, op: OpId, stop: Stop) -> RunError {
        match stop {
            Stop::Placed(error) => *error,
            Stop::Here(kind, message) => RunError::new(kind, self.failure(env, op, message)),
        }
    }

    fn failure(&self, env: &Env<'_, '_, '_>, op: OpId, message: String) -> Failure {
        let module = env.module;
        let function =
            self.frames.last().map(|frame| module.strings[module.funcs[frame.func].name].to_string());
        Failure {
            message: format!("`{}`: {message}", module.op(op).def().name),
            op: Some(op),
            span: module.ops[op].span,
            function,
            device: self.named.then_some(self.device),
        }
    }
}

fn not_there(op: OpRef<'_>, value: ValueId) -> Stop {
    fail(format!("its operand {} has not been computed", op.module.value_name(value)))
}

/// Values that must be tensors.
pub(super) fn into_tensors(values: Vec<Value>) -> Result<Vec<Tensor>, EvalError> {
    let tensor = |value| match value {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(EvalError::new("a value is not a tensor")),
    };
    values.into_iter().map(tensor).collect()
}
