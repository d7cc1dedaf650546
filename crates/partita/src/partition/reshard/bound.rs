//! The least that is left to pay on the way to a layout.

use super::super::layout::Layout;
use super::super::price::{Price, scaled};
use super::permute::shared_prefix;
use super::price::shard_bytes;
use crate::ir::TensorType;
use crate::sharding::{AtomSet, Mesh};

/// Counts what devices lack: no collective gives a device more bytes than are counted for it.
pub(super) struct Bound<'a> {
    mesh: &'a Mesh,
    ty: &'a TensorType,
    to: &'a Layout,
    target: u64,
    /// Whether all dimensions are even at both ends. Padding may come from anywhere, so that nothing is known else.
    even: bool,
}

impl<'a> Bound<'a> {
    pub(super) fn new(mesh: &'a Mesh, ty: &'a TensorType, from: &Layout, to: &'a Layout) -> Self {
        let even = |layout: &Layout| layout.dims.iter().zip(&ty.shape).all(|(d, n)| !d.is_padded(mesh, *n));
        Bound { mesh, ty, to, target: shard_bytes(ty, to), even: even(from) && even(to) }
    }

    /// At least what is left to pay from a layout on.
    pub(super) fn of(&self, now: &Layout) -> u64 {
        if !self.even {
            return 0;
        }
        let kept = self.to.partial.filter(|p| now.partial.is_some_and(|n| n.combine == p.combine));
        let open = now.partial_atoms().minus(kept.map_or(AtomSet::EMPTY, |p| p.atoms));
        let lacking = if open.is_empty() {
            // What a device has of its target in one dimension bounds what it has at all.
            let shares = (0..self.ty.rank()).map(|d| self.share(now, d));
            let (have, of) = shares.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).unwrap_or((1, 1));
            scaled(self.target, of - have, of)
        } else {
            // Every element needs something from another device.
            self.target
        };
        if lacking == 0 { 0 } else { Price::collective(lacking).cost() }
    }

    /// At most what part of its target a device has of one dimension, on average.
    fn share(&self, now: &Layout, dim: usize) -> (i64, i64) {
        let (have, want) = (&now.dims[dim].atoms, &self.to.dims[dim].atoms);
        let common = shared_prefix(have, want);
        let (have, want) = (&have[common..], &want[common..]);
        let size = |atoms: &[_]| self.mesh.size_of(atoms.iter().copied());
        match (have.first(), want.first()) {
            (None, _) => (1, 1),
            (Some(&a), Some(&b)) if have.iter().any(|a| want.contains(a)) => {
                // Only the first atoms are known to be independent: their parts must meet at least.
                let (a, b) = (self.mesh.atom_size(a), self.mesh.atom_size(b));
                let meet = if a == b { a } else { a + b - 1 };
                (meet.min(a * b), a * b)
            }
            _ => (1, size(have)),
        }
    }
}
