//! Where devices leave what others can use.

use crate::array::Array;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One time that a class of devices does a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    /// The number of the step among those that devices do alike.
    pub(crate) step: u32,
    /// The first device of the class.
    pub(crate) first: u32,
    /// How often the device has done the step before.
    pub(crate) round: u32,
}

/// What a step gives; nothing for results that nothing reads.
pub(crate) type Results = Vec<Option<Array>>;

/// What a device finds when it comes to a step.
pub(crate) enum Taken {
    /// It is the last of its class: it must do the step, and [`Board::give`] what comes of it.
    Last,
    /// Others are still to come.
    Wait,
    /// The step is done.
    Results(Results),
}

enum Entry {
    /// So many devices have come; of those some wait.
    Coming(usize, Vec<usize>),
    /// Results, and for how many more devices they are kept.
    Done(Results, usize),
}

/// What was computed and not yet taken by all who can use it.
#[derive(Default)]
pub(crate) struct Board(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    entries: FxHashMap<Key, Entry>,
    /// Devices that waited, and can go on.
    released: Vec<usize>,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes to a step that so many others do as well.
    pub(crate) fn come(&self, key: Key, others: usize) -> Taken {
        let mut inner = self.lock();
        match inner.entries.entry(key).or_insert_with(|| Entry::Coming(0, Vec::new())) {
            Entry::Coming(come, _) => {
                *come += 1;
                if *come > others { Taken::Last } else { Taken::Wait }
            }
            Entry::Done(results, left) => {
                *left -= 1;
                let last = *left == 0;
                let results = if last { std::mem::take(results) } else { results.clone() };
                if last {
                    inner.entries.remove(&key);
                }
                Taken::Results(results)
            }
        }
    }

    /// Leaves results for so many others.
    pub(crate) fn give(&self, key: Key, results: Results, others: usize) {
        let mut inner = self.lock();
        if let Some(Entry::Coming(_, waiting)) = inner.entries.insert(key, Entry::Done(results, others)) {
            inner.released.extend(waiting);
        }
    }

    /// Lets a device wait until the last has done a step; false where that is done.
    pub(crate) fn wait(&self, key: Key, device: usize) -> bool {
        match self.lock().entries.get_mut(&key) {
            Some(Entry::Coming(_, waiting)) => {
                waiting.push(device);
                true
            }
            _ => false,
        }
    }

    /// The devices that waited and can go on.
    pub(crate) fn released(&self) -> Vec<usize> {
        std::mem::take(&mut self.lock().released)
    }
}
