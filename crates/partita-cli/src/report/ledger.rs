//! The ledger of a partitioned program, for people and for programs.

use crate::format;
use partita::inline::Inlined;
use partita::ir::{Module, OpId};
use partita::ledger::{Entry, Ledger};
use partita::sharding::{Atom, Mesh};
use serde_json::{Value, json};

/// The most columns a table takes.
const WIDTH: usize = 100;

/// The most rows a table shows; the smaller ones are summed.
const ROWS: usize = 40;

/// Names of values as the user's own file has them.
pub struct Names<'a> {
    /// What was read.
    pub input: &'a Module,
    /// The program as one function.
    pub inlined: &'a Inlined,
}

impl Names<'_> {
    /// The value that an entry is about.
    pub fn entry(&self, entry: &Entry) -> Option<String> {
        match entry.value {
            Some(value) => Some(self.inlined.input_name(self.input, value)),
            None => entry.cause.and_then(|op| self.op(op)),
        }
    }

    /// What an op makes.
    pub fn op(&self, op: OpId) -> Option<String> {
        let first = self.inlined.module.op(op).results().next()?;
        Some(self.inlined.input_name(self.input, first))
    }
}

/// Axes as users write them: `data`, `model:(2)4`.
pub fn axes(mesh: &Mesh, atoms: &[Atom]) -> Vec<String> {
    let name = |part: &partita::sharding::mesh::AxisPart| {
        let name = &mesh.axes()[part.axis].name;
        part.part.map_or_else(|| name.clone(), |(pre, size)| format!("{name}:({pre}){size}"))
    };
    mesh.parts(atoms).iter().map(name).collect()
}

/// The collectives, as JSON.
pub fn collectives(ledger: &Ledger, mesh: &Mesh, names: &Names<'_>) -> Vec<Value> {
    let entry = |entry: &Entry| {
        json!({
            "kind": entry.kind,
            "axes": axes(mesh, &entry.axes),
            "group_size": entry.group_size,
            "executions": entry.executions,
            "operand_bytes": entry.operand_bytes,
            "result_bytes": entry.result_bytes,
            "ring_bytes": entry.ring_bytes,
            "value": names.entry(entry),
            "output_value": entry.output_value,
            "location": entry.location,
            "reason": entry.reason,
        })
    };
    ledger.entries.iter().map(entry).collect()
}

/// The sums, as JSON.
pub fn totals(ledger: &Ledger) -> Value {
    let kinds = ledger.by_kind().into_iter().map(|(kind, total)| {
        let sums = json!({
            "count": total.count,
            "executions": total.executions,
            "ring_bytes": total.ring_bytes,
        });
        (kind.to_string(), sums)
    });
    let kinds: serde_json::Map<String, Value> = kinds.collect();
    let total = ledger.total();
    json!({"by_kind": kinds, "ring_bytes": total.ring_bytes, "payload_bytes": total.payload_bytes})
}

/// The collectives as a table, the most bytes first.
pub fn table(ledger: &Ledger, mesh: &Mesh, names: &Names<'_>) -> String {
    if ledger.entries.is_empty() {
        return "no collectives\n".to_string();
    }
    let mut entries: Vec<&Entry> = ledger.entries.iter().collect();
    entries.sort_by_key(|e| std::cmp::Reverse(e.ring_bytes));
    let head = ["sent", "times", "collective", "axes", "value", "for", "source"].map(String::from);
    let mut rows = vec![head];
    for entry in entries.iter().take(ROWS) {
        rows.push([
            format::bytes(entry.ring_bytes),
            entry.executions.map_or("?".to_string(), |n| n.to_string()),
            entry.kind.to_string(),
            axes(mesh, &entry.axes).join("+"),
            names.entry(entry).unwrap_or_default(),
            entry.reason.clone(),
            entry.location.as_deref().map(short_location).unwrap_or_default(),
        ]);
    }
    let mut text = align(&rows);
    let total = ledger.total();
    if entries.len() > ROWS {
        let rest: u64 = entries[ROWS..].iter().map(|e| e.ring_bytes).fold(0, u64::saturating_add);
        text.push_str(&format!(
            "… and {} more, which send {}\n",
            format::count(entries.len() - ROWS),
            format::bytes(rest)
        ));
    }
    let collectives = format::counted(entries.len(), "collective");
    text.push_str(&format!("{collectives}, {} sent per device\n", format::bytes(total.ring_bytes)));
    text
}

/// The last part of the path is enough beside a program one knows.
fn short_location(location: &str) -> String {
    location.rsplit('/').next().unwrap_or(location).to_string()
}

/// Columns under each other; where all do not fit, the widest texts are cut.
fn align(rows: &[[String; 7]]) -> String {
    let length = |text: &str| text.chars().count();
    let mut widths = [0; 7];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = length(cell).max(*width);
        }
    }
    const GAPS: usize = 2 * 6;
    while widths.iter().sum::<usize>() + GAPS > WIDTH {
        // Numbers and kinds stay whole: only axes, names, reasons and places are cut.
        let Some(widest) = (3..7).max_by_key(|&c| (widths[c], c)) else { break };
        widths[widest] -= 1;
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let cell = if length(cell) > width {
                // The end of a place or a name tells more than its start.
                let keep = width.saturating_sub(1);
                if column == 6 || column == 4 {
                    let skip = length(cell) - keep;
                    format!("…{}", cell.chars().skip(skip).collect::<String>())
                } else {
                    format!("{}…", cell.chars().take(keep).collect::<String>())
                }
            } else {
                cell.clone()
            };
            let pad = " ".repeat(width - length(&cell));
            let gap = if column == 0 { "" } else { "  " };
            let aligned = if column < 2 { format!("{gap}{pad}{cell}") } else { format!("{gap}{cell}{pad}") };
            line.push_str(&aligned);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_the_terminal() {
        let row = |reason: &str, place: &str| {
            ["1.0 KiB", "24", "all_reduce", "data+model", "@f:%0#2", reason, place].map(String::from)
        };
        let long =
            "dot_general: its operands are split over a contracting dimension, and the result is needed";
        let text = align(&[
            row("short", "model.py:1:2"),
            row(long, "a_very_long_file_name_in_the_program.py:123:45"),
        ]);
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        assert!(text.lines().nth(1).is_some_and(|l| l.ends_with("py:123:45")), "{text}");
    }
}
