//! The device and its network as the quick estimate sees them.

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
