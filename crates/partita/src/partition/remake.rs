//! Values that are made where they are wanted instead of being moved there.
//!
//! The op that makes a value can run once more, for another layout of its result, on operands that are brought there. That is
//! cheaper where they lie there already, as those of a sum of values that every device holds, and where they are less than what
//! comes of them, as those of a broadcast or of a conversion to a wider type. Only ops whose results are made element by element
//! run again: nothing is reduced, looked up or ordered, so that every device makes the same.

use super::Partitioner;
use super::choose::{portions, splittable};
use super::layout::Layout;
use super::split::{Split, Subject};
use super::values::Bound;
use crate::diagnostic::Diagnostic;
use crate::ir::*;
use crate::ops::rule::{Access, Kind, Rule};
use crate::ops::{Eval, Spread};
use smallvec::SmallVec;

/// So many ops run again for one value at most.
const MAX_REMADE: u8 = 8;

/// An op that is to run once more.
pub(super) struct Making<'m> {
    subject: Subject<'m>,
    split: Split,
}

impl<'m> Partitioner<'m> {
    /// How a value is made in a layout, if that costs less than something else.
    pub(super) fn remade_below(&mut self, value: ValueId, layout: &Layout, cost: u64) -> Option<Making<'m>> {
        let making = self.making(value, layout)?;
        let mut left = MAX_REMADE;
        self.making_price(&making, cost, &mut left).map(|_| making)
    }

    /// What it costs more to gather what an op reads by windows, and to make its result whole of that, where the result is larger. What has
    /// one use needs not be made as it was, then.
    pub(super) fn gathered_before(
        &mut self,
        subject: &Subject<'m>,
        split: &Split,
        result: ValueId,
    ) -> Option<u64> {
        let op = subject.op;
        let mut operands: SmallVec<[ValueId; 4]> = op.operands().iter().copied().collect();
        operands.sort_unstable();
        operands.dedup();
        let bytes = |v: &ValueId| self.input.tensor_type(*v).map_or(0, |ty| ty.bytes());
        let by_windows = subject.rule.operands.iter().flatten().any(|map| map.access != Access::Direct);
        if subject.cut.is_some() || !by_windows || operands.iter().map(bytes).sum::<usize>() >= bytes(&result)
        {
            return None;
        }
        let whole = self.replicated(result);
        let making = self.making(result, &whole)?;
        let price = self.making_price(&making, u64::MAX, &mut 1)?;
        if self.uses.of(result).len() != 1 {
            return Some(price);
        }
        let mut saved = 0u64;
        for (n, &operand) in op.operands().iter().enumerate() {
            let supply = self.supply(operand);
            saved = saved.saturating_add(self.source(subject, split, n, &supply).fetched);
        }
        Some(price.saturating_sub(saved))
    }

    /// Makes a value once more.
    pub(super) fn make(&mut self, making: &Making<'m>) -> Result<ValueId, Diagnostic> {
        let loc = std::mem::replace(&mut self.emit.loc, making.subject.op.op().loc);
        let made = self.split_op(&making.subject, &making.split);
        self.emit.loc = loc;
        Ok(made?.swap_remove(0))
    }

    /// How many ops have to run to make the result of an op whole on every device of what is whole there already; none if that
    /// cannot be, or takes too many.
    pub(super) fn remade_whole(&self, op: OpRef<'m>) -> u8 {
        let Some((_, rule, _)) = self.shardings.graph.op_rule(op.id) else { return 0 };
        if !runs_again(op) || !is_parallel(rule) {
            return 0;
        }
        let each = op.operands().iter().map(|v| match &self.bound[*v] {
            Bound::Lazy(..) => Some(0),
            Bound::Laid(versions) if versions.iter().any(|v| v.layout.is_replicated()) => Some(0),
            Bound::Laid(_) if self.whole[*v] > 0 => Some(self.whole[*v]),
            _ => None,
        });
        let ops = each.into_iter().try_fold(1u8, |sum, ops| Some(sum.saturating_add(ops?)));
        ops.filter(|n| *n <= MAX_REMADE).unwrap_or(0)
    }

    /// Whether nothing is done with a value but to make something smaller of it element by element: that is better moved.
    pub(super) fn is_narrowed(&self, value: ValueId) -> bool {
        let &[(user, _)] = self.uses.of(value) else { return false };
        let op = self.input.op(user);
        if !runs_again(op) || op.operands().len() != 1 {
            return false;
        }
        let (from, to) = (op.operand_tensor(0), op.result_tensor(0));
        from.shape == to.shape && to.bytes() < from.bytes()
    }

    /// The op that makes a value, split so that the value comes out in a layout.
    fn making(&self, value: ValueId, layout: &Layout) -> Option<Making<'m>> {
        let op = self.input.made_by(value)?;
        if layout.partial.is_some() || !runs_again(op) {
            return None;
        }
        let (_, rule, flow) = self.shardings.graph.op_rule(op.id)?;
        if !is_parallel(rule) {
            return None;
        }
        let subject = Subject::new(op, rule, flow);
        let mut split = Split::none(rule);
        for (map, dim) in rule.results[0].iter().zip(&layout.dims).filter(|(_, dim)| !dim.atoms.is_empty()) {
            if map.access != Access::Direct {
                return None;
            }
            let minor: i64 = map.factors.iter().skip(1).map(|f| rule.factor(*f).size).product();
            portions(self.mesh, rule, map, dim, |factor, atoms| {
                let split = &mut split.factors[usize::from(factor.0)];
                split.atoms = atoms.into();
                let whole = atoms.len() == dim.atoms.len() && factor == map.factors[0];
                let parts = self.mesh.size_of(atoms.iter().copied());
                split.block = if whole { dim.block / minor.max(1) } else { split.block / parts };
            });
        }
        let along = |f: &usize| !split.factors[*f].atoms.is_empty();
        let mut along = (0..split.factors.len()).filter(along);
        let fits = split.result(self.mesh, &subject, 0) == *layout
            && split.is_sound(self.mesh, rule)
            && along.all(|f| splittable(&subject, crate::ops::rule::FactorId(f as u8)));
        fits.then_some(Making { subject, split })
    }

    /// What it costs to make a value, if that is below something else.
    fn making_price(&mut self, making: &Making<'m>, below: u64, left: &mut u8) -> Option<u64> {
        *left = left.checked_sub(1)?;
        let Making { subject, split } = making;
        let op = subject.op;
        let elem = op.result_tensor(0).elem;
        let mut price = self.planner.prices.work((op.def().work)(op), elem, split.share(subject.rule));
        let mut seen: SmallVec<[ValueId; 4]> = SmallVec::new();
        for (n, &operand) in op.operands().iter().enumerate() {
            if seen.contains(&operand) {
                continue;
            }
            seen.push(operand);
            let wanted = split.operand(self.mesh, subject, n);
            price = price.saturating_add(self.bring_price(operand, &wanted, below, left)?);
            if price >= below {
                return None;
            }
        }
        Some(price)
    }

    /// What it costs to have a value in a layout, moved or made, if that is below something else.
    fn bring_price(&mut self, value: ValueId, layout: &Layout, below: u64, left: &mut u8) -> Option<u64> {
        let versions: SmallVec<[Layout; 2]> = match &self.bound[value] {
            Bound::Laid(_) => self.versions(value).map(|v| v.layout.clone()).collect(),
            Bound::Lazy(..) => return Some(0),
            Bound::None | Bound::Other(_) => return None,
        };
        // Sums would be rounded otherwise if their parts were combined before.
        if versions.iter().all(|v| v.partial.is_some()) {
            return None;
        }
        let ty = self.input.tensor_type(value)?;
        let moved = versions.iter().map(|v| self.planner.cost(ty, v, layout)).min()?;
        let made = match moved {
            0 => None,
            _ => {
                let making = self.making(value, layout);
                making.and_then(|m| self.making_price(&m, moved.min(below), left))
            }
        };
        Some(made.unwrap_or(moved)).filter(|price| *price < below)
    }
}

/// Whether all dimensions go through an op.
fn is_parallel(rule: &Rule) -> bool {
    rule.tensors().flatten().flat_map(|map| &map.factors).all(|f| rule.factor(*f).kind == Kind::Parallel)
}

/// Whether an op does nothing but make one result.
fn runs_again(op: OpRef<'_>) -> bool {
    let def = op.def();
    matches!(def.spread, Spread::Rule(..))
        && op.results().len() == 1
        && op.regions().is_empty()
        && !def.traits.effect
        && !matches!(def.eval, Eval::Driver(_))
}
