//! Which operations of a run took how long, and what each device did when.

use crate::format;
use partita::interpret::Event;
use partita::ir::{Module, OpId};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How many single operations are named.
const SLOWEST: usize = 10;

/// What devices did when. An operation that calls a region or a function has only its own share: what is inside counts for itself,
/// except for regions that a kernel calls, such as the one of a reduction.
pub struct Profile<'m> {
    module: &'m Module,
    events: Vec<Event>,
}

#[derive(Clone, Copy, Default)]
struct Cost {
    time: Duration,
    executions: u64,
    /// The most operations that were done as one.
    operations: usize,
}

impl Cost {
    fn add(&mut self, event: &Event) {
        self.time += event.time;
        self.executions += 1;
        self.operations = self.operations.max(event.operations);
    }
}

impl<'m> Profile<'m> {
    /// A profile of nothing yet.
    pub fn new(module: &'m Module) -> Self {
        Profile { module, events: Vec::new() }
    }

    /// A device did something.
    pub fn add(&mut self, event: Event) {
        self.events.push(event);
    }

    /// What an event is called among others of its kind.
    fn kind(&self, event: &Event) -> &'static str {
        match event {
            Event { waited: true, .. } => "waiting for other devices",
            Event { operations: 2.., .. } => "several operations in one loop",
            Event { op, .. } => self.module.op(*op).def().name,
        }
    }

    /// The kinds of operations that ran, slowest first.
    fn kinds(&self) -> Vec<(&'static str, Cost)> {
        let mut kinds: BTreeMap<&'static str, Cost> = BTreeMap::new();
        self.events.iter().for_each(|event| kinds.entry(self.kind(event)).or_default().add(event));
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
        kinds
    }

    /// The single operations that took longest.
    fn slowest(&self) -> Vec<(OpId, Cost)> {
        let mut ops: BTreeMap<OpId, Cost> = BTreeMap::new();
        let worked = self.events.iter().filter(|event| !event.waited);
        worked.for_each(|event| ops.entry(event.op).or_default().add(event));
        let mut ops: Vec<_> = ops.into_iter().collect();
        ops.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
        ops.truncate(SLOWEST);
        ops
    }

    fn value(&self, op: OpId) -> Option<String> {
        let results = self.module.ops[op].results;
        (!results.is_empty()).then(|| self.module.value_name(results.at(0)))
    }

    fn location(&self, op: OpId) -> Option<String> {
        self.module.source_line(self.module.ops[op].loc)
    }

    /// Two tables: kinds of operations, and the slowest single ones.
    pub fn text(&self) -> String {
        let total: Duration = self.events.iter().map(|event| event.time).sum();
        let share = |time: Duration| 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
        let mut text = format!("{:>10}  {:>6}  {:>12}  operation\n", "time", "share", "executions");
        let row = |cost: Cost, what: &str| {
            let executions = format::count(usize::try_from(cost.executions).unwrap_or(usize::MAX));
            format!(
                "{:>10}  {:>5.1}%  {executions:>12}  {what}\n",
                format::duration(cost.time),
                share(cost.time)
            )
        };
        for (name, cost) in self.kinds() {
            text.push_str(&row(cost, name));
        }
        text.push_str("slowest:\n");
        for (op, cost) in self.slowest() {
            let mut what = self.value(op).map_or_else(String::new, |value| format!("{value} = "));
            what.push_str(self.module.op(op).def().name);
            if cost.operations > 1 {
                what.push_str(&format!(
                    " with {} before it",
                    format::counted(cost.operations - 1, "operation")
                ));
            }
            if let Some(location) = self.location(op) {
                what.push_str(&format!(" at {location}"));
            }
            text.push_str(&row(cost, &what));
        }
        text
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        let kinds = self.kinds().into_iter().map(|(name, cost)| {
            json!({ "op": name, "executions": cost.executions, "us": format::micros(cost.time) })
        });
        let slowest = self.slowest().into_iter().map(|(op, cost)| {
            json!({
                "op": self.module.op(op).def().name,
                "value": self.value(op),
                "location": self.location(op),
                "executions": cost.executions,
                "us": format::micros(cost.time),
            })
        });
        json!({ "kinds": kinds.collect::<Vec<_>>(), "slowest": slowest.collect::<Vec<_>>() })
    }

    /// A trace of all devices, a track each, as Perfetto and Chrome read it.
    pub fn trace(&self) -> Json {
        let devices: BTreeSet<usize> = self.events.iter().map(|event| event.device).collect();
        let tracks = devices.into_iter().map(|device| {
            json!({ "ph": "M", "name": "thread_name", "pid": 0, "tid": device, "args": { "name": format!("device {device}") } })
        });
        let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
        let events = self.events.iter().map(|event| {
            let name = self.module.op(event.op).def().name;
            let name = if event.waited { format!("waiting for {name}") } else { name.to_string() };
            json!({
                "ph": "X", "pid": 0, "tid": event.device, "name": name,
                "cat": if event.waited { "waiting" } else { "work" },
                "ts": micros(event.start), "dur": micros(event.time),
                "args": { "value": self.value(event.op), "location": self.location(event.op), "operations": event.operations },
            })
        });
        json!({ "traceEvents": tracks.chain(events).collect::<Vec<_>>(), "displayTimeUnit": "ms" })
    }
}
