//! Long work that Ctrl-C ends.
//!
//! Python sees a signal only when it is asked, on the thread that has it. So the work is done on a thread of its own, without the
//! lock of the interpreter, while the thread that called asks again and again.

use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a signal may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stack of the thread, as large as that of a main thread.
const STACK: usize = 8 << 20;

/// Does some work while other threads of Python run, and ends with their exception where a signal brings one.
///
/// The work is then left alone: it finds its flag set, and what it still gives nobody takes.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    attended(py, work, |py, _| py.check_signals())
}

/// Does some work while other threads of Python run. Every so often `attend` is called, with the flag that asks the work to end; where it
/// fails, nobody waits for the work any more.
pub fn attended<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    mut attend: impl FnMut(Python<'_>, &AtomicBool) -> PyResult<()>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, mut finished) = channel();
    let stopped = Arc::clone(&stop);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        // Where nobody waits any more, the result is not missed.
        let _ = done.send(work(&stopped));
    })?;
    loop {
        let outcome;
        (outcome, finished) = py.detach(move || (finished.recv_timeout(PATIENCE), finished));
        match outcome {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                attend(py, &stop).inspect_err(|_| stop.store(true, Ordering::Relaxed))?
            }
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends well has sent its result"),
            },
        }
    }
}
