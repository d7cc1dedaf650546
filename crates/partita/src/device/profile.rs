//! What is known of a kind of device.

use super::network::Shape;
use super::topology::{Level, Side};
use super::windows::Windows;
use crate::ir::Elem;

/// A kind of device, and the network between many of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// What it is called.
    pub name: String,
    /// Whether the devices of a mesh share one computer, so that all of them together have what is said here.
    pub shared: bool,
    /// Operations per second of the matrix unit, by element type.
    pub matrix: Vec<(Elem, f64)>,
    /// Operations per second on single elements.
    pub vector: f64,
    /// What the matrix unit works in multiples of: rows, the depth of a product, and columns.
    pub tile: [i64; 3],
    /// How fast windows are laid out; nothing where convolutions read their input as it lies.
    pub windows: Vec<Windows>,
    /// Whether products take their operands from where those are cut out, and are added to what is in memory as they are computed.
    pub fuses: bool,
    /// What part of its peak a device reaches in computing.
    pub compute_efficiency: f64,
    /// Bytes of memory.
    pub memory_size: u64,
    /// Bytes per second read from or written to memory.
    pub memory_bandwidth: f64,
    /// Bytes per second read and written where dimensions of an array change places; nothing where products take arrays in any order.
    pub memory_turn: Option<f64>,
    /// Bytes per second of memory that a run takes anew, where that takes time: where the system hands it out page by page.
    pub memory_fresh: Option<f64>,
    /// Seconds to start an operation that nothing was joined with.
    pub operation_start: f64,
    /// Seconds to start a collective.
    pub collective_start: f64,
    /// What part of its peak the network reaches.
    pub network_efficiency: f64,
    /// Collectives that run beside computing.
    pub asynchronous: Asynchronous,
    /// Collectives are worth combining up to so many bytes.
    pub combine_bytes: u64,
    /// Whether a collective is one ring through all of its devices, whatever links they have among them.
    pub flat: bool,
    /// Whether collectives exchange whole pieces of memory, so that gathers and scatters are best along the leading dimension.
    pub leading: bool,
    /// The levels of the network, the innermost first. The units of a level are those of the level before it.
    pub levels: Vec<Level>,
}

/// Which collectives run beside computing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asynchronous {
    /// All of them.
    All,
    /// Permutes only.
    Permutes,
    /// None.
    None,
}

impl Asynchronous {
    /// Whether a collective runs beside computing.
    pub fn takes(self, shape: Shape) -> bool {
        match self {
            Asynchronous::All => true,
            Asynchronous::Permutes => matches!(shape, Shape::Shift(_) | Shape::Reorder),
            Asynchronous::None => false,
        }
    }
}

/// The profiles that come with Partita, by name, with their text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("tpu-v3", include_str!("../../profiles/tpu-v3.toml")),
    ("tpu-v4", include_str!("../../profiles/tpu-v4.toml")),
    ("tpu-v5e", include_str!("../../profiles/tpu-v5e.toml")),
    ("tpu-v5p", include_str!("../../profiles/tpu-v5p.toml")),
    ("tpu-v6e", include_str!("../../profiles/tpu-v6e.toml")),
    ("a100", include_str!("../../profiles/a100.toml")),
    ("h100", include_str!("../../profiles/h100.toml")),
    ("cpu", include_str!("../../profiles/cpu.toml")),
];

/// The text of a profile that comes with Partita.
pub fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

impl Profile {
    /// Operations per second of the matrix unit on elements of a type, at their best: those of the type itself, or of the
    /// narrowest one that is at least as wide, or of the widest there is.
    pub fn matrix_peak(&self, elem: Elem) -> f64 {
        let exact = self.matrix.iter().find(|(known, _)| *known == elem);
        let wider = || {
            let fits =
                |known: &Elem| known.bits() >= elem.bits() && known.is_float() == elem.real().is_float();
            let wide = self.matrix.iter().filter(|(known, _)| fits(known));
            wide.min_by_key(|(known, _)| known.bits())
        };
        let widest = || self.matrix.iter().max_by_key(|(known, _)| known.bits());
        exact.or_else(wider).or_else(widest).map_or(self.vector, |(_, peak)| *peak)
    }

    /// What utilization is measured by: the peak at 16-bit floats, or what comes nearest.
    pub fn peak(&self) -> f64 {
        self.matrix_peak(Elem::BF16)
    }

    /// The part of the computer that one of so many devices has.
    pub fn part_of(&self, devices: i64) -> f64 {
        if self.shared { 1.0 / devices.max(1) as f64 } else { 1.0 }
    }

    /// The directions of the network, the innermost level first.
    pub fn sides(&self) -> Vec<Side> {
        let sides = |(n, level): (usize, &Level)| -> Vec<Side> {
            level.links.sides().iter().map(|&most| Side { level: n, most }).collect()
        };
        self.levels.iter().enumerate().flat_map(sides).collect()
    }

    /// The most devices that the network holds.
    pub fn most_devices(&self) -> i64 {
        self.sides().iter().fold(1, |product, side| product.saturating_mul(side.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::read;

    #[test]
    fn profiles_that_come_with_partita_are_sound() {
        for (name, text) in BUILT_IN {
            let profile = read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(profile.most_devices() > 1, "{name}");
            assert!(
                profile.matrix_peak(Elem::BF16) >= profile.matrix_peak(Elem::F64) || profile.shared,
                "{name}"
            );
        }
    }

    #[test]
    fn a_type_without_a_peak_has_that_of_a_wider_one() {
        let profile = read(built_in("a100").unwrap()).unwrap();
        assert_eq!(profile.matrix_peak(Elem::F16), 312e12);
        assert_eq!(profile.matrix_peak(Elem::Int(32)), 19.5e12);
        assert_eq!(profile.matrix_peak(Elem::from_name("f8E5M2").unwrap()), 312e12);
    }
}
