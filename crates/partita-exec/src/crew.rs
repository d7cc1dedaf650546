//! Threads that have no device to run help the others with parts of their work.
//!
//! A kernel offers a job: so many parts, each done by whoever comes first. What the parts compute does not depend on who does them, nor on
//! how many threads there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Memory that a thread has for its own use while it does a part.
pub(crate) type Scratch = Vec<u128>;

/// What does a part of a job, known by its number.
type Work<'a> = dyn Fn(usize, &mut Scratch) + Sync + 'a;

/// The threads of a run: who waits, and what there is to help with.
#[derive(Default)]
pub(crate) struct Crew {
    idle: AtomicUsize,
    board: Mutex<Board>,
    changed: Condvar,
}

#[derive(Default)]
struct Board {
    /// Grows with everything that someone may wait for.
    news: u64,
    jobs: Vec<Arc<Job>>,
}

struct Job {
    /// Borrowed from [`Crew::each`], which does not return before the last part is done.
    work: *const Work<'static>,
    parts: usize,
    /// The next part that nobody has taken.
    next: AtomicUsize,
    /// Parts that are not done.
    left: AtomicUsize,
}

// SAFETY: what a job points to may be called from any thread, and lives until all parts are done.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Does parts until all are taken.
    fn help(&self, scratch: &mut Scratch) {
        /// A part counts as done even where it panics, so that nobody waits for it for ever.
        struct Done<'a>(&'a AtomicUsize);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Release);
            }
        }
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts {
                return;
            }
            let _done = Done(&self.left);
            // SAFETY: this part is not done, so that whoever offered the job still waits for it.
            unsafe { (*self.work)(part, scratch) };
        }
    }
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many threads could do parts of a job now, the one that offers it among them.
    pub(crate) fn hands(&self) -> usize {
        1 + self.idle.load(Ordering::Relaxed)
    }

    /// Does all parts of a job, with the help of those that wait.
    pub(crate) fn each(&self, parts: usize, scratch: &mut Scratch, work: &Work<'_>) {
        if parts <= 1 || self.hands() == 1 {
            (0..parts).for_each(|part| work(part, scratch));
            return;
        }
        // SAFETY: only the lifetime changes; the job is done before this function returns.
        let work = unsafe { std::mem::transmute::<*const Work<'_>, *const Work<'static>>(work) };
        let job = Arc::new(Job { work, parts, next: AtomicUsize::new(0), left: AtomicUsize::new(parts) });
        self.lock().jobs.push(job.clone());
        self.changed.notify_all();
        job.help(scratch);
        self.lock().jobs.retain(|other| !Arc::ptr_eq(other, &job));
        while job.left.load(Ordering::Acquire) > 0 {
            std::hint::spin_loop();
            std::thread::yield_now();
        }
    }

    /// How much has happened so far, to be asked before looking for something to do.
    pub(crate) fn news(&self) -> u64 {
        self.lock().news
    }

    /// Something has changed that others may wait for.
    pub(crate) fn announce(&self) {
        self.lock().news += 1;
        self.changed.notify_all();
    }

    /// Waits until something has happened since, and helps while there are jobs.
    pub(crate) fn wait(&self, since: u64, scratch: &mut Scratch) {
        let mut board = self.lock();
        self.idle.fetch_add(1, Ordering::Relaxed);
        while board.news == since {
            let open = board.jobs.iter().find(|job| job.next.load(Ordering::Relaxed) < job.parts);
            board = match open.cloned() {
                Some(job) => {
                    drop(board);
                    job.help(scratch);
                    self.lock()
                }
                None => self.changed.wait(board).unwrap_or_else(PoisonError::into_inner),
            };
        }
        self.idle.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once() {
        let crew = Crew::default();
        let since = crew.news();
        let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| crew.wait(since, &mut Vec::new()));
            }
            for _ in 0..10 {
                crew.each(counts.len(), &mut Vec::new(), &|part, _| {
                    counts[part].fetch_add(1, Ordering::Relaxed);
                });
            }
            crew.announce();
        });
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 10));
    }
}
