//! What moving data costs, in integers.

use super::pattern::Pattern;
use crate::device::{Exchange, Placement, Profile, Shape};
use crate::ir::{Elem, TensorType};
use crate::ops::Work;
use crate::sharding::mesh::MAX_ATOMS;
use crate::sharding::{AtomSet, Mesh};

/// What moving data and computing cost beside each other, in units: what the partitioner weighs its choices by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prices {
    /// A byte that a device sends, on average over the axes.
    sent_byte: u64,
    /// A byte that a device sends along each atom.
    along: [u64; MAX_ATOMS],
    /// A collective, besides its bytes.
    start: u64,
    /// A byte that is only copied locally.
    local_byte: u64,
    /// So many operations take one unit, on elements of at most 16 bits and on others.
    operations: [f64; 2],
    /// So many bytes read or written by an op take one unit.
    memory_bytes: f64,
}

impl Default for Prices {
    /// Prices for no device in particular: some 512 operations on 32-bit floats for each byte that a device sends, as accelerators
    /// have it, narrow types four times as fast. Starting a collective only decides between ways that move the same.
    fn default() -> Self {
        Prices {
            sent_byte: 16,
            along: [16; MAX_ATOMS],
            start: 16,
            local_byte: 1,
            operations: [128.0, 32.0],
            memory_bytes: 4.0,
        }
    }
}

impl Prices {
    /// The prices of a device, for a mesh that lies on its network: what each takes, in sixteenths of the time in which four
    /// bytes are read. To bring a value to another layout costs what it does along the axes it is sent along; where that is not known
    /// yet, what it does on average.
    pub fn of(profile: &Profile, mesh: &Mesh, placement: &Placement) -> Prices {
        const PROBE: u64 = 1 << 26;
        const FINER: f64 = 16.0;
        let part = profile.part_of(mesh.device_count());
        let memory = profile.memory_bandwidth * part * profile.compute_efficiency;
        let unit = 4.0 / memory / FINER;
        let axes = mesh.axes().iter().filter(|axis| axis.size > 1);
        let seconds = |axis: &crate::sharding::mesh::Axis, bytes: u64| {
            let exchange = Exchange { shape: Shape::Gather, atoms: axis.atoms().collect(), bytes };
            placement.seconds(mesh, profile, &exchange)
        };
        let units = |seconds: f64| (seconds / unit).clamp(1.0, 1e12) as u64;
        let mut along = [1; MAX_ATOMS];
        let (mut byte, mut start, mut count) = (0.0, 0.0, 0.0);
        for axis in axes {
            let (empty, full) = (seconds(axis, 0), seconds(axis, PROBE));
            let moved = PROBE as f64 * (axis.size - 1) as f64 / axis.size as f64;
            axis.atoms().for_each(|atom| along[usize::from(atom.0)] = units((full - empty) / moved));
            byte += (full - empty) / moved;
            start += empty;
            count += 1.0;
        }
        let mean = |sum: f64| if count > 0.0 { sum / count } else { 0.0 };
        let operations = |elem| {
            (profile.matrix_peak(elem) * part * profile.compute_efficiency * unit).max(f64::MIN_POSITIVE)
        };
        Prices {
            sent_byte: units(mean(byte)),
            along,
            start: units(mean(start)),
            local_byte: FINER as u64 / 4,
            operations: [operations(Elem::BF16), operations(Elem::F32)],
            memory_bytes: 4.0 / FINER,
        }
    }

    /// The work of one device that does this share of an op on elements of some type.
    pub(super) fn work(&self, work: Work, elem: Elem, share: f64) -> u64 {
        let operations = self.operations[usize::from(elem.bits() > 16)];
        let whole = work.flops / operations + work.bytes / self.memory_bytes;
        // At most what a float holds exactly.
        (whole * share).min(9e15) as u64
    }

    /// A price as one number.
    pub(super) fn cost(&self, price: Price) -> u64 {
        self.sent(price.ring_bytes)
            .saturating_add(price.collectives.saturating_mul(self.start))
            .saturating_add(price.local_bytes.saturating_mul(self.local_byte))
    }

    /// A price as one number, of something that is sent along these atoms: the slowest says how long it takes.
    pub(super) fn cost_along(&self, price: Price, atoms: AtomSet) -> u64 {
        let byte = atoms.iter().map(|atom| self.along[usize::from(atom.0)]).max();
        Prices { sent_byte: byte.unwrap_or(self.sent_byte), ..*self }.cost(price)
    }

    /// The least that a price can come to, whatever it is sent along.
    pub(super) fn least_cost(&self, mesh: &Mesh, price: Price) -> u64 {
        let bytes = mesh.all_atoms().iter().map(|atom| self.along[usize::from(atom.0)]);
        let byte = bytes.min().unwrap_or(self.sent_byte).min(self.sent_byte);
        Prices { sent_byte: byte, ..*self }.cost(price)
    }

    /// What sending so many bytes costs, in a collective that runs anyway.
    pub(super) fn sent(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.sent_byte)
    }
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

    /// As one number, for no device in particular: how something is fetched must not depend on who asks.
    pub(super) fn cost(self) -> u64 {
        Prices::default().cost(self)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Placement, built_in, read};

    #[test]
    fn a_byte_between_hosts_is_dearer_than_one_inside() {
        let profile = read(built_in("h100").unwrap()).unwrap();
        let mesh = Mesh::new([("host", 4), ("card", 8)]).unwrap();
        let sides = [("host".to_string(), vec![1]), ("card".to_string(), vec![0])];
        let placement = Placement::explicit(&mesh, &profile, &sides).unwrap();
        let prices = Prices::of(&profile, &mesh, &placement);
        let along =
            |axis: usize| prices.cost_along(Price::collective(1 << 26), mesh.axes()[axis].atoms().collect());
        assert!(along(0) > 2 * along(1), "{} {}", along(0), along(1));
        assert!(prices.least_cost(&mesh, Price::collective(1 << 26)) <= along(1));
        // For no device in particular all axes are alike.
        let plain = Prices::default();
        let price = Price::collective(100);
        assert_eq!(plain.cost_along(price, mesh.all_atoms()), plain.cost(price));
    }
}
