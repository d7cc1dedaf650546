//! What there is to tell about a partitioned program: what it sends, what it holds, and whether it is right.

pub mod completion;
pub mod ledger;
pub mod simulation;
pub mod trace;
mod verdict;

use crate::commands::sharding::Sharded;
use crate::format;
use ledger::Names;
use partita::equal::Verdict;
use partita::ledger::{Ledger, Memory};
use partita::partition::{Layout, Partitioned};
use serde_json::{Value, json};

/// A partitioned program and everything found out about it.
pub struct Report<'a> {
    /// What was partitioned.
    pub sharded: &'a Sharded,
    /// What came of it.
    pub partitioned: &'a Partitioned,
    /// What it sends.
    pub ledger: Ledger,
    /// What it holds.
    pub memory: Memory,
    /// Whether it is right, where that was asked.
    pub verdict: Option<Verdict>,
}

impl<'a> Report<'a> {
    /// Looks at a partitioned program.
    pub fn new(sharded: &'a Sharded, partitioned: &'a Partitioned) -> Report<'a> {
        Report {
            sharded,
            partitioned,
            ledger: Ledger::new(partitioned, &sharded.of.inlined),
            memory: Memory::new(&partitioned.module),
            verdict: None,
        }
    }

    /// The names of values in the user's own file.
    pub fn names(&self) -> Names<'a> {
        Names { input: &self.sharded.program.module, inlined: &self.sharded.of.inlined }
    }

    /// Whether it was verified and found wrong.
    pub fn is_wrong(&self) -> bool {
        self.verdict.as_ref().is_some_and(|v| !v.ok())
    }

    /// Everything but the times, as JSON.
    pub fn json(&self) -> Value {
        let (mesh, names) = (&self.partitioned.mesh, self.names());
        let axes: Vec<Value> = mesh.axes().iter().map(|a| json!([a.name, a.size])).collect();
        let text = |layouts: &[Layout]| -> Vec<String> { layouts.iter().map(|l| l.text(mesh)).collect() };
        let whole = self.partitioned.replicated.iter().map(|(op, why)| {
            let name = self.sharded.of.inlined.module.op(*op).def().name;
            json!({"value": names.op(*op), "op": name, "reason": why})
        });
        let whole: Vec<Value> = whole.collect();
        let Memory { arguments, results, peak } = self.memory;
        json!({
            "schema": 1,
            "devices": mesh.device_count(),
            "mesh": axes,
            "device_order": mesh.device_ids(),
            "collectives": ledger::collectives(&self.ledger, mesh, &names),
            "totals": ledger::totals(&self.ledger),
            "memory": {"arguments": arguments, "results": results, "peak": peak},
            "shardings": {
                "arguments": text(&self.partitioned.arguments),
                "results": text(&self.partitioned.results),
            },
            "replicated": whole,
            "completion": completion::json(self.sharded),
            "verify": self.verdict.as_ref().map(verdict::json),
        })
    }

    /// Everything, in words.
    pub fn words(&self) -> String {
        let names = self.names();
        let mut text = ledger::table(&self.ledger, &self.partitioned.mesh, &names);
        text.push_str(&format!(
            "memory per device: {} at most, {} of it arguments\n",
            format::bytes(self.memory.peak),
            format::bytes(self.memory.arguments)
        ));
        text.push_str(&completion::words(self.sharded));
        for (op, why) in &self.partitioned.replicated {
            let name = self.sharded.of.inlined.module.op(*op).def().name;
            let value = names.op(*op).unwrap_or_default();
            text.push_str(&format!("whole on every device: {value} ({name}), {why}\n"));
        }
        if let Some(verdict) = &self.verdict {
            text.push_str(&verdict::words(verdict));
        }
        text
    }
}
