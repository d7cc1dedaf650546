//! What moving data costs, in integers.

use super::pattern::Pattern;
use crate::ir::{Elem, TensorType};
use crate::ops::Work;
use crate::sharding::Mesh;

/// A byte that a device sends, in units of cost. A byte that is only copied locally is one unit.
const SENT_BYTE: u64 = 16;

/// What it costs to start a collective: as much as sending so many bytes. It only decides between ways that move the same.
const START_BYTES: u64 = 1;

/// So many operations on 32-bit floats take one unit: some 512 for each byte that a device sends, as accelerators have it. Narrow
/// types are four times as fast.
const OPERATIONS: f64 = 32.0;

/// So many bytes read or written by an op take one unit.
const MEMORY_BYTES: f64 = 4.0;

/// The work of one device that does this share of an op on elements of some type.
pub(super) fn work(work: Work, elem: Elem, share: f64) -> u64 {
    let speed = if elem.bits() <= 16 { 4.0 } else { 1.0 };
    let whole = work.flops / (OPERATIONS * speed) + work.bytes / MEMORY_BYTES;
    // At most what a float holds exactly.
    (whole * share).min(9e15) as u64
}

/// The price of some steps of a per-device program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Price {
    /// Bytes that a device sends, in rings.
    pub(super) ring_bytes: u64,
    /// How many collectives.
    pub(super) collectives: u64,
    /// Bytes that are copied locally.
    pub(super) local_bytes: u64,
}

impl Price {
    /// Bytes copied locally.
    pub(super) fn local(bytes: u64) -> Price {
        Price { local_bytes: bytes, ..Price::default() }
    }

    /// One collective.
    pub(super) fn collective(ring_bytes: u64) -> Price {
        Price { ring_bytes, collectives: 1, local_bytes: 0 }
    }

    /// Both.
    pub(super) fn plus(self, other: Price) -> Price {
        Price {
            ring_bytes: self.ring_bytes.saturating_add(other.ring_bytes),
            collectives: self.collectives + other.collectives,
            local_bytes: self.local_bytes.saturating_add(other.local_bytes),
        }
    }

    /// As one number.
    pub(super) fn cost(self) -> u64 {
        sent(self.ring_bytes)
            .saturating_add(self.collectives.saturating_mul(SENT_BYTE * START_BYTES))
            .saturating_add(self.local_bytes)
    }
}

/// What sending so many bytes costs, in a collective that runs anyway.
pub(super) fn sent(bytes: u64) -> u64 {
    bytes.saturating_mul(SENT_BYTE)
}

/// The bytes of so many elements on the way between devices: narrow integers are packed, `i1` takes one byte.
pub fn payload_bytes(elem: Elem, count: u64) -> u64 {
    let bits = if elem == Elem::Bool { 8 } else { u64::from(elem.bits()) };
    count.saturating_mul(bits).div_ceil(8)
}

/// The bytes of a tensor on the way between devices.
pub fn tensor_payload(ty: &TensorType) -> u64 {
    payload_bytes(ty.elem, ty.count() as u64)
}

/// The bytes that a device sends to another as a part of the devices of a ring does, rounded down: all but one of each
/// group of an all-gather (of its result), a reduce-scatter or an all-to-all (of their operands), those that move of a
/// permutation. An all-reduce sends twice as much, see [`all_reduce_bytes`].
pub fn ring_bytes(mesh: &Mesh, pattern: &Pattern, bytes: u64) -> u64 {
    let (moving, of) = pattern.moving(mesh);
    scaled(bytes, moving, of)
}

/// The bytes that a device sends in an all-reduce.
pub fn all_reduce_bytes(mesh: &Mesh, pattern: &Pattern, bytes: u64) -> u64 {
    let (moving, of) = pattern.moving(mesh);
    scaled(bytes, 2 * moving, of)
}

/// `bytes · part / whole`, rounded down.
pub(super) fn scaled(bytes: u64, part: i64, whole: i64) -> u64 {
    let product = u128::from(bytes) * part.max(0) as u128 / whole.max(1) as u128;
    u64::try_from(product).unwrap_or(u64::MAX)
}
