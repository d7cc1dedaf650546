//! What all devices of a run share: the program, the options, what was counted and seen so far.

use super::memory::{keeps_splats, shares_memory};
use super::plan::Plan;
use super::{EvalError, Failure, Output, Progress, RunError, RunErrorKind, RunOptions};
use crate::ir::{Module, OpId, OpRef, Sym};
use crate::value::tensor::{Tensor, held_bytes};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

/// How deep kernels that call regions, and grids in grids, may nest.
pub(super) const MAX_NESTING: u32 = 256;

/// How many operations pass between two calls for progress.
const PROGRESS_EVERY: u64 = 1 << 12;

/// What all devices of a run share.
pub(super) struct Env<'m, 'r, 'o> {
    pub(super) module: &'m Module,
    pub(super) plan: Plan,
    pub(super) options: &'r mut RunOptions<'o>,
    /// Bytes that tensors hold which are not part of the run, such as the constants of the module.
    held_outside: i64,
    operations: u64,
    pub(super) failures: Vec<Failure>,
    /// What each probe saw.
    pub(super) probes: FxHashMap<Sym, Vec<Tensor>>,
    nesting: u32,
}

impl<'m, 'r, 'o> Env<'m, 'r, 'o> {
    /// A run whose arguments hold some bytes already.
    pub(super) fn new(module: &'m Module, options: &'r mut RunOptions<'o>, argument_bytes: u64) -> Self {
        Env {
            module,
            plan: Plan::new(module),
            options,
            held_outside: held_bytes() - argument_bytes as i64,
            operations: 0,
            failures: Vec::new(),
            probes: FxHashMap::default(),
            nesting: 0,
        }
    }

    /// Hands something to whoever listens.
    pub(super) fn emit(&mut self, output: Output<'_>) {
        if let Some(sink) = &mut self.options.output {
            sink(output);
        }
    }

    /// Bytes that the values of the run hold.
    fn memory(&self) -> u64 {
        u64::try_from(held_bytes() - self.held_outside).unwrap_or(0)
    }

    /// That the values do not hold too much.
    pub(super) fn check_memory(&self) -> Result<(), Stop> {
        match self.options.memory_limit {
            Some(limit) if self.memory() > limit => Err(too_much_memory(self.memory(), limit)),
            _ => Ok(()),
        }
    }

    /// That the results of an operation will fit in memory.
    pub(super) fn check_results(&self, op: OpRef<'_>, operands: &[Tensor]) -> Result<(), Stop> {
        let Some(limit) = self.options.memory_limit else { return Ok(()) };
        let all_splats = !operands.is_empty() && operands.iter().all(Tensor::is_splat);
        if shares_memory(op) || (all_splats && keeps_splats(op)) {
            return Ok(());
        }
        let results = op.result_types().map(|ty| ty.bytes() as u64);
        let needed = results.fold(self.memory(), u64::saturating_add);
        if needed > limit { Err(too_much_memory(needed, limit)) } else { Ok(()) }
    }

    /// Counts an operation before it is evaluated, and reports it to those who asked for it.
    pub(super) fn count_operation(&mut self, op: OpId) -> Result<(), Stop> {
        if self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Stop::Here(RunErrorKind::Stopped, "the run was stopped".into()));
        }
        self.operations += 1;
        if self.operations.is_multiple_of(PROGRESS_EVERY) {
            let progress = Progress { operations: self.operations, memory: self.memory() };
            if let Some(report) = &mut self.options.progress {
                report(progress);
            }
        }
        if self.nesting == 0
            && let Some(observe) = &mut self.options.before_op
        {
            observe(op);
        }
        Ok(())
    }

    /// Shows an operation that was evaluated to those who asked for it.
    pub(super) fn show_operation(&mut self, op: OpId, operands: &[Tensor], results: &[Tensor]) {
        if self.nesting == 0
            && let Some(observe) = &mut self.options.after_op
        {
            observe(op, operands, results);
        }
    }

    /// Runs something that nests on the stack of this process.
    pub(super) fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        if self.nesting == MAX_NESTING {
            return Err(fail(format!("regions that kernels call nest more than {MAX_NESTING} deep")));
        }
        self.nesting += 1;
        let result = run(self);
        self.nesting -= 1;
        result
    }
}

/// Why a step did not work: an error that has its place already, or one that still needs it.
pub(super) enum Stop {
    Here(RunErrorKind, String),
    Placed(Box<RunError>),
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Self {
        let kind = if error.check { RunErrorKind::Checks } else { RunErrorKind::Program };
        Stop::Here(kind, error.message)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Here(RunErrorKind::Program, message)
    }
}

pub(super) fn fail(message: impl Into<String>) -> Stop {
    Stop::Here(RunErrorKind::Program, message.into())
}

pub(super) fn too_much_memory(needed: u64, limit: u64) -> Stop {
    let message = format!("the values would take {needed} bytes, but only {limit} may be used");
    Stop::Here(RunErrorKind::Memory, message)
}
