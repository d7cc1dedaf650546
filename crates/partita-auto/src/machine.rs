//! The device and its network as the judges see them.

/// What a device can do, and how far its neighbours along each axis of the mesh are.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Operations per second in products.
    pub matrix: f64,
    /// Bytes per second from and to memory.
    pub memory_bandwidth: f64,
    /// Bytes of memory.
    pub memory: u64,
    /// For each axis of the mesh the bytes per second that a device sends along it.
    pub bandwidth: Vec<f64>,
    /// Seconds that a collective takes at least.
    pub start: f64,
}

/// Devices by name: operations and bytes of memory per second, bytes of memory, bytes per second to a neighbour.
pub const MACHINES: &[(&str, [f64; 4])] = &[
    ("tpu-v3", [49e12, 450e9, 16.0 * GIB, 70e9]),
    ("tpu-v4", [220e12, 1200e9, 32.0 * GIB, 45e9]),
    ("a100", [250e12, 2039e9, 80.0 * GIB, 240e9]),
    ("h100", [790e12, 3350e9, 80.0 * GIB, 360e9]),
];

const GIB: f64 = (1u64 << 30) as f64;

impl Machine {
    /// A device by name, in a mesh of so many axes.
    pub fn named(name: &str, axes: usize) -> Option<Machine> {
        let (_, [matrix, memory_bandwidth, memory, link]) = *MACHINES.iter().find(|(known, _)| *known == name)?;
        let bandwidth = vec![link; axes];
        Some(Machine { matrix, memory_bandwidth, memory: memory as u64, bandwidth, start: 5e-6 })
    }
}
