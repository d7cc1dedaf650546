//! Which devices are alike: partitions of the devices into classes, each kept once.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A partition of the devices, by its place in [`Likenesses`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Likeness(u32);

impl Likeness {
    /// All devices are alike.
    pub(crate) const ALL: Likeness = Likeness(0);
}

/// The partitions that occur.
pub(crate) struct Likenesses {
    devices: usize,
    /// For each device the first one of its class.
    list: Vec<Box<[u32]>>,
    places: FxHashMap<Box<[u32]>, Likeness>,
    both: FxHashMap<(Likeness, Likeness), Likeness>,
}

impl Likenesses {
    /// For so many devices.
    pub(crate) fn new(devices: usize) -> Likenesses {
        let mut new = Likenesses {
            devices,
            list: Vec::new(),
            places: FxHashMap::default(),
            both: FxHashMap::default(),
        };
        new.by(|_| ());
        new
    }

    /// Devices are alike that have the same key.
    pub(crate) fn by<K: Hash + Eq>(&mut self, key: impl Fn(usize) -> K) -> Likeness {
        let mut first: FxHashMap<K, u32> = FxHashMap::default();
        let classes: Box<[u32]> =
            (0..self.devices).map(|d| *first.entry(key(d)).or_insert(d as u32)).collect();
        if let Some(known) = self.places.get(&classes) {
            return *known;
        }
        let new = Likeness(self.list.len() as u32);
        self.list.push(classes.clone());
        self.places.insert(classes, new);
        new
    }

    /// No device is like another.
    pub(crate) fn none(&mut self) -> Likeness {
        self.by(|device| device)
    }

    /// Devices that are alike in both.
    pub(crate) fn both(&mut self, a: Likeness, b: Likeness) -> Likeness {
        if a == b || b == Likeness::ALL {
            return a;
        }
        if a == Likeness::ALL {
            return b;
        }
        if let Some(known) = self.both.get(&(a, b)) {
            return *known;
        }
        let (left, right) = (self.list[a.0 as usize].clone(), self.list[b.0 as usize].clone());
        let met = self.by(|d| (left[d], right[d]));
        self.both.insert((a, b), met);
        met
    }

    /// The first device of each device's class.
    pub(crate) fn firsts(&self, likeness: Likeness) -> &[u32] {
        &self.list[likeness.0 as usize]
    }

    /// The class of a device: its first device, and how many they are.
    pub(crate) fn class(&self, likeness: Likeness, device: usize) -> (u32, usize) {
        let firsts = self.firsts(likeness);
        let first = firsts[device];
        (first, firsts.iter().filter(|other| **other == first).count())
    }

    /// Whether any two devices are alike.
    pub(crate) fn any(&self, likeness: Likeness) -> bool {
        self.firsts(likeness).iter().enumerate().any(|(device, first)| *first != device as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_in_both() {
        let mut table = Likenesses::new(4);
        let rows = table.by(|d| d / 2);
        let columns = table.by(|d| d % 2);
        let none = table.none();
        assert_eq!(table.both(rows, columns), none);
        assert_eq!(table.both(rows, Likeness::ALL), rows);
        assert_eq!(table.both(Likeness::ALL, columns), columns);
        assert_eq!(table.by(|d| if d < 2 { "a" } else { "b" }), rows);
        assert_eq!(table.class(columns, 3), (1, 2));
        assert!(table.any(rows) && !table.any(none));
    }
}
