//! Which operations of a run took how long.

use crate::format;
use partita::ir::{Id, Module, OpId};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many single operations are named.
const SLOWEST: usize = 10;

/// The time of each operation. An operation that calls a region or a function has only its own share: what is
/// inside counts for itself, except for regions that a kernel calls, such as the one of a reduction.
pub struct Profile<'m> {
    module: &'m Module,
    costs: Vec<Cost>,
    current: Option<(OpId, Instant)>,
}

#[derive(Clone, Copy, Default)]
struct Cost {
    time: Duration,
    executions: u64,
}

impl<'m> Profile<'m> {
    /// A profile of nothing yet.
    pub fn new(module: &'m Module) -> Self {
        Profile { module, costs: vec![Cost::default(); module.ops.len()], current: None }
    }

    /// An operation begins, so the one before has ended.
    pub fn begin(&mut self, op: OpId) {
        let now = Instant::now();
        self.end_at(now);
        self.current = Some((op, now));
    }

    /// The run has ended.
    pub fn end(&mut self) {
        self.end_at(Instant::now());
    }

    fn end_at(&mut self, now: Instant) {
        if let Some((op, start)) = self.current.take() {
            let cost = &mut self.costs[op.index()];
            cost.time += now - start;
            cost.executions += 1;
        }
    }

    /// The kinds of operations that ran, slowest first.
    fn kinds(&self) -> Vec<(&'static str, Cost)> {
        let mut kinds: BTreeMap<&'static str, Cost> = BTreeMap::new();
        for (op, cost) in self.executed() {
            let kind = kinds.entry(self.module.op(op).def().name).or_default();
            kind.time += cost.time;
            kind.executions += cost.executions;
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
        kinds
    }

    /// The single operations that took longest.
    fn slowest(&self) -> Vec<(OpId, Cost)> {
        let mut ops: Vec<_> = self.executed().collect();
        ops.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
        ops.truncate(SLOWEST);
        ops
    }

    fn executed(&self) -> impl Iterator<Item = (OpId, Cost)> {
        let costs = self.costs.iter().enumerate();
        costs.filter(|(_, cost)| cost.executions > 0).map(|(i, cost)| (OpId::from_index(i), *cost))
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
        let total: Duration = self.costs.iter().map(|cost| cost.time).sum();
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
}
