//! Who takes part in a collective: along which axes, how many, and what share of the data moves.

use crate::ir::{Attr, OpRef, names};
use crate::partition::{Pattern, Positions};
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use rustc_hash::FxHashMap;

/// Of `of` equal parts of the data, `moving` go over a link.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub(crate) axes: AtomList,
    pub(crate) group_size: i64,
    pub(crate) moving: i64,
    pub(crate) of: i64,
}

/// The devices of a mesh, in groups and pairs.
pub(crate) struct Groups<'m> {
    mesh: &'m Mesh,
}

impl<'m> Groups<'m> {
    pub(crate) fn new(mesh: &'m Mesh) -> Groups<'m> {
        Groups { mesh }
    }

    /// Groups of the devices that differ along axes.
    pub(crate) fn of_axes(&self, axes: &[Atom]) -> Share {
        let size = self.mesh.size_of(axes.iter().copied());
        Share { axes: axes.iter().copied().collect(), group_size: size, moving: size - 1, of: size }
    }

    /// A permutation, said in axes.
    pub(crate) fn of_pattern(&self, pattern: &Pattern) -> Share {
        let axes = pattern.atoms();
        let (moving, of) = pattern.moving(self.mesh);
        Share { group_size: self.mesh.size_of(axes.iter().copied()), axes, moving, of }
    }

    /// Groups or pairs as the attributes of a collective have them.
    pub(crate) fn of_attributes(&self, op: OpRef<'_>) -> Share {
        if let Some(rows) = matrix(op, names::SOURCE_TARGET_PAIRS) {
            let devices: Vec<i64> = rows.iter().flatten().copied().collect();
            let axes = self.varying(&rows);
            return Share {
                group_size: if axes.is_empty() {
                    devices.len() as i64 / 2
                } else {
                    self.mesh.size_of(axes.iter().copied())
                },
                axes,
                moving: rows.iter().filter(|pair| pair.first() != pair.get(1)).count() as i64,
                of: self.mesh.device_count(),
            };
        }
        let rows = matrix(op, names::REPLICA_GROUPS).unwrap_or_default();
        let size = rows.iter().map(Vec::len).max().unwrap_or(0) as i64;
        if size == 0 {
            // No groups: all devices.
            return self.of_axes(&self.mesh.all_atoms().iter().collect::<Vec<_>>());
        }
        let axes = self.varying(&rows);
        // Groups that are no product of axes have no axes to name.
        let axes = if self.mesh.size_of(axes.iter().copied()) == size { axes } else { AtomList::new() };
        Share { axes, group_size: size, moving: size - 1, of: size }
    }

    /// The axes along which devices of one row differ.
    fn varying(&self, rows: &[Vec<i64>]) -> AtomList {
        let positions = Positions::new(self.mesh);
        let mut place: FxHashMap<i64, i64> = FxHashMap::default();
        for position in 0..self.mesh.device_count() {
            place.insert(positions.device(position), position);
        }
        let mut found = AtomSet::EMPTY;
        for row in rows {
            let Some(first) = row.first().and_then(|d| place.get(d)) else { continue };
            for other in row.iter().filter_map(|d| place.get(d)) {
                for atom in self.mesh.all_atoms().iter() {
                    if positions.coordinate(*first, &[atom]) != positions.coordinate(*other, &[atom]) {
                        found.insert(atom);
                    }
                }
            }
        }
        found.iter().collect()
    }
}

/// A matrix of devices; the places that are filled up with -1 are left out.
fn matrix(op: OpRef<'_>, name: crate::ir::Sym) -> Option<Vec<Vec<i64>>> {
    let Attr::Elements(tensor) = op.attr(name)? else { return None };
    let width = usize::try_from(*tensor.shape().get(1)?).ok()?.max(1);
    let ids = tensor.to_i64s();
    Some(ids.chunks(width).map(|row| row.iter().copied().filter(|d| *d >= 0).collect()).collect())
}
