//! The network between devices, as levels.

/// One level of a network: what joins the units of the level below, devices at first.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// What it is called.
    pub name: String,
    /// How its units are joined.
    pub links: Links,
    /// Bytes per second of one link in one direction; of a switch, of one unit in one direction. All devices of a unit share it.
    pub bandwidth: f64,
    /// Seconds from one unit to the next.
    pub latency: f64,
}

/// How units are joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Links {
    /// A grid: each unit to its neighbours in each direction.
    Torus {
        /// The most units in each direction.
        sides: Vec<i64>,
        /// A side whose length is a multiple of this is a ring; none is where it is 0.
        wrap: i64,
    },
    /// Each unit to all others.
    Switch {
        /// The most units.
        size: i64,
    },
}

impl Links {
    /// The most units in each direction.
    pub fn sides(&self) -> &[i64] {
        match self {
            Links::Torus { sides, .. } => sides,
            Links::Switch { size } => std::slice::from_ref(size),
        }
    }

    /// Whether a side of this length is a ring.
    pub fn is_ring(&self, length: i64) -> bool {
        match self {
            Links::Torus { wrap, .. } => *wrap > 0 && length % wrap == 0,
            Links::Switch { .. } => false,
        }
    }
}

/// A direction of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// The level it belongs to.
    pub level: usize,
    /// The most units along it.
    pub most: i64,
}
