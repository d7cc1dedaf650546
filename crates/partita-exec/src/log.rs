//! What devices did when, for those who ask.

use partita::interpret::Event;
use partita::ir::OpId;
use std::time::Instant;

/// What one device did.
pub(crate) struct Log {
    device: usize,
    /// When the run began.
    began: Instant,
    /// Since when the device waits for others.
    waits: Option<Instant>,
    pub(crate) events: Vec<Event>,
}

impl Log {
    /// The log of a device in a run that began at a time.
    pub(crate) fn new(device: usize, began: Instant) -> Log {
        Log { device, began, waits: None, events: Vec::new() }
    }

    /// Something was done from a time until now.
    pub(crate) fn done(&mut self, op: OpId, operations: usize, start: Instant) {
        self.add(op, operations, false, start, Instant::now());
    }

    /// The device waits for others from now on.
    pub(crate) fn waits(&mut self) {
        self.waits = Some(Instant::now());
    }

    /// The others came at a time, and what was to be done together is done now.
    pub(crate) fn met(&mut self, op: OpId, came: Instant) {
        if let Some(since) = self.waits.take() {
            self.add(op, 1, true, since, came);
        }
        self.done(op, 1, came);
    }

    fn add(&mut self, op: OpId, operations: usize, waited: bool, start: Instant, end: Instant) {
        let (start, time) = (start.duration_since(self.began), end.duration_since(start));
        self.events.push(Event { device: self.device, op, operations, waited, start, time });
    }
}
