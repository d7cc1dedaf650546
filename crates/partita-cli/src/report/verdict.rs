//! What a verification found, for people and for programs.

use crate::results;
use partita::equal::{Proof, Verdict};
use serde_json::{Value, json};

/// The verdict as JSON.
pub fn json(verdict: &Verdict) -> Value {
    let worst = verdict.worst.as_ref().map(|w| {
        json!({
            "result": format!("out{}", w.result),
            "index": w.index,
            "expected": results::number(w.expected),
            "found": results::number(w.found),
        })
    });
    json!({
        "ok": verdict.ok(),
        "proof": verdict.proof.map(Proof::name),
        "exact": verdict.exact,
        "max_abs_error": verdict.max_abs_error,
        "max_rel_error": verdict.max_rel_error,
        "tolerance": verdict.tolerance,
        "worst": worst,
        "unpromised": verdict.unpromised,
    })
}

/// The verdict in words.
pub fn words(verdict: &Verdict) -> String {
    if verdict.max_abs_error == 0.0 {
        return "verified: equal to the run on one device\n".to_string();
    }
    let how = match verdict.proof {
        Some(Proof::Widened) => ", and the same with floats of 64 bits",
        Some(Proof::Narrowed) => ", and far less than with floats of 32 bits",
        _ => "",
    };
    format!(
        "verified: within rounding of the run on one device (at most {:.1e}, {:.1e} of the largest element{how})\n",
        verdict.max_abs_error, verdict.max_rel_error
    )
}
