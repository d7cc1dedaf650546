//! The reference interpreter: plain, and the oracle for everything faster.
//!
//! Kernels live in the rows of the op table. This module walks the program:
//!
//! * `machine` and `drive`: one device. Its values stand in one flat table, its place in the program is a stack
//!   of frames on the heap, values are freed at their last use (`plan`).
//! * `grid`: many devices in one process, each run until it waits for others.
//! * `groups` and `collective`: who communicates with whom, and what comes of it.
//! * `memory`: how much a program will need, before it runs.
//! * `reinterpret`: the same program over other element types.

mod collective;
mod drive;
mod elementwise;
mod env;
mod error;
mod grid;
mod groups;
mod machine;
mod manual;
mod memory;
mod output;
mod plan;
mod region;
mod scalar_program;

pub mod checks;
pub mod reinterpret;

pub use collective::{collective, outside};
pub use elementwise::elementwise;
pub use error::{Device, EvalError, Failure, RunError, RunErrorKind};
pub(crate) use groups::partition_groups;
pub use groups::{GridSize, Groups, channel, process_groups};
pub(crate) use memory::keeps_splats;
pub use memory::{DeviceMemory, device_memory, estimate_memory};
pub use output::{Output, render_tensor};
pub use region::{RegionCaller, RunRegion};

use crate::ir::{FuncId, Module, OpId, Type};
use crate::value::Tensor;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A value while a program runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// Several values.
    Tuple(Vec<Value>),
    /// A token: it orders effects and holds nothing.
    Token,
    /// The results of an asynchronous operation.
    Future(Vec<Value>),
}

impl Value {
    /// The tensor, where it is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The tensor itself, where it is one.
    pub fn into_tensor(self) -> Option<Tensor> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> u64 {
        match self {
            Value::Tensor(tensor) => tensor.memory() as u64,
            Value::Tuple(values) | Value::Future(values) => values.iter().map(Value::memory).sum(),
            Value::Token => 0,
        }
    }

    /// Whether it is of a type.
    pub fn has_type(&self, ty: &Type) -> bool {
        let all = |values: &[Value], types: &[Type]| {
            values.len() == types.len() && values.iter().zip(types).all(|(v, t)| v.has_type(t))
        };
        match (self, ty) {
            (Value::Tensor(tensor), Type::Tensor(ty)) => tensor.ty() == ty,
            (Value::Tuple(values), Type::Tuple(types)) => all(values, types),
            (Value::Future(values), Type::Future(types)) => all(values, types),
            (Value::Token, Type::Token) => true,
            _ => false,
        }
    }
}

/// Ops that the interpreter itself evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriverOp {
    /// Ends a region or a function.
    Return,
    /// Runs a function.
    Call,
    /// Runs the function that a composite stands for.
    Composite,
    /// Repeats a region.
    While,
    /// Runs the first region or the second.
    If,
    /// Runs one region of several.
    Case,
    /// Runs its only region with the operands as arguments.
    Region,
    /// Runs its only region, which sees one shard of each operand, on all devices that have one.
    ManualRegion,
    /// Runs its region and packs what it returns as a future.
    AsyncStart,
    /// Unpacks a future.
    AsyncDone,
    /// Gives its operands on as its results.
    Identity,
    /// Makes a tuple.
    Tuple,
    /// Takes a tuple apart.
    GetTupleElement,
    /// Makes a token.
    Token,
    /// The device's replica.
    ReplicaId,
    /// The device's partition.
    PartitionId,
    /// A joint computation of several devices.
    Collective(CollectiveOp),
    /// Sends to another device or the host.
    Send,
    /// Receives from another device or the host.
    Receive,
    /// Reads from the queue of inputs.
    Infeed,
    /// Writes to the queue of outputs.
    Outfeed,
    /// Shows a tensor.
    Print,
    /// Keeps a tensor under a name.
    Probe,
    /// Compares with a tensor that was kept.
    ExpectProbe,
    /// Runs a grid of devices of its own.
    RunParallel,
}

/// A joint computation of several devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "named as the ops")]
pub enum CollectiveOp {
    AllGather,
    AllReduce,
    AllToAll,
    Broadcast,
    Permute,
    Reduce,
    ReduceScatter,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many operations have been evaluated, on all devices together.
    pub operations: u64,
    /// Bytes that the values of all devices hold now.
    pub memory: u64,
}

/// What takes an operation with its operands and results.
pub type ShowOp<'a> = dyn FnMut(OpId, &[Tensor], &[Tensor]) + 'a;
/// What a device did for a while.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Which device, in the order of the grid.
    pub device: usize,
    /// The operation; of several that were done as one the last.
    pub op: OpId,
    /// How many operations were done as one.
    pub operations: usize,
    /// Whether the device waited for others to come to the operation.
    pub waited: bool,
    /// When it began, since the run did.
    pub start: Duration,
    /// How long it took.
    pub time: Duration,
}

/// How to run a program.
pub struct RunOptions<'a> {
    /// What runs it.
    pub engine: Engine,
    /// The run stops with an error before its values hold more bytes than this.
    pub memory_limit: Option<u64>,
    /// Set from another thread: the run ends with an error before its next operation.
    pub stop: Option<&'a AtomicBool>,
    /// Called every few thousand operations.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Called before each operation, but not inside of regions that kernels call. The time between two calls is
    /// what the operation of the first took.
    pub before_op: Option<&'a mut dyn FnMut(OpId)>,
    /// Called with the operands and results of each operation on tensors, but not inside of regions that kernels call. Only the
    /// interpreter itself does so.
    pub after_op: Option<&'a mut ShowOp<'a>>,
    /// Called with what each device did when, some time after it did. The reference interpreter, which runs devices in lock step, tells of
    /// all as of the first.
    pub trace: Option<&'a mut dyn FnMut(Event)>,
    /// How many threads an engine may use; as many as there are cores where nothing is said.
    pub threads: Option<usize>,
    /// Takes what the program prints, probes and sends out.
    pub output: Option<&'a mut dyn FnMut(Output<'_>)>,
    /// What `infeed` reads, first to last.
    pub infeed: VecDeque<Vec<Tensor>>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            engine: run_grid,
            memory_limit: None,
            stop: None,
            progress: None,
            before_op: None,
            after_op: None,
            trace: None,
            threads: None,
            output: None,
            infeed: VecDeque::new(),
        }
    }
}

/// What one device runs: a function and its arguments.
pub type Program = (FuncId, Vec<Value>);

/// What runs grids of devices: [`run_grid`] of this module, or something faster that gives the same.
pub type Engine =
    fn(&Module, Vec<Vec<Program>>, &mut RunOptions<'_>) -> Result<Vec<Vec<Vec<Value>>>, RunError>;

/// Runs a function on one device of the engine that the options name, and gives what it returns.
///
/// The module must be one that [`crate::verify::verify`] accepts.
pub fn run(
    module: &Module,
    func: FuncId,
    args: Vec<Value>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Value>, RunError> {
    let engine = options.engine;
    let mut results = engine(module, vec![vec![(func, args)]], options)?;
    Ok(results.pop().and_then(|mut replica| replica.pop()).unwrap_or_default())
}

/// Runs a grid of devices, replicas by partitions, in lock step, and gives what each returns.
///
/// The module must be one that [`crate::verify::verify`] accepts.
pub fn run_grid(
    module: &Module,
    programs: Vec<Vec<Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    let RunOptions { trace, before_op, after_op, progress, output, .. } = options;
    let Some(trace) = trace else { return grid::run_all(module, programs, options) };
    // Devices run in lock step: all is told of the first.
    let began = Instant::now();
    let mut current: Option<(OpId, Instant)> = None;
    let mut begin = |next: Option<OpId>| {
        let now = Instant::now();
        if let Some((op, start)) = current.take() {
            let (start, time) = (start - began, now - start);
            trace(Event { device: 0, op, operations: 1, waited: false, start, time });
        }
        current = next.map(|op| (op, now));
    };
    let mut before = |op: OpId| {
        begin(Some(op));
        if let Some(before) = before_op {
            before(op);
        }
    };
    let mut inner = RunOptions {
        engine: options.engine,
        memory_limit: options.memory_limit,
        stop: options.stop,
        progress: progress.as_mut().map(|call| &mut **call as &mut dyn FnMut(Progress)),
        before_op: Some(&mut before),
        after_op: after_op.as_mut().map(|call| &mut **call as &mut ShowOp<'_>),
        trace: None,
        threads: options.threads,
        output: output.as_mut().map(|call| &mut **call as &mut dyn FnMut(Output<'_>)),
        infeed: std::mem::take(&mut options.infeed),
    };
    let results = grid::run_all(module, programs, &mut inner);
    options.infeed = inner.infeed;
    begin(None);
    results
}

#[cfg(test)]
mod tests;
