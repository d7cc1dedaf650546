//! Where the devices of a mesh lie on a network.

use super::profile::Profile;
use super::topology::Links;
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use crate::sharding::{Atom, Mesh};

/// A mesh laid onto the network of a profile. Nothing in it grows with the number of devices.
#[derive(Clone, PartialEq, Debug)]
pub struct Placement {
    /// The length of each side of the network that the mesh takes, as [`Profile::sides`] has them.
    pub lengths: Vec<i64>,
    /// For each side the atoms that lie along it, major to minor.
    pub atoms: Vec<Vec<Atom>>,
}

impl Placement {
    /// The level of the network that an atom lies on, the innermost first.
    pub fn level_of(&self, atom: Atom, profile: &Profile) -> Option<usize> {
        let side = self.atoms.iter().position(|along| along.contains(&atom))?;
        profile.sides().get(side).map(|side| side.level)
    }

    /// Lays axes along sides as the user says: for each axis the sides that it fills, the major part first. The axes of a side lie
    /// in the order of the mesh, the first of them outermost.
    pub fn explicit(
        mesh: &Mesh,
        profile: &Profile,
        axes: &[(String, Vec<usize>)],
    ) -> Result<Placement, Diagnostic> {
        let sides = profile.sides();
        let refuse = |message: String| Diagnostic::new("layout", Span::default(), message);
        let mut placement = Placement { lengths: vec![1; sides.len()], atoms: vec![Vec::new(); sides.len()] };
        for axis in mesh.axes() {
            let named = axes.iter().find(|(name, _)| *name == axis.name).map(|(_, sides)| sides);
            let Some(along) = named.filter(|along| !along.is_empty() || axis.size == 1) else {
                return Err(
                    refuse(format!("the layout says not where axis \"{}\" lies", axis.name)).axis(&axis.name)
                );
            };
            let mut along = along.iter().copied().peekable();
            for atom in axis.atoms() {
                let size = mesh.atom_size(atom);
                // An atom that no longer fits begins the next side.
                while along.peek().is_some_and(|&side| placement.lengths[side] * size > sides[side].most) {
                    along.next();
                }
                let Some(&side) = along.peek() else {
                    let message = format!(
                        "axis \"{}\" of {} devices is longer than the sides it is laid along ({})",
                        axis.name,
                        axis.size,
                        describe(profile)
                    );
                    return Err(refuse(message).axis(&axis.name));
                };
                placement.lengths[side] *= size;
                placement.atoms[side].push(atom);
            }
        }
        if let Some((name, _)) = axes.iter().find(|(name, _)| mesh.axis(name).is_none()) {
            return Err(
                refuse(format!("the layout names axis \"{name}\", which the mesh has not")).axis(name)
            );
        }
        Ok(placement)
    }

    /// What is said of a mesh that does not fit a network.
    pub(super) fn misfit(mesh: &Mesh, profile: &Profile, lengths: Option<&[i64]>) -> Diagnostic {
        let axes: Vec<String> = mesh.axes().iter().map(|a| format!("{}={}", a.name, a.size)).collect();
        let onto = match lengths {
            Some(lengths) => lengths.iter().map(i64::to_string).collect::<Vec<_>>().join("x"),
            None => describe(profile),
        };
        let message = format!(
            "the mesh {} of {} devices does not fit the network of {}: {onto}",
            axes.join(","),
            mesh.device_count(),
            profile.name
        );
        let most = profile.most_devices();
        Diagnostic::new("topology", Span::default(), message).fix(if mesh.device_count() > most {
            format!("it holds {most} devices at most")
        } else {
            "name axes whose sizes go into its sides".to_string()
        })
    }
}

/// The network of a profile in words: `2 by chip, 32x32 by ici`.
pub(super) fn describe(profile: &Profile) -> String {
    let level = |level: &super::Level| {
        let sides: Vec<String> = level.links.sides().iter().map(i64::to_string).collect();
        let kind = match level.links {
            Links::Torus { .. } => "torus",
            Links::Switch { .. } => "switch",
        };
        format!("{} {kind} of {}", level.name, sides.join("x"))
    };
    profile.levels.iter().map(level).collect::<Vec<_>>().join(", ")
}
