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
    /// It is the first.
    Nothing,
    /// Another device is at it.
    Busy,
    /// Another device has done it.
    Results(Results),
}

enum Entry {
    /// A device is at it; these wait.
    Busy(Vec<usize>),
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

    /// Comes to a step. Who finds nothing must do it, and [`Board::give`] what comes of it.
    pub(crate) fn take(&self, key: Key) -> Taken {
        let mut inner = self.lock();
        match inner.entries.get_mut(&key) {
            None => {
                inner.entries.insert(key, Entry::Busy(Vec::new()));
                Taken::Nothing
            }
            Some(Entry::Busy(_)) => Taken::Busy,
            Some(Entry::Done(results, left)) => {
                *left -= 1;
                if *left > 0 {
                    return Taken::Results(results.clone());
                }
                match inner.entries.remove(&key) {
                    Some(Entry::Done(results, _)) => Taken::Results(results),
                    _ => Taken::Busy,
                }
            }
        }
    }

    /// Leaves results for so many others.
    pub(crate) fn give(&self, key: Key, results: Results, others: usize) {
        let mut inner = self.lock();
        if let Some(Entry::Busy(waiting)) = inner.entries.insert(key, Entry::Done(results, others)) {
            inner.released.extend(waiting);
        }
    }

    /// Lets a device wait until another has done a step; false where that is done.
    pub(crate) fn wait(&self, key: Key, device: usize) -> bool {
        match self.lock().entries.get_mut(&key) {
            Some(Entry::Busy(waiting)) => {
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
