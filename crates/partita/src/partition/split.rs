//! How an op is split: which atoms each factor of its rule gets, and which parts pass through it uncombined.

use super::layout::{DimLayout, Layout, Partial};
use crate::ops::rule::{Access, Combine, Kind, Rule, TensorMap};
use crate::sharding::{AtomList, Mesh};
use smallvec::SmallVec;

/// A way to split an op.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Split {
    /// Each factor.
    pub(super) factors: SmallVec<[DimLayout; 6]>,
    /// What operands that the op is linear in bring along, uncombined.
    pub(super) passing: Option<Partial>,
    /// Those operands, as bits.
    pub(super) carriers: u64,
}

impl Split {
    /// Nothing is split.
    pub(super) fn none(rule: &Rule) -> Split {
        Split {
            factors: rule.factors.iter().map(|f| DimLayout::whole(f.size)).collect(),
            passing: None,
            carriers: 0,
        }
    }

    /// Whether nothing is split.
    pub(super) fn is_none(&self) -> bool {
        self.factors.iter().all(|f| f.atoms.is_empty())
    }

    /// Into how many parts the work falls.
    pub(super) fn parts(&self, mesh: &Mesh) -> i64 {
        self.factors.iter().map(|f| f.parts(mesh)).product()
    }

    /// Whether every dimension is split so that each device has one run of its indices: within a dimension of several
    /// factors one can be split only if those before it are split down to single indices, and then evenly.
    pub(super) fn is_sound(&self, mesh: &Mesh, rule: &Rule) -> bool {
        let sound = |map: &crate::ops::rule::DimMap| {
            let (mut first, mut open) = (true, true);
            for id in &map.factors {
                let (layout, size) = (&self.factors[usize::from(id.0)], rule.factor(*id).size);
                if size == 1 && layout.atoms.is_empty() {
                    continue;
                }
                if !layout.atoms.is_empty() && (!open || !first && layout.is_padded(mesh, size)) {
                    return false;
                }
                open &= layout.block == 1;
                first = false;
            }
            true
        };
        rule.tensors().flatten().filter(|m| m.factors.len() > 1 && m.access == Access::Direct).all(sound)
    }

    /// How a tensor lies whose dimensions are reached so.
    pub(super) fn layout(&self, map: &TensorMap, shape: &[i64]) -> Layout {
        let dims = map.iter().zip(shape).map(|(map, &size)| {
            let factors = || map.factors.iter().map(|f| &self.factors[usize::from(f.0)]);
            let atoms: AtomList = match map.access {
                Access::Direct => factors().flat_map(|f| f.atoms.iter().copied()).collect(),
                Access::Affine(_) => AtomList::new(),
            };
            if atoms.is_empty() {
                return DimLayout::whole(size);
            }
            DimLayout { atoms, block: factors().map(|f| f.block).product() }
        });
        Layout { dims: dims.collect(), partial: None }
    }

    /// How an operand is to lie.
    pub(super) fn operand(&self, rule: &Rule, n: usize, shape: &[i64]) -> Layout {
        let mut layout = self.layout(&rule.operands[n], shape);
        if n < 64 && self.carriers >> n & 1 == 1 {
            layout.partial = self.passing;
        }
        layout
    }

    /// How a result comes out. Partial results that only a region can combine are not counted: they are gathered at once.
    pub(super) fn result(&self, rule: &Rule, n: usize, shape: &[i64]) -> Layout {
        let mut layout = self.layout(&rule.results[n], shape);
        layout.partial = self.passing;
        for (combine, atoms) in self.reduced(rule) {
            if combine != Combine::Region && !atoms.is_empty() {
                let before = layout.partial_atoms();
                layout.partial =
                    Some(Partial { combine, atoms: before.union(atoms.iter().copied().collect()) });
            }
        }
        layout
    }

    /// The reduced factors that are split.
    pub(super) fn reduced<'a>(&'a self, rule: &'a Rule) -> impl Iterator<Item = (Combine, &'a AtomList)> {
        rule.factors.iter().zip(&self.factors).filter_map(|(factor, layout)| match factor.kind {
            Kind::Reduce(combine) if !layout.atoms.is_empty() => Some((combine, &layout.atoms)),
            _ => None,
        })
    }
}
