//! The least that is left to pay on the way to a layout.

use super::super::layout::{DimLayout, Layout};
use super::super::price::{Price, Prices, payload_bytes, scaled};
use super::permute::shared_prefix;
use crate::ir::TensorType;
use crate::sharding::{AtomSet, Mesh};

/// Counts the elements that devices lack, on average: no collective gives a device more than is counted for it, padding
/// included.
pub(super) struct Bound<'a> {
    mesh: &'a Mesh,
    prices: Prices,
    ty: &'a TensorType,
    to: &'a Layout,
    /// How many elements of its target a device has to have, on average.
    needed: u64,
}

impl<'a> Bound<'a> {
    pub(super) fn new(mesh: &'a Mesh, prices: Prices, ty: &'a TensorType, to: &'a Layout) -> Self {
        let parts = mesh.size_of(to.used().iter());
        Bound { mesh, prices, ty, to, needed: scaled(ty.count() as u64, 1, parts) }
    }

    /// At least what is left to pay from a layout on.
    pub(super) fn of(&self, now: &Layout) -> u64 {
        let kept = self.to.partial.filter(|p| now.partial.is_some_and(|n| n.combine == p.combine));
        let open = now.partial_atoms().minus(kept.map_or(AtomSet::EMPTY, |p| p.atoms));
        let lacking = if open.is_empty() {
            // What a device has of its target in one dimension bounds what it has at all.
            let held = (0..self.ty.rank()).map(|d| self.held(now, d)).min();
            self.needed.saturating_sub(held.unwrap_or(self.needed))
        } else {
            // Every element needs something from another device.
            self.needed
        };
        let bytes = payload_bytes(self.ty.elem, lacking);
        if lacking == 0 { 0 } else { self.prices.least_cost(self.mesh, Price::collective(bytes)) }
    }

    /// At most how many elements of its target a device has, on average, as one dimension tells.
    fn held(&self, now: &Layout, dim: usize) -> u64 {
        let others = self.to.dims.iter().zip(&self.ty.shape).enumerate().filter(|(d, _)| *d != dim);
        let others = others.fold(1u64, |all, (_, (d, n))| all.saturating_mul(d.block.min(*n) as u64));
        let (part, of) = self.share(now, dim);
        let elements = others.saturating_mul(self.ty.shape[dim] as u64);
        scaled(elements, part, of).saturating_add(1)
    }

    /// At most what part of a dimension lies both where a device has it and where it should have it, on average.
    fn share(&self, now: &Layout, dim: usize) -> (i64, i64) {
        let (now, to) = (&now.dims[dim], &self.to.dims[dim]);
        let common = shared_prefix(&now.atoms, &to.atoms);
        let (have, want) = (&now.atoms[common..], &to.atoms[common..]);
        let size = |atoms: &[_]| self.mesh.size_of(atoms.iter().copied());
        let parts = size(&to.atoms[..common]);
        let (more_have, more_want) = (size(have), size(want));
        let either = (1, parts * more_have.max(more_want));
        // The atoms in common say nothing where they cut the dimension in two ways.
        if common > 0 && now.block * more_have != to.block * more_want {
            return either;
        }
        let padded = |d: &DimLayout| d.is_padded(self.mesh, self.ty.shape[dim]);
        match (have.first(), want.first()) {
            (Some(&a), Some(&b)) if have.iter().any(|a| want.contains(a)) => {
                // Only the first atoms are known to be independent: their parts must meet at least.
                let (a, b) = (self.mesh.atom_size(a), self.mesh.atom_size(b));
                let meet = if a == b { a } else { a + b - 1 };
                if padded(now) || padded(to) { either } else { (meet, a * b * parts * more_want) }
            }
            _ => (1, parts * more_have * more_want),
        }
    }
}
