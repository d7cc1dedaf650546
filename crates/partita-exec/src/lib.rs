//! The embedded executor: runs programs fast, on one device or on many virtual ones in one process.
//!
//! The reference interpreter of [`partita`] is its oracle: what it gives, this crate gives, bit for bit where arithmetic is exact.
//!
//! * [`Program::compile`] turns a verified module into blocks of steps (`compile`): elementwise operations, broadcasts and the
//!   reductions they lead into become loops; operations that only move become views; every step knows which of its operands it may
//!   write over.
//! * `loops` runs loops by a small register program over chunks that stay in the first-level cache.
//! * `kernels` has the rest, one file per family. An operation without a kernel is computed by that of its row in the op table, so that
//!   every program runs.
//! * `machine` is one device; `devices` runs many of them on a few threads, and lets them meet in collectives; threads that have no device
//!   to run help the others with parts of large kernels (`crew`), and what several devices compute alike is computed once (`alike`).
//! * `pool` keeps memory for the next value of its size, on any device.
//!
//! Programs that do more than compute on tensors (tokens, messages, probes, grids of their own) are left to the reference interpreter,
//! as a whole.
//!
//! Unsafe code is in `copy`, `crew`, `loops` and `kernels`: raw pointers into tensors that the caller holds, and functions compiled for the
//! instruction set that was found when the program started.

mod alike;
mod array;
mod collectives;
mod compile;
mod copy;
mod crew;
mod devices;
mod kernels;
mod log;
mod loops;
mod machine;
mod memory;
mod pool;
mod program;
mod views;

pub use compile::Unsupported;
pub use program::Program;

use partita::Module;
use partita::interpret::{
    self, Device, Event, Failure, GridSize, Progress, RunError, RunErrorKind, RunOptions, Value,
};
use partita::ir::{FuncId, OpId};
use partita::value::Tensor;
use partita::value::tensor::held_bytes;

/// Kernels on so many elements are worth the help of other threads.
pub(crate) const LARGE: usize = 1 << 15;

/// How many steps pass between two calls for progress.
const PROGRESS_EVERY: u64 = 1 << 10;

/// Runs a grid of devices, replicas by partitions, on all cores or as many threads as the options say, and gives what each returns: an [`interpret::Engine`].
///
/// The module must be one that [`partita::verify::verify`] accepts.
pub fn run_grid(
    module: &Module,
    programs: Vec<Vec<interpret::Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    run_grid_on(options.threads.unwrap_or_else(cores), module, programs, options)
}

/// As [`run_grid`], on so many threads. The results are the same for any number of them.
pub fn run_grid_on(
    threads: usize,
    module: &Module,
    programs: Vec<Vec<interpret::Program>>,
    options: &mut RunOptions<'_>,
) -> Result<Vec<Vec<Vec<Value>>>, RunError> {
    let Some((size, func)) = one_program(module, &programs) else {
        // Several programs at once, or arguments that do not fit: the reference interpreter runs them, or says what is wrong.
        return interpret::run_grid(module, programs, options);
    };
    let Ok(program) = Program::compile(module, func) else {
        return interpret::run_grid(module, programs, options);
    };
    check_memory(&program, size.count() as u64, options.memory_limit)?;
    let args = programs.into_iter().flatten();
    let args = args.map(|(_, args)| args.into_iter().filter_map(Value::into_tensor).collect()).collect();
    let mut results = program.run_devices(size, args, threads, options)?.into_iter();
    let mut device = || results.next().unwrap_or_default().into_iter().map(Value::Tensor).collect();
    Ok((0..size.replicas).map(|_| (0..size.partitions).map(|_| device()).collect()).collect())
}

/// The size of the grid and the one function that all devices run, on tensors that fit.
fn one_program(module: &Module, programs: &[Vec<interpret::Program>]) -> Option<(GridSize, FuncId)> {
    let partitions = programs.first()?.len();
    let func = programs.first()?.first()?.0;
    let inputs = &module.funcs[func].inputs;
    let fits = |args: &[Value]| {
        inputs.len() == args.len()
            && args
                .iter()
                .zip(inputs)
                .all(|(arg, ty)| arg.as_tensor().is_some() && arg.has_type(&module.types[*ty]))
    };
    let alike = programs.iter().all(|replica| {
        replica.len() == partitions && replica.iter().all(|(other, args)| *other == func && fits(args))
    });
    alike.then_some((GridSize { replicas: programs.len(), partitions }, func))
}

/// Bytes that the values of a function hold at most on so many devices together, as this engine runs it.
pub fn estimate_memory(module: &Module, func: FuncId, devices: u64) -> u64 {
    let one = match Program::compile(module, func) {
        Ok(program) => program.memory(),
        Err(_) => interpret::estimate_memory(module, func),
    };
    one.saturating_mul(devices)
}

/// That the values of so many devices will fit in memory, as far as can be told before they run.
fn check_memory(program: &Program<'_>, devices: u64, limit: Option<u64>) -> Result<(), RunError> {
    let Some(limit) = limit else { return Ok(()) };
    let needed = program.memory().saturating_mul(devices);
    if needed <= limit {
        return Ok(());
    }
    let message = format!("the values would take {needed} bytes, but only {limit} may be used");
    let failure = Failure { message, op: None, span: Default::default(), function: None, device: None };
    Err(RunError { kind: RunErrorKind::Memory, failures: vec![failure] })
}

impl Program<'_> {
    /// Runs the program on all devices of a grid, each with its own arguments, on so many threads, and gives what each returns. The
    /// arguments are of the types that the function takes.
    ///
    /// Where each operation is to be observed, one thread runs all devices; what a device takes from another is not observed again.
    pub fn run_devices(
        &self,
        size: GridSize,
        args: Vec<Vec<Tensor>>,
        threads: usize,
        options: &mut RunOptions<'_>,
    ) -> Result<Vec<Vec<Tensor>>, RunError> {
        let threads = if options.before_op.is_some() { 1 } else { threads };
        let mut operations = 0;
        let held = held_bytes();
        let mut observe = |op: OpId| {
            operations += 1;
            if let Some(before) = &mut options.before_op {
                before(self.original(op));
            }
            if operations % PROGRESS_EVERY == 0
                && let Some(report) = &mut options.progress
            {
                report(Progress { operations, memory: (held_bytes() - held).try_into().unwrap_or(0) });
            }
        };
        let trace = options.trace.as_mut().map(|trace| &mut **trace as &mut dyn FnMut(Event));
        devices::run(self, size, args, threads, options.stop, &mut observe, trace)
    }

    /// Whether there are values that are large enough for several threads to compute them together.
    pub(crate) fn has_large_values(&self) -> bool {
        let large = |ty: &partita::ir::Type| ty.as_tensor().is_some_and(|ty| ty.count() >= LARGE);
        self.module.values.iter().any(|value| large(&self.module.types[value.ty]))
    }

    /// The operation of the module that was compiled.
    fn original(&self, op: OpId) -> OpId {
        self.origin.as_ref().map_or(op, |origin| origin[op].1)
    }

    /// A failure at an operation, as the module that was compiled has it.
    pub(crate) fn failure(&self, op: OpId, message: String, device: Option<Device>) -> Failure {
        let data = self.module.op(op);
        let function = self.origin.as_ref().map_or(self.function, |origin| origin[op].0);
        Failure {
            message: format!("`{}`: {message}", data.def().name),
            op: Some(self.original(op)),
            span: data.op().span,
            function: Some(self.functions[function].clone()),
            device,
        }
    }
}
