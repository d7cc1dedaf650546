//! Prices: integers, deterministic, on a default device.
//!
//! One unit is the time in which a device sends a sixteenth of a byte, computes about a thousand operations, or reads and
//! writes four bytes of its memory: the proportions of an accelerator whose links carry some 50 GB/s, whose units do some
//! 800 TFLOP/s and whose memory moves some 3 TB/s.

use crate::ops::Work;

/// What sending a byte costs.
pub(super) const SENT_BYTE: u64 = 16;

const OPERATIONS: f64 = 1024.0;
const MEMORY_BYTES: f64 = 4.0;

/// The work of one device where an op falls into so many parts.
pub(super) fn work(work: Work, parts: i64) -> u64 {
    let whole = work.flops / OPERATIONS + work.bytes / MEMORY_BYTES;
    // At most what an integer holds exactly; rounding down is deterministic.
    (whole / parts.max(1) as f64).min(9e15) as u64
}

/// Gathering what so many devices hold of each, given the bytes of one.
pub(super) fn gather(bytes: u64, parts: i64) -> u64 {
    bytes.saturating_mul(parts.max(1) as u64 - 1).saturating_mul(SENT_BYTE)
}
