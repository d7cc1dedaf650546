//! How an op is split: which atoms each factor of its rule gets, and which parts pass through it uncombined.

use super::layout::{DimLayout, Layout, Partial};
use super::ordered;
use super::shift::Shift;
use super::windows::{alignment, split_along};
use crate::ir::{Elem, OpRef, TensorType, Type, ValueId};
use crate::ops::Flow;
use crate::ops::local::Local;
use crate::ops::ordered::Ordered;
use crate::ops::rule::{Access, Combine, FactorId, Kind, Rule, TensorMap, Window};
use crate::sharding::{AtomList, AtomSet, Mesh};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// An op to be split.
pub(super) struct Subject<'m> {
    pub(super) op: OpRef<'m>,
    pub(super) rule: &'m Rule,
    pub(super) flow: Flow,
    /// What it makes of its scanned dimension.
    pub(super) ordered: Ordered,
    /// Whether the op runs on shards at all, once that was asked.
    on_shards: OnceCell<bool>,
    /// What shifts each operand that can be read through it.
    pub(super) reads: SmallVec<[Option<Shift<'m>>; 2]>,
    /// What cuts the result down, where that is done with the op.
    pub(super) cut: Option<Shift<'m>>,
}

impl<'m> Subject<'m> {
    pub(super) fn new(op: OpRef<'m>, rule: &'m Rule, flow: Flow) -> Self {
        Subject {
            op,
            rule,
            flow,
            ordered: ordered::ordered(op, rule),
            on_shards: OnceCell::new(),
            reads: SmallVec::new(),
            cut: None,
        }
    }

    /// The values that come of it.
    pub(super) fn outcomes(&self) -> SmallVec<[ValueId; 1]> {
        self.cut.as_ref().map_or(self.op, |cut| cut.op).results().collect()
    }

    /// The type of a value that comes of it.
    pub(super) fn outcome_type(&self, n: usize) -> &'m TensorType {
        self.cut.as_ref().map_or(self.op, |cut| cut.op).result_tensor(n)
    }

    /// How partial results are combined where a factor is split.
    pub(super) fn combine(&self, factor: FactorId) -> Option<Combine> {
        let made = || self.rule.results.iter().flatten().any(|map| map.factors.contains(&factor));
        match self.rule.factor(factor).kind {
            Kind::Reduce(combine) => Some(combine),
            // What is looked up is found by one device; all others have nothing to add.
            Kind::Lookup if !made() => {
                let bool = |t: &Type| t.as_tensor().is_some_and(|t| t.elem == Elem::Bool);
                Some(if self.op.result_types().any(bool) { Combine::Or } else { Combine::Add })
            }
            _ => None,
        }
    }

    /// Whether the op knows what it is on shards.
    pub(super) fn runs_on_shards(&self) -> bool {
        *self.on_shards.get_or_init(|| {
            let tensor = |t: &Type| t.as_tensor().cloned();
            let operands: Option<SmallVec<[TensorType; 4]>> = self.op.operand_types().map(tensor).collect();
            let results: Option<SmallVec<[TensorType; 4]>> = self.op.result_types().map(tensor).collect();
            let (Some(operands), Some(results)) = (operands, results) else { return false };
            let local = Local { op: self.op, operands: &operands, results: &results, reached: &[] };
            (self.op.def().localise)(&local).is_some()
        })
    }
}

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

    /// What share of the work the busiest device does.
    pub(super) fn share(&self, rule: &Rule) -> f64 {
        let split = self.factors.iter().zip(&rule.factors).filter(|(f, _)| !f.atoms.is_empty());
        split.map(|(layout, factor)| layout.block as f64 / factor.size.max(1) as f64).product()
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
        // Along a window either the outputs are split or the window is, in blocks that meet the elements alike.
        let reached = |map: &crate::ops::rule::DimMap| match map.access {
            Access::Direct => true,
            Access::Affine(affine) => {
                let is_split = |f: FactorId| !self.factors[usize::from(f.0)].atoms.is_empty();
                let both =
                    matches!(affine.window, Window::Factor(f) if is_split(f)) && is_split(affine.outer);
                let aligned = split_along(self, &affine)
                    .is_none_or(|f| self.factors[usize::from(f.0)].block % alignment(rule, f) == 0);
                !both && aligned
            }
        };
        let direct = rule.tensors().flatten().filter(|m| m.factors.len() > 1 && m.access == Access::Direct);
        { direct }.all(sound) && rule.operands.iter().flatten().all(reached)
    }

    /// How a tensor lies whose dimensions are reached so.
    pub(super) fn layout(&self, mesh: &Mesh, map: &TensorMap, shape: &[i64]) -> Layout {
        let dims = map.iter().zip(shape).map(|(map, &size)| {
            let factors = || map.factors.iter().map(|f| &self.factors[usize::from(f.0)]);
            let atoms: AtomList = match map.access {
                Access::Direct => factors().flat_map(|f| f.atoms.iter().copied()).collect(),
                // It lies in blocks of its own; what windows reach of it is fetched from there.
                Access::Affine(affine) => {
                    let along = split_along(self, &affine);
                    let atoms = along.map(|f| self.factors[usize::from(f.0)].atoms.clone());
                    return DimLayout::canonical(mesh, size, atoms.unwrap_or_default());
                }
            };
            if atoms.is_empty() {
                return DimLayout::whole(size);
            }
            DimLayout { atoms, block: factors().map(|f| f.block).product() }
        });
        Layout { dims: dims.collect(), partial: None }
    }

    /// How an operand is to lie.
    pub(super) fn operand(&self, mesh: &Mesh, subject: &Subject<'_>, n: usize) -> Layout {
        let map = &subject.rule.operands[n];
        let mut layout = self.layout(mesh, map, &subject.op.operand_tensor(n).shape);
        let mut partial = self.passing.filter(|_| n < 64 && self.carriers >> n & 1 == 1);
        // What a region folds partial results into is folded in once.
        if !subject.op.regions().is_empty() {
            for (combine, factor) in self.reduced(subject) {
                let outside = !map.iter().any(|m| m.follows(factor));
                if outside && combine != Combine::Region {
                    let atoms: AtomSet = self.factors[usize::from(factor.0)].atoms.iter().copied().collect();
                    let before = partial.map_or(AtomSet::EMPTY, |p| p.atoms);
                    partial = Some(Partial { combine, atoms: before.union(atoms) });
                }
            }
        }
        layout.partial = partial;
        layout
    }

    /// How a result comes out. Partial results that only a region can combine are not counted: they are gathered at once.
    pub(super) fn result(&self, mesh: &Mesh, subject: &Subject<'_>, n: usize) -> Layout {
        let mut layout = self.layout(mesh, &subject.rule.results[n], &subject.outcome_type(n).shape);
        layout.partial = self.passing;
        for (combine, factor) in self.reduced(subject).filter(|(c, _)| *c != Combine::Region) {
            let atoms: AtomSet = self.factors[usize::from(factor.0)].atoms.iter().copied().collect();
            layout.partial = Some(Partial { combine, atoms: layout.partial_atoms().union(atoms) });
        }
        layout
    }

    /// The factors that are split and leave partial results.
    pub(super) fn reduced<'a>(
        &'a self,
        subject: &'a Subject<'_>,
    ) -> impl Iterator<Item = (Combine, FactorId)> + 'a {
        let split = (0..self.factors.len()).filter(|f| !self.factors[*f].atoms.is_empty());
        split.filter_map(|f| Some((subject.combine(FactorId(f as u8))?, FactorId(f as u8))))
    }
}
