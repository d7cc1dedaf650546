//! How long a collective takes.
//!
//! A ring or line of units that all have a part moves the parts around it; along several directions at once it does so in each
//! of them with a share of the data. Levels work at the same time, chunk by chunk, so that the slowest says how long it takes; where the library
//! is said to know nothing of levels, all of the data goes over each of them.

use super::placement::Placement;
use super::profile::Profile;
use super::topology::{Level, Links};
use crate::sharding::{Atom, AtomSet, Mesh};

/// What a collective does with its data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// Everyone gets everything: an all-gather, by the bytes of its result.
    Gather,
    /// Everyone gets the sum of a part: a reduce-scatter, by the bytes of its operand.
    Scatter,
    /// Both: an all-reduce.
    Reduce,
    /// Everyone sends a part to everyone.
    AllToAll,
    /// Everyone sends to one other, so many places further along the minor end of the axes.
    Shift(i64),
    /// Everyone sends to one other, anywhere along the axes.
    Reorder,
}

/// One collective: what it does, along which axes, with how many bytes on each device.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    /// What it does.
    pub shape: Shape,
    /// Along which atoms.
    pub atoms: AtomSet,
    /// How many bytes.
    pub bytes: u64,
}

/// What a group of devices has of one side of the network.
struct Stretch<'p> {
    level: &'p Level,
    level_number: usize,
    /// How many of the group lie along it.
    units: i64,
    /// How many devices apart they are: so many groups share the links.
    apart: i64,
    /// Whether they go all the way around.
    ring: bool,
}

impl Stretch<'_> {
    /// Bytes per second that a unit moves along it, in both directions where there are two.
    fn bandwidth(&self) -> f64 {
        match self.level.links {
            Links::Switch { .. } => self.level.bandwidth,
            Links::Torus { .. } => {
                let directions = if self.ring { 2.0 } else { 1.0 };
                self.level.bandwidth * directions / self.apart as f64
            }
        }
    }

    /// How often something is handed on until it is everywhere.
    fn hops(&self) -> f64 {
        match self.level.links {
            Links::Switch { .. } => (self.units as f64).log2().ceil(),
            Links::Torus { .. } => {
                let furthest = if self.ring { self.units / 2 } else { self.units - 1 };
                (furthest * self.apart) as f64
            }
        }
    }

    /// How many times its own bytes a unit's links carry where each unit sends to all others.
    fn crossing(&self) -> f64 {
        let units = self.units as f64;
        match self.level.links {
            Links::Switch { .. } => (units - 1.0) / units,
            Links::Torus { .. } => units * self.apart as f64 / if self.ring { 8.0 } else { 4.0 },
        }
    }
}

impl Placement {
    /// How long a collective takes from its start to its end, in seconds.
    pub fn seconds(&self, mesh: &Mesh, profile: &Profile, exchange: &Exchange) -> f64 {
        let stretches = self.stretches(mesh, profile, exchange.atoms);
        if stretches.is_empty() {
            return 0.0;
        }
        let bytes = exchange.bytes as f64;
        let latency: f64 = stretches.iter().map(|s| s.hops() * s.level.latency).sum();
        let (moving, latency) = match exchange.shape {
            Shape::Gather | Shape::Scatter => (bytes, latency),
            Shape::Reduce => (2.0 * bytes, 2.0 * latency),
            Shape::AllToAll => {
                return self.start(profile) + latency + self.crossing(profile, &stretches, bytes, 1.0);
            }
            Shape::Reorder => {
                return self.start(profile) + latency + self.crossing(profile, &stretches, bytes, 2.0);
            }
            Shape::Shift(by) => {
                return self.start(profile) + self.passing(profile, &stretches, bytes, by.unsigned_abs());
            }
        };
        let mut slowest = 0.0f64;
        let mut within = 1.0;
        for level in stretches.chunk_by(|a, b| a.level_number == b.level_number) {
            let units: f64 = level.iter().map(|s| s.units as f64).product();
            let bandwidth: f64 =
                level.iter().map(Stretch::bandwidth).sum::<f64>() * profile.network_efficiency;
            // What the levels inside have summed or shared already is sent once.
            let each = moving / within * (units - 1.0) / units;
            slowest = slowest.max(each * self.devices_below(level[0].level_number, profile) / bandwidth);
            if !profile.flat {
                within *= units;
            }
        }
        self.start(profile) + latency + slowest
    }

    /// Whether a collective keeps both ways along its sides busy. To a neighbour around a ring it goes one way; on a line the ring is
    /// folded, so that what goes on and what comes back meet.
    pub fn goes_both_ways(&self, mesh: &Mesh, profile: &Profile, exchange: &Exchange) -> bool {
        let Shape::Shift(_) = exchange.shape else { return true };
        let stretches = self.stretches(mesh, profile, exchange.atoms);
        let outermost = stretches.chunk_by(|a, b| a.level_number == b.level_number).last();
        outermost.is_some_and(
            |level| matches!(level, [line] if !line.ring && matches!(line.level.links, Links::Torus { .. })),
        )
    }

    /// The sides of the network that a collective along atoms uses, as a set of bits.
    pub fn used_sides(&self, atoms: AtomSet) -> u64 {
        let uses = |list: &Vec<Atom>| list.iter().any(|a| atoms.contains(*a));
        let bits =
            self.atoms.iter().enumerate().filter(|(_, list)| uses(list)).map(|(n, _)| 1u64 << (n % 64));
        bits.fold(0, |set, bit| set | bit)
    }

    fn start(&self, profile: &Profile) -> f64 {
        profile.collective_start
    }

    /// How many devices are one unit of a level, of those that the mesh takes: they share its links.
    fn devices_below(&self, level: usize, profile: &Profile) -> f64 {
        if profile.shared {
            return self.lengths.iter().product::<i64>() as f64;
        }
        let sides = profile.sides();
        let below = sides.iter().zip(&self.lengths).filter(|(side, _)| side.level < level).map(|(_, n)| *n);
        below.product::<i64>() as f64
    }

    /// Seconds that it takes to send to the one so many places further, around a ring through all of a group. Along several sides of a torus
    /// the ring goes through their grid from neighbour to neighbour.
    fn passing(&self, profile: &Profile, stretches: &[Stretch<'_>], bytes: f64, by: u64) -> f64 {
        let (mut slowest, mut latency, mut within) = (0.0f64, 0.0, 1.0f64);
        for level in stretches.chunk_by(|a, b| a.level_number == b.level_number) {
            let first = &level[0];
            let units: f64 = level.iter().map(|s| s.units as f64).product();
            // Of the devices of a unit those leave it that do not find the receiver inside.
            let leaving = (by as f64 / within).min(1.0);
            let far = (by as f64 / within).max(1.0).min(units);
            let links = match first.level.links {
                Links::Switch { .. } => 1.0,
                Links::Torus { .. } => {
                    let shortest = if first.ring { far.min(units - far).max(1.0) } else { far };
                    shortest * level.iter().map(|s| s.apart).max().unwrap_or(1) as f64
                }
            };
            let sent = bytes * leaving * self.devices_below(first.level_number, profile) * links;
            slowest = slowest.max(sent / (first.level.bandwidth * profile.network_efficiency));
            latency += links * first.level.latency;
            within *= units;
        }
        slowest + latency
    }

    /// Seconds that the slowest side takes where everyone sends to all others, or, in pairs at their worst, twice as far.
    fn crossing(&self, profile: &Profile, stretches: &[Stretch<'_>], bytes: f64, further: f64) -> f64 {
        let side = |s: &Stretch<'_>| {
            let sent = bytes * self.devices_below(s.level_number, profile) * s.crossing() * further;
            sent / (s.level.bandwidth * profile.network_efficiency)
        };
        stretches.iter().map(side).fold(0.0, f64::max)
    }

    fn stretches<'p>(&self, mesh: &Mesh, profile: &'p Profile, atoms: AtomSet) -> Vec<Stretch<'p>> {
        let mut found = Vec::new();
        for (n, side) in profile.sides().iter().enumerate() {
            let along = &self.atoms[n];
            let Some(outermost) = along.iter().position(|a| atoms.contains(*a)) else { continue };
            let level = &profile.levels[side.level];
            let inside = along[outermost..].iter();
            let (mine, others): (Vec<Atom>, Vec<Atom>) = inside.copied().partition(|a| atoms.contains(*a));
            found.push(Stretch {
                level,
                level_number: side.level,
                units: mesh.size_of(mine),
                apart: mesh.size_of(others),
                ring: outermost == 0 && level.links.is_ring(self.lengths[n]),
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{built_in, read};

    fn ideal(name: &str) -> Profile {
        let mut profile = read(built_in(name).unwrap()).unwrap();
        profile.network_efficiency = 1.0;
        profile.collective_start = 0.0;
        profile.levels.iter_mut().for_each(|l| l.latency = 0.0);
        profile
    }

    /// How long a collective takes on a mesh whose axes lie along one side each, of these numbers.
    fn seconds(
        profile: &Profile,
        axes: &[(&str, i64, usize)],
        along: &[usize],
        shape: Shape,
        bytes: u64,
    ) -> f64 {
        let mesh = Mesh::new(axes.iter().map(|(n, s, _)| (n.to_string(), *s))).unwrap();
        let sides: Vec<(String, Vec<usize>)> =
            axes.iter().map(|(n, _, side)| (n.to_string(), vec![*side])).collect();
        let placement = Placement::explicit(&mesh, profile, &sides).unwrap();
        let atoms = along.iter().flat_map(|a| mesh.axes()[*a].atoms()).collect();
        placement.seconds(&mesh, profile, &Exchange { shape, atoms, bytes })
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_ring_moves_all_but_one_part_in_both_directions() {
        let v4 = ideal("tpu-v4");
        let mesh = [("x", 16, 0), ("y", 16, 1)];
        let parts = 15.0 / 16.0;
        assert!(close(
            seconds(&v4, &mesh, &[0], Shape::Gather, 1 << 30),
            (1u64 << 30) as f64 * parts / 100e9
        ));
        assert!(close(
            seconds(&v4, &mesh, &[0], Shape::Reduce, 1 << 30),
            (1u64 << 31) as f64 * parts / 100e9
        ));
        // Two rings at once.
        let both = 255.0 / 256.0;
        assert!(close(
            seconds(&v4, &mesh, &[0, 1], Shape::Gather, 1 << 30),
            (1u64 << 30) as f64 * both / 200e9
        ));
        // Everyone to everyone: a quarter of the whole array in both directions.
        assert!(close(
            seconds(&v4, &mesh, &[0], Shape::AllToAll, 1 << 30),
            16.0 * (1u64 << 30) as f64 / 4.0 / 100e9
        ));
        // To the neighbour.
        assert!(close(seconds(&v4, &mesh, &[0], Shape::Shift(1), 1 << 30), (1u64 << 30) as f64 / 50e9));
    }

    #[test]
    fn a_ring_goes_through_all_that_the_axes_lie_along() {
        let v3 = ideal("tpu-v3");
        let gib = (1u64 << 30) as f64;
        // Of two cores one sends to the other, and one to the next chip.
        let line = [("chip", 4, 1), ("core", 2, 0)];
        assert!(close(seconds(&v3, &line, &[0, 1], Shape::Shift(1), 1 << 30), gib / 70e9));
        // On a line the way back meets the way there; in a grid it goes around.
        let grid = [("row", 4, 1), ("column", 2, 2)];
        for (axes, both_ways) in [(line, true), (grid, false)] {
            let mesh = Mesh::new(axes.iter().map(|(n, s, _)| (n.to_string(), *s))).unwrap();
            let sides = axes.map(|(n, _, side)| (n.to_string(), vec![side]));
            let placement = Placement::explicit(&mesh, &v3, &sides).unwrap();
            let exchange = Exchange { shape: Shape::Shift(1), atoms: mesh.all_atoms(), bytes: 1 };
            assert_eq!(placement.goes_both_ways(&mesh, &v3, &exchange), both_ways);
        }
    }

    #[test]
    fn a_side_that_does_not_wrap_around_is_half_as_fast() {
        let v5e = ideal("tpu-v5e");
        let ring = seconds(&v5e, &[("x", 16, 0)], &[0], Shape::Gather, 1 << 30) / (15.0 / 16.0);
        let line = seconds(&v5e, &[("x", 8, 0)], &[0], Shape::Gather, 1 << 30) / (7.0 / 8.0);
        assert!(close(line, 2.0 * ring), "{line} {ring}");
    }

    #[test]
    fn hosts_share_what_leaves_them() {
        let h100 = ideal("h100");
        let mesh = [("host", 4, 1), ("card", 8, 0)];
        let gib = (1u64 << 30) as f64;
        assert!(close(seconds(&h100, &mesh, &[1], Shape::Gather, 1 << 30), gib * 7.0 / 8.0 / 450e9));
        // Eight rings between hosts at once: each has an eighth of what a host has.
        assert!(close(seconds(&h100, &mesh, &[0], Shape::Gather, 1 << 30), gib * 3.0 / 4.0 / 50e9));
        // All devices: an eighth of the data leaves each card.
        assert!(close(seconds(&h100, &mesh, &[0, 1], Shape::Gather, 1 << 30), gib * 7.0 / 8.0 / 450e9));
    }
    #[test]
    fn a_library_that_knows_no_levels_sends_everything_over_the_slowest() {
        let h100 = Profile { flat: true, ..ideal("h100") };
        let mesh = [("host", 4, 1), ("card", 8, 0)];
        let gib = (1u64 << 30) as f64;
        assert!(close(seconds(&h100, &mesh, &[0, 1], Shape::Reduce, 1 << 30), 2.0 * gib * 3.0 / 4.0 / 50e9));
    }
}
