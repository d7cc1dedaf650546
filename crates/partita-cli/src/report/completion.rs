//! Decisions of completion by cost, beside what propagation alone gives.

use crate::commands::sharding::Sharded;
use crate::format;
use partita::complete::{Decision, Measured};
use serde_json::{Value, json};

/// The decision as JSON; null where propagation's answer stands.
pub(super) fn json(sharded: &Sharded) -> Value {
    let figures = |m: &Measured| json!({"ring_bytes": m.ring_bytes, "peak_memory": m.memory, "compute_seconds": m.compute, "replicated": m.replicated});
    let decision = sharded.decision.as_ref().map(|decision| {
        json!({
            "chosen": figures(&decision.chosen),
            "propagated": figures(&decision.propagated),
            "compared": decision.compared,
        })
    });
    json!({"decision": decision, "exhausted": sharded.exhausted})
}

/// The same in words; nothing where propagation's answer stands for good reason.
pub(super) fn words(sharded: &Sharded) -> String {
    match &sharded.decision {
        Some(decision) => format!("shardings chosen by cost: {}\n", saved(decision)),
        None if sharded.exhausted => {
            "shardings found by propagation: the program is too large for completion by cost\n".to_string()
        }
        None => String::new(),
    }
}

/// The figures of propagation's answer beside those of the program that was chosen.
pub fn saved(decision: &Decision) -> String {
    let Decision { chosen, propagated, .. } = decision;
    let compute = 100.0 * chosen.compute / propagated.compute.max(f64::MIN_POSITIVE);
    format!(
        "{} of communication instead of {} by propagation alone, peak memory {} instead of {}, {compute:.0} % of the compute time",
        format::bytes(chosen.ring_bytes),
        format::bytes(propagated.ring_bytes),
        format::bytes(chosen.memory),
        format::bytes(propagated.memory),
    )
}
