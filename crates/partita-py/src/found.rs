//! Plans that are searched for.

use crate::failure::exception;
use crate::interrupt::attended;
use crate::said::{self, Said};
use partita::sharding::apply::Options;
use partita_auto::{Event, Limits, Tactic};
use partita_cli::commands::auto::{self, Outcome, Question};
use partita_cli::device::DeviceArgs;
use partita_cli::error::Failure;
use partita_cli::{input, plan};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a search found.
#[pyclass(frozen, module = "partita._native")]
pub struct FoundPlans {
    /// The plan, what it costs, how the search went and the alternatives, as the JSON of `partita auto`.
    #[pyo3(get)]
    json: String,
    /// Every plan that was judged in full, the best first, as JSON.
    #[pyo3(get)]
    plans: Vec<String>,
    /// What each of them decides and costs, in words.
    #[pyo3(get)]
    words: Vec<String>,
    /// The numbers of those that are worth timing, in the order in which they are.
    #[pyo3(get)]
    promising: Vec<usize>,
}

/// How far a search is: plans looked at, plans judged in full, and the seconds of the best of these.
type Progress = (usize, usize, Option<f64>);

/// Searches for the best plan of a program. What is said of its tensors stays. `progress` is called every so often with how far the search
/// is. The first Ctrl-C ends the search with what it has; the next one raises.
#[pyfunction]
#[pyo3(signature = (text, file, mesh, arguments, results, *, device, memory, tactics, time_limit, seed, progress))]
#[allow(clippy::too_many_arguments, reason = "one call for all that Python says")]
pub fn find(
    py: Python<'_>,
    text: String,
    file: String,
    mesh: Vec<(String, i64)>,
    arguments: Vec<Said>,
    results: Vec<Said>,
    device: Option<String>,
    memory: Option<u64>,
    tactics: Vec<String>,
    time_limit: f64,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<FoundPlans> {
    let options = said::options(mesh, arguments, results);
    let device = DeviceArgs { device, ..DeviceArgs::default() };
    let time = Duration::try_from_secs_f64(time_limit).unwrap_or(Duration::MAX);
    let limits = Limits { time, seed, ..Limits::default() };
    let far: Arc<Mutex<Progress>> = Arc::default();
    let reached = Arc::clone(&far);
    let work = move |stop: &AtomicBool| {
        let mut watch = |event: Event<'_>| {
            note(&mut far.lock().unwrap_or_else(PoisonError::into_inner), &event);
            !stop.load(Ordering::Relaxed)
        };
        search((file, text), &options, &device, (memory, &tactics, limits), &mut watch)
    };
    let tell = |py: Python<'_>| -> PyResult<()> {
        if let Some(progress) = &progress {
            let now = *reached.lock().unwrap_or_else(PoisonError::into_inner);
            progress.call1(py, now)?;
        }
        Ok(())
    };
    // A signal may come while Python is told, too.
    let attend = |py: Python<'_>, stop: &AtomicBool| match py.check_signals().and_then(|()| tell(py)) {
        Err(signal) if signal.is_instance_of::<PyKeyboardInterrupt>(py) => {
            if stop.swap(true, Ordering::Relaxed) { Err(signal) } else { Ok(()) }
        }
        other => other,
    };
    attended(py, work, attend)?.map_err(|failure| exception(py, &failure))
}

fn note(far: &mut Progress, event: &Event<'_>) {
    match event {
        Event::Estimated { number, .. } => far.0 = *number,
        Event::Judged { number, judged, .. } => {
            let seconds = judged.cost.seconds;
            *far = (far.0, *number, Some(far.2.map_or(seconds, |best| best.min(seconds))));
        }
        Event::Learned(_) => {}
    }
}

fn search(
    (file, text): (String, String),
    options: &Options,
    device: &DeviceArgs,
    (memory, tactics, limits): (Option<u64>, &[String], Limits),
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<FoundPlans, Failure> {
    let tactics: Vec<Tactic> = tactics.iter().map(|t| Tactic::parse(t)).collect::<Result<_, _>>()?;
    let (program, profile) = (input::read(file, text)?, auto::profile(device)?);
    let question = Question {
        program: &program,
        options,
        profile: &profile,
        memory,
        tactics: &tactics,
        grouping: true,
        limits,
    };
    let outcome = auto::find(&question, std::slice::from_ref(&options.mesh), watch)?;
    let json = outcome.json().to_string();
    let promising = auto::promising(std::slice::from_ref(&outcome)).map(|(_, plan)| plan).collect();
    let Outcome { plans, words, .. } = outcome;
    let plans = plans.iter().map(|p| plan::json(p).to_string()).collect();
    Ok(FoundPlans { json, plans, words, promising })
}
