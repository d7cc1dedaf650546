//! A line on standard error that says how far a long run is.

use crate::format;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partita::interpret::Progress;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows progress where standard error is a terminal and the run takes its time.
pub struct Spinner {
    started: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Spinner {
    /// A spinner that is not shown yet.
    pub fn new() -> Spinner {
        Spinner { started: Instant::now(), bar: None, wanted: std::io::stderr().is_terminal() }
    }

    /// Tells how far a run of a program is.
    pub fn update(&mut self, progress: Progress) {
        self.say(|| {
            let operations = usize::try_from(progress.operations).unwrap_or(usize::MAX);
            format!(
                "running: {} done, values hold {}",
                format::counted(operations, "operation"),
                format::bytes(progress.memory)
            )
        });
    }

    /// Shows a message.
    pub fn say(&mut self, message: impl FnOnce() -> String) {
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10))
                .with_elapsed(self.started.elapsed());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(message());
        bar.tick();
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
