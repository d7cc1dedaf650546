//! Scanned dimensions that are split: every device does its part of the op on its shard, and what the shards found is exchanged. Of
//! a running sum that is a total of each shard; of a ranking, the elements that rank highest in each.

use super::Partitioner;
use super::emit::{Purpose, identity};
use super::layout::DimLayout;
use super::ops::reasons;
use super::price::{Price, payload_bytes};
use super::split::{Split, Subject};
use crate::diagnostic::Diagnostic;
use crate::ir::attr::{Comparison, GatherDims};
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::local::Local;
use crate::ops::ordered::Ordered;
use crate::ops::rule::{Combine, FactorId, Kind, Rule};
use crate::ops::{Flow, OpKind, Spread};
use crate::sharding::Mesh;
use crate::value::Scalar;

/// A scanned dimension that is split.
pub(super) struct Scanned {
    /// What the op makes of it.
    ordered: Ordered,
    /// Which dimension of the operand it is.
    dim: usize,
    /// Its size.
    size: i64,
    layout: DimLayout,
}

/// How an op combines elements.
struct Fold<'m> {
    op: OpRef<'m>,
    combine: Combine,
    /// A scalar that changes nothing.
    neutral: ValueId,
}

/// What an op makes of its scanned dimension, as far as shards can do their part.
pub(super) fn ordered(op: OpRef<'_>, rule: &Rule) -> Ordered {
    if rule.factors.iter().filter(|f| f.kind == Kind::Scan).count() != 1 {
        return Ordered::Unknown;
    }
    let found = (op.def().ordered)(op);
    let possible = match found {
        Ordered::Unknown => false,
        // What a region folds starts from what is neutral to it.
        Ordered::Running { combine: Combine::Region, .. } => {
            op.operands().len() == 2 && op.result_tensor(0).elem == op.operand_tensor(0).elem
        }
        // Every shard would count an initial value that is not neutral.
        Ordered::Running { combine, .. } => {
            let (elem, neutral) = (op.operand_tensor(0).elem, op.operands().get(1));
            let neutral = neutral.and_then(|v| constant(op.module, *v));
            op.operands().len() == 2
                && op.result_tensor(0).elem == elem
                && neutral.is_some()
                && neutral == identity(combine, elem)
        }
        Ordered::Ranked { .. } => {
            let elem = op.operand_tensor(0).elem;
            let last = |ty: &TensorType| ty.shape.last().copied().unwrap_or(0);
            op.operands().len() == 1
                && op.results().len() == 2
                && last(op.result_tensor(0)) > 0
                && (elem.is_int() || matches!(elem, Elem::BF16 | Elem::F16 | Elem::F32 | Elem::F64))
        }
        Ordered::RankedTogether => {
            let results = op.results().len();
            let types = op.operand_types().map(Type::as_tensor).collect::<Option<Vec<_>>>();
            types.is_some_and(|t| t.len() == 2 * results && t[results..].iter().all(|t| t.rank() == 0))
                && op.result_tensor(0).count() > 0
        }
    };
    if possible { found } else { Ordered::Unknown }
}

/// The scalar that a value is everywhere, where it is a constant, perhaps repeated.
pub(super) fn constant(module: &Module, mut value: ValueId) -> Option<Scalar> {
    loop {
        let ValueDef::Result(op, _) = module.values[value].def else { return None };
        let op = module.op(op);
        match (op.def().spread, op.operands()) {
            (Spread::Rule(_, Flow::Broadcast), &[repeated]) => value = repeated,
            (Spread::Constant, _) => {
                let Some(Attr::Elements(tensor)) = op.attr(names::VALUE) else { return None };
                return tensor.as_splat().or_else(|| (tensor.len() == 1).then(|| tensor.item()));
            }
            _ => return None,
        }
    }
}

/// The scanned dimension of an op, where it is split.
fn scanned(subject: &Subject<'_>, split: &Split) -> Option<Scanned> {
    let rule = subject.rule;
    let is_split = |f: &FactorId| {
        rule.factor(*f).kind == Kind::Scan && !split.factors[usize::from(f.0)].atoms.is_empty()
    };
    let (dim, factor) = rule.operands.first()?.iter().enumerate().find_map(|(dim, map)| {
        let factor = map.factors.iter().copied().find(is_split)?;
        Some((dim, factor))
    })?;
    let layout = split.factors[usize::from(factor.0)].clone();
    Some(Scanned { ordered: subject.ordered, dim, size: rule.factor(factor).size, layout })
}

/// What the exchange between the shards of a scanned dimension costs.
pub(super) fn price(mesh: &Mesh, subject: &Subject<'_>, split: &Split) -> Price {
    let Some(scanned) = scanned(subject, split) else { return Price::default() };
    let others = scanned.layout.parts(mesh) as u64 - 1;
    let operand = subject.op.operand_tensor(0);
    let local = split.layout(mesh, &subject.rule.operands[0], &operand.shape).local(operand);
    let rows = local.count() as u64 / scanned.layout.block.max(1) as u64;
    let sent = |elem: Elem, each: i64| Price::collective(payload_bytes(elem, rows * each as u64) * others);
    match scanned.ordered {
        Ordered::Unknown => Price::default(),
        Ordered::Running { .. } => sent(operand.elem, 1),
        Ordered::Ranked { .. } => {
            let (values, places) = (subject.op.result_tensor(0), subject.op.result_tensor(1));
            let each = values.shape[scanned.dim].min(scanned.layout.block);
            sent(values.elem, each).plus(sent(places.elem, each))
        }
        Ordered::RankedTogether => {
            let results = subject.op.result_types().filter_map(Type::as_tensor);
            results.fold(Price::default(), |sum, ty| {
                sum.plus(sent(ty.elem, ty.shape[scanned.dim].min(scanned.layout.block)))
            })
        }
    }
}

impl Scanned {
    /// Makes the types of results as they come from one shard: it cannot rank more elements than it holds.
    pub(super) fn narrow(&self, results: &mut [TensorType]) {
        if matches!(self.ordered, Ordered::Ranked { .. } | Ordered::RankedTogether) {
            for ty in results {
                ty.shape[self.dim] = ty.shape[self.dim].min(self.layout.block);
            }
        }
    }
}

impl<'m> Partitioner<'m> {
    /// Makes an operand ready for the scan of a shard: padding must not count.
    pub(super) fn scan(&mut self, subject: &Subject<'m>, split: &Split, new: &mut NewOp) -> Option<Scanned> {
        let scanned = scanned(subject, split)?;
        let Scanned { dim, size, ref layout, .. } = scanned;
        if layout.is_padded(self.mesh, size) {
            let value = new.operands[0];
            let ty = self.emit.type_of(value);
            if scanned.ordered == Ordered::RankedTogether {
                let ranked = new.operands.len() / 2;
                for n in 0..ranked {
                    let (value, last) = (new.operands[n], new.operands[ranked + n]);
                    new.operands[n] = self.emit.mask_with(value, dim, &layout.atoms, size, last);
                }
                return Some(scanned);
            }
            new.operands[0] = match scanned.ordered {
                Ordered::Running { combine, backward: true } => {
                    let neutral = self.neutral_of(combine, ty.elem, new.operands[1]);
                    self.emit.mask_with(value, dim, &layout.atoms, size, neutral)
                }
                Ordered::Ranked { largest } => {
                    let last = self.lowest_rank(ty.elem, largest);
                    self.emit.mask_with(value, dim, &layout.atoms, size, last)
                }
                // Nothing that stands before it depends on padding.
                Ordered::Running { .. } | Ordered::RankedTogether | Ordered::Unknown => value,
            };
        }
        Some(scanned)
    }

    /// The results of the whole op from those of the shards.
    pub(super) fn join_scans(
        &mut self,
        op: OpRef<'m>,
        scanned: &Scanned,
        operands: &[ValueId],
        values: Vec<ValueId>,
    ) -> Result<Vec<ValueId>, Diagnostic> {
        self.emit.purpose =
            Purpose { value: op.results().next(), cause: Some(op.id), reason: reasons::ORDER };
        match (scanned.ordered, &values[..]) {
            (Ordered::Running { combine, backward }, &[value]) => {
                let neutral = self.neutral_of(combine, self.emit.type_of(value).elem, operands[1]);
                let fold = Fold { op, combine, neutral };
                Ok(vec![self.add_totals(scanned, &fold, backward, value)?])
            }
            (Ordered::Ranked { .. }, &[best, places]) => {
                let ty = self.emit.type_of(places);
                let start = self.emit.offset(&scanned.layout.atoms, scanned.layout.block);
                let start = self.emit.op(OpKind::Convert, &[start], vec![], TensorType::scalar(ty.elem));
                let start = self.emit.broadcast(start, ty);
                let places = self.emit.combine(Combine::Add, places, start);
                let [best, places] = [best, places].map(|v| self.gather_scanned(scanned, v));
                let ranked = self.rank_again(op, scanned, &[best])?;
                let places = self.take_along(places, ranked[1], scanned.dim);
                Ok(vec![ranked[0], places])
            }
            (Ordered::RankedTogether, best) => {
                let mut all: Vec<ValueId> = best.iter().map(|v| self.gather_scanned(scanned, *v)).collect();
                all.extend_from_slice(&operands[best.len()..]);
                self.rank_again(op, scanned, &all)
            }
            _ => Ok(values),
        }
    }

    /// The scalar that changes nothing: what an op starts from, where only its region can combine.
    fn neutral_of(&mut self, combine: Combine, elem: Elem, initial: ValueId) -> ValueId {
        match identity(combine, elem) {
            Some(scalar) => self.emit.splat(TensorType::scalar(elem), scalar),
            None => initial,
        }
    }

    /// Combines what runs along a shard with the totals of all shards before it.
    fn add_totals(
        &mut self,
        scanned: &Scanned,
        fold: &Fold<'m>,
        backward: bool,
        value: ValueId,
    ) -> Result<ValueId, Diagnostic> {
        let Scanned { dim, ref layout, .. } = *scanned;
        let ty = self.emit.type_of(value);
        let last = if backward { 0 } else { layout.block - 1 };
        let total = self.emit.slice(value, dim, last, 1);
        let totals = self.emit.all_gather(total, dim, &layout.atoms);
        let totals_type = self.emit.type_of(totals);
        // Shards that come later add nothing.
        let index = totals_type.with_elem(Elem::Int(32));
        let along = vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))];
        let shard = self.emit.op(OpKind::Iota, &[], along, index.clone());
        let here = self.emit.coordinate(&layout.atoms);
        let here = self.emit.broadcast(here, index.clone());
        let before = if backward { Comparison::Gt } else { Comparison::Lt };
        let direction = vec![(names::COMPARISON_DIRECTION, Attr::from(before))];
        let before = self.emit.op(OpKind::Compare, &[shard, here], direction, index.with_elem(Elem::Bool));
        let neutral = self.emit.broadcast(fold.neutral, totals_type.clone());
        let counted = self.emit.op(OpKind::Select, &[before, totals, neutral], vec![], totals_type);
        let sum = self.fold(fold, counted, dim)?;
        let dims = (0..ty.rank()).filter(|d| *d != dim).map(|d| d as i64);
        let dims = vec![(names::BROADCAST_DIMENSIONS, Attr::i64s(dims))];
        let sum = self.emit.op(OpKind::BroadcastInDim, &[sum], dims, ty.clone());
        if fold.combine != Combine::Region {
            return Ok(self.emit.combine(fold.combine, sum, value));
        }
        // A region of scalars folds the two element by element, the earlier first.
        let pair = if backward { [value, sum] } else { [sum, value] };
        let pair = pair.map(|v| self.emit.reshape(v, std::iter::once(1).chain(ty.shape.iter().copied())));
        let pair = self.emit.concatenate(&pair, 0);
        self.fold(fold, pair, 0)
    }

    /// The elements along a dimension combined; the dimension goes.
    fn fold(&mut self, fold: &Fold<'m>, value: ValueId, dim: usize) -> Result<ValueId, Diagnostic> {
        let Fold { op, combine, neutral } = *fold;
        let &[region] = op.regions() else { return Ok(self.emit.reduce(value, dim, combine)) };
        if combine != Combine::Region {
            return Ok(self.emit.reduce(value, dim, combine));
        }
        let mut ty = self.emit.type_of(value);
        ty.shape.remove(dim);
        let mut new = NewOp::new(OpKind::Reduce);
        new.operands.extend([value, neutral]);
        new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty)));
        new.attrs.set(names::DIMENSIONS, Attr::i64s([dim as i64]));
        new.loc = op.op().loc;
        new.regions.push(self.copy_region(region)?);
        let reduced = self.emit.add(new);
        Ok(self.emit.module.ops[reduced].results.at(0))
    }

    /// A scalar that ranks below all others, or like them.
    fn lowest_rank(&mut self, elem: Elem, largest: bool) -> ValueId {
        let scalar = TensorType::scalar(elem);
        if !elem.is_float() {
            let combine = if largest { Combine::Maximum } else { Combine::Minimum };
            let value = identity(combine, elem).unwrap_or_else(|| Scalar::zero(elem));
            return self.emit.splat(scalar, value);
        }
        // In the total order the ends are the NaNs of either sign in which every bit is set.
        let bits = Elem::Uint(elem.bits() as u8);
        let every = u64::MAX >> (64 - elem.bits());
        let pattern = if largest { every } else { every >> 1 };
        let pattern = self.emit.splat(TensorType::scalar(bits), Scalar::Uint(pattern));
        self.emit.op(OpKind::BitcastConvert, &[pattern], vec![], scalar)
    }

    /// What all shards of a scanned dimension found, one behind the other.
    fn gather_scanned(&mut self, scanned: &Scanned, value: ValueId) -> ValueId {
        self.emit.all_gather(value, scanned.dim, &scanned.layout.atoms)
    }

    /// Ranks what ranked highest in each shard. Shards stand in order, so that of equal elements the first wins again.
    fn rank_again(
        &mut self,
        op: OpRef<'m>,
        scanned: &Scanned,
        gathered: &[ValueId],
    ) -> Result<Vec<ValueId>, Diagnostic> {
        let dim = scanned.dim;
        let operands: Vec<TensorType> = gathered.iter().map(|v| self.emit.type_of(*v)).collect();
        let whole = |ty: &TensorType| {
            let mut result = operands[0].with_elem(ty.elem);
            result.shape[dim] = ty.shape[dim];
            result
        };
        let results: Vec<TensorType> = op.result_types().filter_map(Type::as_tensor).map(whole).collect();
        let local = Local { op, operands: &operands, results: &results, reached: &[] };
        let mut new = NewOp::new(op.kind());
        new.operands.extend_from_slice(gathered);
        new.attrs = (op.def().localise)(&local).unwrap_or_else(|| op.op().attrs.clone());
        for ty in &results {
            new.result_types.push(self.emit.module.types.intern(Type::Tensor(ty.clone())));
        }
        self.finish(op, new)
    }

    /// Of each row along a dimension, the elements at the indices in the same row of another value.
    fn take_along(&mut self, value: ValueId, indices: ValueId, dim: usize) -> ValueId {
        let ty = self.emit.type_of(indices);
        let others = || (0..ty.rank()).filter(|d| *d != dim).map(|d| d as i64);
        let dims = GatherDims {
            offset_dims: Vec::new(),
            collapsed_slice_dims: vec![dim as i64],
            operand_batching_dims: others().collect(),
            start_indices_batching_dims: others().collect(),
            start_index_map: vec![dim as i64],
            index_vector_dim: ty.rank() as i64,
        };
        let attrs = vec![
            (names::DIMENSION_NUMBERS, Attr::Gather(Box::new(dims))),
            (names::SLICE_SIZES, Attr::i64s(std::iter::repeat_n(1, ty.rank()))),
            (names::INDICES_ARE_SORTED, Attr::Bool(false)),
        ];
        let ty = ty.with_elem(self.emit.type_of(value).elem);
        self.emit.op(OpKind::Gather, &[value, indices], attrs, ty)
    }
}
