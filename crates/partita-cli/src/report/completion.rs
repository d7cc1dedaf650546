//! Decisions of completion by cost, beside what propagation alone gives.

use crate::commands::sharding::Sharded;
use crate::format;
use partita::complete::{Decision, Measured};
use serde_json::{Value, json};

/// The decision as JSON; null where propagation's answer stands.
pub(super) fn json(sharded: &Sharded) -> Value {
    let figures = |m: &Measured| json!({"ring_bytes": m.ring_bytes, "peak_memory": m.memory, "compute_seconds": m.compute, "replicated": m.replicated});
    let decision = sharded.of.decision.as_ref().map(|decision| {
        let mut runner_up = figures(&decision.runner_up().figures);
        runner_up["by"] = json!(if decision.second.is_some() { "cost" } else { "propagation" });
        json!({
            "chosen": figures(&decision.chosen),
            "runner_up": runner_up,
            "propagated": figures(&decision.propagated.figures),
            "compared": decision.compared,
        })
    });
    json!({"decision": decision, "exhausted": sharded.of.exhausted})
}

/// The same in words; nothing where propagation's answer stands for good reason.
pub(super) fn words(sharded: &Sharded) -> String {
    match &sharded.of.decision {
        Some(decision) => format!("shardings chosen by cost: {}\n", compared(decision)),
        None if sharded.of.exhausted => {
            "shardings found by propagation: the program is too large for completion by cost\n".to_string()
        }
        None => String::new(),
    }
}

/// Communication, peak memory and compute time of the chosen program, the runner-up and propagation's program, in words.
pub fn compared(decision: &Decision) -> String {
    let figures = |m: &Measured| {
        let compute = 100.0 * m.compute / decision.chosen.compute.max(f64::MIN_POSITIVE);
        let (bytes, memory) = (format::bytes(m.ring_bytes), format::bytes(m.memory));
        format!("{bytes} of communication, peak memory {memory}, {compute:.0} % of the compute time")
    };
    let second = decision.second.as_ref();
    let second =
        second.map(|other| format!("\n  runner-up: {}", figures(&other.figures))).unwrap_or_default();
    let (bytes, memory) = (format::bytes(decision.chosen.ring_bytes), format::bytes(decision.chosen.memory));
    let propagated = figures(&decision.propagated.figures);
    format!("{bytes} of communication, peak memory {memory}{second}\n  by propagation alone: {propagated}")
}
