//! The device and its network as the judges see them.

use crate::Diagnostic;
use crate::device::{Exchange, Profile, Shape, Windows, place};
use crate::ir::Elem;
use crate::partition::Prices;
use crate::sharding::Mesh;

/// What a device can do, and how far its neighbours along each axis of the mesh are.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The device, for the full judge.
    pub profile: Option<Profile>,
    /// Operations per second in products.
    pub matrix: f64,
    /// How fast windows are laid out for products.
    pub windows: Vec<Windows>,
    /// Bytes per second from and to memory.
    pub memory_bandwidth: f64,
    /// Bytes of memory.
    pub memory: u64,
    /// For each axis of the mesh the bytes per second that a device sends along it.
    pub bandwidth: Vec<f64>,
    /// Seconds that a collective takes at least.
    pub start: f64,
    /// What moving and computing cost where a program is partitioned for it.
    pub prices: Prices,
}

/// What the speed along an axis is measured by.
const GATHERED: u64 = 1 << 26;

/// Bytes of memory of devices of which nothing is known.
const UNKNOWN_MEMORY: u64 = 1 << 50;

impl Machine {
    /// Returns whether it is known how much memory the devices have.
    pub fn has_known_memory(&self) -> bool {
        self.memory < UNKNOWN_MEMORY
    }

    /// Devices of no kind in particular, all axes of the mesh alike, by the prices that the partitioner has for them.
    pub fn unknown(mesh: &Mesh) -> Machine {
        Machine {
            profile: None,
            matrix: 1.28e14,
            windows: Vec::new(),
            memory_bandwidth: 4e12,
            memory: UNKNOWN_MEMORY,
            bandwidth: vec![6.25e10; mesh.axes().len()],
            start: 0.0,
            prices: Prices::default(),
        }
    }

    /// Devices of a profile in a mesh, which lies on their network so that each axis gathers fast.
    pub fn new(profile: &Profile, mesh: &Mesh) -> Result<Machine, Diagnostic> {
        let placement = place(mesh, profile, None, &[])?;
        let part = profile.part_of(mesh.device_count());
        let seconds =
            |atoms, bytes| placement.seconds(mesh, profile, &Exchange { shape: Shape::Gather, atoms, bytes });
        let bandwidth = mesh.axes().iter().map(|axis| {
            let time = seconds(axis.atoms().collect(), GATHERED);
            let sent = GATHERED as f64 * (axis.size - 1) as f64 / axis.size.max(1) as f64;
            if time > 0.0 && sent > 0.0 { sent / time } else { f64::INFINITY }
        });
        let part_of_rates = |all: &Windows| Windows {
            runs: all.runs * profile.compute_efficiency * part,
            elements: all.elements * profile.compute_efficiency * part,
            ..*all
        };
        Ok(Machine {
            matrix: profile.matrix_peak(Elem::BF16) * profile.compute_efficiency * part,
            windows: profile.windows.iter().map(part_of_rates).collect(),
            memory_bandwidth: profile.memory_bandwidth * part,
            memory: profile.memory_size,
            bandwidth: bandwidth.collect(),
            start: profile.collective_start,
            prices: Prices::of(profile, mesh, &placement),
            profile: Some(profile.clone()),
        })
    }
}
