//! What can go wrong while a program runs.

use crate::ir::{OpId, Span};

/// An op that cannot be evaluated, or a check that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalError {
    /// What went wrong.
    pub message: String,
    /// Whether the program's own check failed, so that it could go on.
    pub check: bool,
}

impl EvalError {
    /// An error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        EvalError { message: message.into(), check: false }
    }

    /// A check of the program that does not hold.
    pub fn failed_check(message: impl Into<String>) -> Self {
        EvalError { message: message.into(), check: true }
    }
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}

/// A run that did not end well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// What kind of end it was.
    pub kind: RunErrorKind,
    /// What went wrong: one failure that stopped the run, or all checks that failed. Never empty.
    pub failures: Vec<Failure>,
}

/// Why a run did not end well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunErrorKind {
    /// The program cannot go on.
    Program,
    /// The program ran to its end, but checks in it failed.
    Checks,
    /// The program cannot be run at all: it has no body, calls itself, or its arguments do not fit.
    Refused,
    /// It needs more memory than it may use.
    Memory,
    /// Devices wait for each other.
    Deadlock,
    /// It was told to stop.
    Stopped,
}

/// One thing that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What it was.
    pub message: String,
    /// The operation that failed.
    pub op: Option<OpId>,
    /// Where it stands in the text; empty where that is not known.
    pub span: Span,
    /// The function it is in.
    pub function: Option<String>,
    /// The device, where there are several.
    pub device: Option<Device>,
}

/// A place in the grid of devices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    /// The replica, the outer index.
    pub replica: u32,
    /// The partition, the inner index.
    pub partition: u32,
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "device ({}, {})", self.replica, self.partition)
    }
}

impl Failure {
    /// A failure without a place.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), op: None, span: Span::default(), function: None, device: None }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(function) = &self.function {
            write!(f, ", in `@{function}`")?;
        }
        if let Some(device) = self.device {
            write!(f, ", on {device}")?;
        }
        Ok(())
    }
}

impl RunError {
    /// An error that stopped the run.
    pub(super) fn new(kind: RunErrorKind, failure: Failure) -> Self {
        RunError { kind, failures: vec![failure] }
    }

    /// A program that is not run at all.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        RunError::new(RunErrorKind::Refused, Failure::new(message))
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, failure) in self.failures.iter().enumerate() {
            write!(f, "{}{failure}", if i > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for RunError {}
