//! The device that a program is compiled for.

use crate::Diagnostic;
use crate::complete::Machine;
use crate::device::{Placement, Profile};
use crate::ir::Module;
use crate::optimise::Target;
use crate::partition::{Partitioned, Prices};
use crate::sharding::Mesh;
use crate::simulate::{self, Program};

/// A kind of device, the placement of the mesh on its network, and the memory that a program may take. By default nothing is known.
#[derive(Clone, Default, Debug)]
pub struct Device {
    /// The kind of device, where it is known.
    pub profile: Option<Profile>,
    /// The placement of the mesh on its network.
    pub topology: Topology,
    /// The bytes that a device may hold, where that is not what the profile says.
    pub memory: Option<u64>,
}

/// The placement of a mesh on the network of its devices.
#[derive(Clone, Default, Debug)]
pub enum Topology {
    /// As compact as can be.
    #[default]
    Best,
    /// On so many devices along each side of the network, the innermost level first.
    Sides(Vec<i64>),
    /// With each axis along the sides of these numbers.
    Layout(Vec<(String, Vec<usize>)>),
}

impl Device {
    /// Places the mesh of a program on the network of a kind of device.
    pub fn placement(&self, program: &Program<'_>, profile: &Profile) -> Result<Placement, Diagnostic> {
        match &self.topology {
            Topology::Best => simulate::placement(program, profile, None),
            Topology::Sides(sides) => simulate::placement(program, profile, Some(sides)),
            Topology::Layout(axes) => Placement::explicit(program.mesh, profile, axes),
        }
    }

    /// The prices of sending over the axes of a mesh.
    pub fn prices(&self, mesh: &Mesh) -> Result<Prices, Diagnostic> {
        let Some(profile) = &self.profile else { return Ok(Prices::default()) };
        let nothing = Module::new();
        let program = Program { module: &nothing, mesh, collectives: &[] };
        Ok(Prices::of(profile, mesh, &self.placement(&program, profile)?))
    }

    /// The devices of a mesh as the cost model has them.
    pub fn machine(&self, mesh: &Mesh) -> Result<Machine, Diagnostic> {
        let machine = match &self.profile {
            None => Machine::unknown(mesh),
            Some(profile) => Machine { prices: self.prices(mesh)?, ..Machine::new(profile, mesh)? },
        };
        Ok(Machine { memory: self.memory.unwrap_or(machine.memory), ..machine })
    }

    /// The target of the passes over a per-device program, where the kind of device is known.
    pub fn target(&self, partitioned: &Partitioned) -> Result<Option<Target>, Diagnostic> {
        let Some(profile) = self.profile.clone() else { return Ok(None) };
        let placement = self.placement(&partitioned.program(), &profile)?;
        let memory = self.memory.unwrap_or(profile.memory_size);
        Ok(Some(Target { profile, placement, memory }))
    }
}
