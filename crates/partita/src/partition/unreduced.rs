//! Which partial values stay partial, and for how long.
//!
//! A partial value may stay so through ops that are linear in it, and is combined once, at the cheapest point of the chain: the
//! gradients of several uses of a tensor are added before they are combined, not after. Two passes find where. Forward: over which
//! atoms each value could be partial, if nothing were combined before. Backward: what combining it costs at best, here or further
//! down. Nothing depends on this for being right: an op that is given a partial value it cannot use asks for it combined.

use super::layout::{Layout, Partial};
use super::reshard::Planner;
use super::split::Subject;
use super::uses::Uses;
use crate::ir::*;
use crate::ops::Spread;
use crate::ops::linear::Linear;
use crate::ops::rule::{Access, Combine};
use crate::propagate::Propagated;
use crate::sharding::AtomSet;
use rustc_hash::FxHashMap;

/// A loop runs at least so often, for all that is known here.
const REPEATED: u64 = 8;

/// Which values stay partial.
pub(super) struct Unreduced {
    /// What each value that is not combined at once could be partial over.
    stays: FxHashMap<ValueId, AtomSet>,
    /// The carries of loops that are partial all the time.
    carries: FxHashMap<(OpId, usize), Partial>,
}

impl Unreduced {
    /// The atoms over which a value is left partial where it is made; none for what is combined at once.
    pub(super) fn stays(&self, value: ValueId) -> AtomSet {
        self.stays.get(&value).copied().unwrap_or(AtomSet::EMPTY)
    }

    /// What a carry of a loop is partial over.
    pub(super) fn carry(&self, op: OpId, n: usize) -> Option<Partial> {
        self.carries.get(&(op, n)).copied()
    }

    /// Looks at a whole program.
    pub(super) fn find(
        input: &Module,
        shardings: &Propagated,
        uses: &Uses,
        planner: &mut Planner<'_>,
    ) -> Unreduced {
        let mut search = Search {
            input,
            shardings,
            uses,
            could: FxHashMap::default(),
            carries: FxHashMap::default(),
            forced: FxHashMap::default(),
        };
        let Some(body) = input.funcs.iter().next().and_then(|f| f.body) else {
            return Unreduced { stays: FxHashMap::default(), carries: FxHashMap::default() };
        };
        search.forward(body);
        let mut least = FxHashMap::default();
        let mut stays = FxHashMap::default();
        search.backward(body, planner, &mut least, &mut stays);
        Unreduced { stays, carries: search.carries }
    }
}

struct Search<'m> {
    input: &'m Module,
    shardings: &'m Propagated,
    uses: &'m Uses,
    /// What each value could be partial over.
    could: FxHashMap<ValueId, Partial>,
    carries: FxHashMap<(OpId, usize), Partial>,
    /// Values between a partial carry and what is returned for it: they cannot be combined.
    forced: FxHashMap<ValueId, ()>,
}

impl<'m> Search<'m> {
    fn forward(&mut self, region: RegionId) {
        let input = self.input;
        for &id in &input.regions[region].ops {
            let op = input.op(id);
            match op.def().spread {
                Spread::Rule(..) => {
                    if let Some(partial) = self.could_be(op) {
                        op.results().for_each(|v| {
                            self.could.insert(v, partial);
                        });
                    }
                }
                Spread::Loop => {
                    op.regions().iter().for_each(|r| self.forward(*r));
                    self.loop_carries(op);
                }
                Spread::Branches | Spread::Region | Spread::Manual => {
                    op.regions().iter().for_each(|r| self.forward(*r));
                }
                _ => {}
            }
        }
    }

    /// What the result of an op could be partial over: what its own reduced factors are split by, and what operands that it is
    /// linear in could be.
    fn could_be(&self, op: OpRef<'m>) -> Option<Partial> {
        let (_, rule, flow) = self.shardings.graph.op_rule(op.id)?;
        let mut found = self.own(&Subject::new(op, rule, flow));
        for (n, operand) in op.operands().iter().enumerate().take(64) {
            let Some(partial) = self.could.get(operand) else { continue };
            let linear = match (op.def().linear)(op, partial.combine) {
                Linear::No => false,
                Linear::Each(mask) => mask >> n & 1 == 1 && found.is_none(),
                Linear::Together(mask) => mask >> n & 1 == 1,
            };
            match &mut found {
                None if linear => found = Some(*partial),
                Some(found) if linear && found.combine == partial.combine => {
                    found.atoms = found.atoms.union(partial.atoms);
                }
                _ => {}
            }
        }
        found
    }

    /// What the reduced factors of an op are split by where its operands are at home.
    fn own(&self, subject: &Subject<'m>) -> Option<Partial> {
        let Subject { op, rule, .. } = *subject;
        let mut found: Option<Partial> = None;
        for (n, map) in rule.operands.iter().enumerate() {
            let Some(slot) = self.shardings.graph.value_slot(op.operands()[n]) else { continue };
            for (dim, map) in map.iter().enumerate() {
                let [factor] = map.factors[..] else { continue };
                let Some(combine) = subject.combine(factor) else { continue };
                let (atoms, _) = self.shardings.graph.dimension(slot, dim);
                if combine == Combine::Region || atoms.is_empty() || map.access != Access::Direct {
                    continue;
                }
                let atoms: AtomSet = atoms.iter().copied().collect();
                match &mut found {
                    None => found = Some(Partial { combine, atoms }),
                    Some(found) if found.combine == combine => found.atoms = found.atoms.union(atoms),
                    Some(_) => return None,
                }
            }
        }
        found
    }

    /// A carry may be partial if everything that is done with it in the loop is linear and comes back to it.
    fn loop_carries(&mut self, op: OpRef<'m>) {
        let &[condition, body] = op.regions() else { return };
        let input = self.input;
        let Some(&last) = input.regions[body].ops.last() else { return };
        for (n, &returned) in input.operands(last).iter().enumerate() {
            let Some(&partial) = self.could.get(&returned) else { continue };
            let (arg, tested) = (input.regions[body].args.at(n), input.regions[condition].args.at(n));
            if !self.uses.of(tested).is_empty() {
                continue;
            }
            let Some(chain) = self.linear_chain(arg, last, n, partial) else { continue };
            self.carries.insert((op.id, n), partial);
            self.could.insert(op.results().nth(n).unwrap_or(returned), partial);
            self.could.insert(arg, partial);
            for value in chain {
                self.could.insert(value, partial);
                self.forced.insert(value, ());
            }
        }
    }

    /// The values that come of a carry, if all of them come of it by linear ops and end in what the loop returns for it.
    fn linear_chain(&self, arg: ValueId, last: OpId, n: usize, partial: Partial) -> Option<Vec<ValueId>> {
        let mut chain = vec![arg];
        let mut next = 0;
        while let Some(&value) = chain.get(next) {
            next += 1;
            for &(user, place) in self.uses.of(value) {
                if user == last {
                    if place as usize != n {
                        return None;
                    }
                    continue;
                }
                let op = self.input.op(user);
                let alone = |mask: u64| mask >> place & 1 == 1;
                let linear = match (op.def().linear)(op, partial.combine) {
                    Linear::No => false,
                    // The other operand must not come of the carry too.
                    Linear::Each(mask) => {
                        place < 64
                            && alone(mask)
                            && op.operands().iter().filter(|v| chain.contains(v)).count() == 1
                    }
                    Linear::Together(mask) => place < 64 && alone(mask),
                };
                if !linear || !matches!(op.def().spread, Spread::Rule(..)) || op.results().len() != 1 {
                    return None;
                }
                let result = op.results().next()?;
                if !chain.contains(&result) {
                    chain.push(result);
                }
                if chain.len() > 64 {
                    return None;
                }
            }
        }
        Some(chain)
    }

    /// What it costs at least to combine each value, from the last to the first.
    fn backward(
        &self,
        region: RegionId,
        planner: &mut Planner<'_>,
        least: &mut FxHashMap<ValueId, u64>,
        stays: &mut FxHashMap<ValueId, AtomSet>,
    ) {
        let input = self.input;
        for &id in input.regions[region].ops.iter().rev() {
            let op = input.op(id);
            for value in op.results() {
                self.decide(value, planner, least, stays);
            }
            if matches!(op.def().spread, Spread::Loop | Spread::Branches | Spread::Region | Spread::Manual) {
                op.regions().iter().for_each(|r| self.backward(*r, planner, least, stays));
            }
        }
    }

    fn decide(
        &self,
        value: ValueId,
        planner: &mut Planner<'_>,
        least: &mut FxHashMap<ValueId, u64>,
        stays: &mut FxHashMap<ValueId, AtomSet>,
    ) {
        let Some(&partial) = self.could.get(&value) else { return };
        let Some(ty) = self.input.tensor_type(value) else { return };
        let here = self.price(value, ty, partial, planner);
        let later = self.later(value, partial, least);
        let forced = self.forced.contains_key(&value);
        if forced || later.is_some_and(|later| later < here) {
            stays.insert(value, partial.atoms);
        }
        least.insert(value, later.map_or(here, |later| later.min(here)));
    }

    /// What combining a value where it is made costs.
    fn price(&self, value: ValueId, ty: &TensorType, partial: Partial, planner: &mut Planner<'_>) -> u64 {
        let mesh = &self.shardings.mesh;
        let home = match self.shardings.graph.value_slot(value) {
            Some(slot) => Layout::of(mesh, &ty.shape, &self.shardings.sharding(slot)),
            None => Layout::replicated(&ty.shape),
        };
        planner.cost(ty, &home.pending(mesh, &ty.shape, partial), &home)
    }

    /// What it costs to leave a value partial: the share of all that comes of it. Nothing where it cannot be left.
    fn later(&self, value: ValueId, partial: Partial, least: &FxHashMap<ValueId, u64>) -> Option<u64> {
        let mut sum = 0u64;
        for &(user, place) in self.uses.of(value) {
            let op = self.input.op(user);
            if op.def().traits.terminator {
                sum = sum.saturating_add(self.returned(user, place as usize, least)?);
                continue;
            }
            let carriers = match (op.def().linear)(op, partial.combine) {
                Linear::Each(mask) if place < 64 && mask >> place & 1 == 1 => 1 << place,
                Linear::Together(mask) if place < 64 && mask >> place & 1 == 1 => mask,
                _ => return None,
            };
            let result = op.results().next().filter(|_| op.results().len() == 1)?;
            let becomes = self.could.get(&result)?;
            if becomes.combine != partial.combine || !partial.atoms.minus(becomes.atoms).is_empty() {
                return None;
            }
            let bring = |n: usize| carriers >> n & 1 == 1 && self.could.contains_key(&op.operands()[n]);
            let mut contributors = (0..op.operands().len().min(64)).filter(|n| bring(*n)).count() as u64;
            contributors += u64::from(!becomes.atoms.minus(partial.atoms).is_empty());
            sum = sum.saturating_add(least.get(&result)? / contributors.max(1));
        }
        (!self.uses.of(value).is_empty()).then_some(sum)
    }

    /// What it costs to return a value from a region uncombined: a loop combines it once, after its last round.
    fn returned(&self, last: OpId, place: usize, least: &FxHashMap<ValueId, u64>) -> Option<u64> {
        let owner = self.uses.owner_of_terminator(last)?;
        self.carries.get(&(owner, place))?;
        let result = self.input.op(owner).results().nth(place)?;
        Some(least.get(&result)? / REPEATED)
    }
}
