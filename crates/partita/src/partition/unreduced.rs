//! Which partial values stay partial, and for how long.
//!
//! A partial value may stay so through ops that are linear in it, and is combined once, at the cheapest point of the chain: the
//! gradients of several uses of a tensor are added before they are combined, not after. Passes over the program find where. Forward:
//! over which atoms each value could be partial, if nothing were combined before, and what combining it costs at best, here or further
//! up. Backward: what it costs here or further down. Where several values come together the cost is shared, by all that could be
//! partial at first, then by those that stayed so: values only ever leave, and a few passes both ways settle it. Nothing depends on this
//! for being right: an op that is given a partial value it cannot use asks for it combined.

use super::control::rounds;
use super::layout::{Layout, Partial};
use super::price::Prices;
use super::reshard::{PathCache, Planner};
use super::split::Subject;
use super::uses::Uses;
use crate::ir::*;
use crate::ops::linear::Linear;
use crate::ops::rule::{Access, Combine};
use crate::ops::{Spread, Unit};
use crate::propagate::Propagated;
use crate::sharding::AtomSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often it is looked at again who shares a cost, at most.
const MAX_PASSES: usize = 4;

/// How often carries are dropped one after the other, at most, before all are.
const MAX_DROPS: usize = 8;

/// Which values stay partial.
pub(super) struct Unreduced {
    stays: FxHashMap<ValueId, Stay>,
    /// The carries of loops that are partial all the time.
    carries: FxHashMap<(OpId, usize), Partial>,
}

/// A value that is left unreduced where it is made.
#[derive(Clone, Copy)]
struct Stay {
    /// The atoms it could be partial over.
    atoms: AtomSet,
    /// Its share of the cost of the reduction further down.
    share: u64,
    /// It reaches an unreduced loop carry without passing a product, so its reduction happens once, after the loop.
    carried: bool,
}

impl Unreduced {
    /// The atoms over which a value is left partial where it is made; none for what is combined at once.
    pub(super) fn stays(&self, value: ValueId) -> AtomSet {
        self.stays.get(&value).map_or(AtomSet::EMPTY, |stay| stay.atoms)
    }

    /// What a value that is left partial has to bear of what combining costs in the end.
    pub(super) fn share(&self, value: ValueId) -> u64 {
        self.stays.get(&value).map_or(0, |stay| stay.share)
    }

    /// Returns whether a value reaches an unreduced loop carry without passing a product.
    pub(super) fn is_carried(&self, value: ValueId) -> bool {
        self.stays.get(&value).is_some_and(|stay| stay.carried)
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
        let mut search = Search::new(input, shardings, uses);
        let mut stays = FxHashMap::default();
        let Some(body) = input.funcs.iter().next().and_then(|f| f.body) else {
            return Unreduced { stays, carries: FxHashMap::default() };
        };
        let (mut passes, mut drops) = (0, 0);
        loop {
            search.forward(body, planner);
            let mut pass = Backward::default();
            search.backward(body, &mut pass);
            let settled = search.stayed.as_ref().is_some_and(|before| before.len() == pass.stays.len());
            stays.clone_from(&pass.stays);
            passes += 1;
            // What stays partial and which carries do must be of one pass: an end comes only where no carry is to be dropped.
            if pass.dropped.is_empty() && (settled || passes >= MAX_PASSES) {
                break;
            }
            if !pass.dropped.is_empty() {
                (passes, drops) = (0, drops + 1);
                if drops > MAX_DROPS {
                    pass.dropped.extend(search.carries.keys().copied());
                }
            }
            search.start_again(pass);
        }
        let carries = search.carries.into_iter().map(|(carry, found)| (carry, found.partial)).collect();
        Unreduced { stays, carries }
    }
}

/// Over which atoms values of a program are sums of parts, if none is combined before.
pub(crate) fn could_be_partial(
    input: &Module,
    shardings: &Propagated,
) -> impl Iterator<Item = (ValueId, AtomSet)> + use<> {
    let uses = Uses::in_program(input);
    let mut search = Search::new(input, shardings, &uses);
    if let Some(body) = input.funcs.iter().next().and_then(|f| f.body) {
        let paths = PathCache::new(shardings.mesh.clone(), Prices::default());
        search.forward(body, &mut Planner::new(&paths));
    }
    let sums = search.could.into_iter().filter(|(_, could)| could.partial.combine == Combine::Add);
    sums.map(|(value, could)| (value, could.partial.atoms))
}

/// What a value could be partial over, and what combining it costs.
#[derive(Clone, Copy)]
struct Could {
    partial: Partial,
    /// Where it is made.
    here: u64,
    /// There or further up, whichever is least.
    early: u64,
}

/// What the pass from the last op to the first finds.
#[derive(Default)]
struct Backward {
    /// What combining a value costs, here or further down, whichever is least.
    least: FxHashMap<ValueId, u64>,
    stays: FxHashMap<ValueId, Stay>,
    /// Carries that had better be combined in every round.
    dropped: FxHashSet<(OpId, usize)>,
}

struct Search<'m> {
    input: &'m Module,
    shardings: &'m Propagated,
    uses: &'m Uses,
    could: FxHashMap<ValueId, Could>,
    carries: FxHashMap<(OpId, usize), Carry>,
    /// Values between a partial carry and what is returned for it: they cannot be combined.
    forced: FxHashSet<ValueId>,
    /// Carries that are combined in every round.
    dropped: FxHashSet<(OpId, usize)>,
    /// What stayed partial in the passes before; nothing is known in the first one.
    stayed: Option<FxHashMap<ValueId, Stay>>,
    /// What combining values costs where they are made.
    prices: FxHashMap<ValueId, (Partial, u64)>,
    /// What the reduced factors of each op are split by where its operands are at home.
    own: IdVec<OpId, Option<Partial>>,
}

/// A carry of a loop that may be partial.
struct Carry {
    partial: Partial,
    /// What combining everything that goes into it costs in all rounds together.
    each_round: u64,
}

impl<'m> Search<'m> {
    fn new(input: &'m Module, shardings: &'m Propagated, uses: &'m Uses) -> Search<'m> {
        let mut search = Search {
            input,
            shardings,
            uses,
            could: FxHashMap::default(),
            carries: FxHashMap::default(),
            forced: FxHashSet::default(),
            dropped: FxHashSet::default(),
            stayed: None,
            prices: FxHashMap::default(),
            own: IdVec::filled(None, input.ops.len()),
        };
        search.find_own();
        search
    }

    /// Forgets what was found but for what stayed partial. Where a carry is dropped even that is open again, for what comes of it is not partial any more.
    fn start_again(&mut self, pass: Backward) {
        self.stayed = pass.dropped.is_empty().then_some(pass.stays);
        self.dropped.extend(pass.dropped);
        self.could.clear();
        self.carries.clear();
        self.forced.clear();
    }

    /// Whether a value was not combined where it is made in the pass before, if there was one.
    fn stayed(&self, value: ValueId) -> bool {
        self.stayed.as_ref().is_none_or(|stayed| stayed.contains_key(&value))
    }

    fn forward(&mut self, region: RegionId, planner: &mut Planner<'_>) {
        let input = self.input;
        for &id in &input.regions[region].ops {
            let op = input.op(id);
            match op.def().spread {
                Spread::Rule(..) => self.could_be(op, planner),
                Spread::Loop => {
                    op.regions().iter().for_each(|r| self.forward(*r, planner));
                    self.loop_carries(op, planner);
                }
                Spread::Branches | Spread::Region | Spread::Manual => {
                    op.regions().iter().for_each(|r| self.forward(*r, planner));
                }
                _ => {}
            }
        }
    }

    /// What the results of an op could be partial over: what its own reduced factors are split by, and what operands that it is
    /// linear in could be.
    fn could_be(&mut self, op: OpRef<'m>, planner: &mut Planner<'_>) {
        if self.shardings.graph.op_rule(op.id).is_none() {
            return;
        }
        let mut found = self.own[op.id];
        // What operands bring could have been combined before; what the op itself leaves could not.
        let mut before = if found.is_some() { None } else { Some(0u64) };
        for (n, operand) in op.operands().iter().enumerate().take(64) {
            let Some(could) = self.could.get(operand).filter(|_| self.stayed(*operand)) else { continue };
            let partial = could.partial;
            let linear = match (op.def().linear)(op, partial.combine) {
                Linear::No => false,
                Linear::Each(mask) => mask >> n & 1 == 1 && found.is_none(),
                Linear::Together(mask) => mask >> n & 1 == 1,
            };
            match &mut found {
                None if linear => found = Some(partial),
                Some(found) if linear && found.combine == partial.combine => {
                    found.atoms = found.atoms.union(partial.atoms);
                }
                _ => continue,
            }
            before = before.map(|sum| sum.saturating_add(could.early));
        }
        let Some(partial) = found else { return };
        for value in op.results() {
            self.enter(value, partial, before, planner);
        }
    }

    /// Says what a value could be partial over. `before` is what combining everything it comes of costs, where that can be done.
    fn enter(&mut self, value: ValueId, partial: Partial, before: Option<u64>, planner: &mut Planner<'_>) {
        let Some(ty) = self.input.tensor_type(value) else { return };
        let here = match self.prices.get(&value) {
            Some((known, price)) if *known == partial => *price,
            _ => self.price(value, ty, partial, planner),
        };
        self.prices.insert(value, (partial, here));
        let early = before.map_or(here, |before| before.min(here));
        self.could.insert(value, Could { partial, here, early });
    }

    fn find_own(&mut self) {
        for op in self.input.ops.ids() {
            if let Some((_, rule, flow)) = self.shardings.graph.op_rule(op) {
                self.own[op] = self.own(&Subject::new(self.input.op(op), rule, flow));
            }
        }
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
    fn loop_carries(&mut self, op: OpRef<'m>, planner: &mut Planner<'_>) {
        let &[condition, body] = op.regions() else { return };
        let input = self.input;
        let Some(&last) = input.regions[body].ops.last() else { return };
        for (n, &returned) in input.operands(last).iter().enumerate() {
            let Some(&Could { partial, .. }) = self.could.get(&returned) else { continue };
            let (arg, tested) = (input.regions[body].args.at(n), input.regions[condition].args.at(n));
            if !self.uses.of(tested).is_empty() || self.dropped.contains(&(op.id, n)) {
                continue;
            }
            let Some(chain) = self.linear_chain(arg, last, n, partial) else { continue };
            let each_round = self.added_to(&chain).saturating_mul(rounds(input, op.id));
            self.carries.insert((op.id, n), Carry { partial, each_round });
            for value in chain.into_iter().chain(op.results().nth(n)) {
                self.enter(value, partial, None, planner);
                self.forced.insert(value);
            }
            if let Some(result) = op.results().nth(n) {
                self.forced.remove(&result);
            }
        }
    }

    /// What combining everything costs that goes into a chain of values and does not come of it.
    fn added_to(&self, chain: &[ValueId]) -> u64 {
        let mut sum = 0u64;
        for &value in chain {
            let ValueDef::Result(op, _) = self.input.values[value].def else { continue };
            for operand in self.input.operands(op).iter().filter(|operand| !chain.contains(operand)) {
                sum = sum.saturating_add(self.could.get(operand).map_or(0, |could| could.early));
            }
        }
        sum
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
    fn backward(&self, region: RegionId, pass: &mut Backward) {
        let input = self.input;
        for &id in input.regions[region].ops.iter().rev() {
            let op = input.op(id);
            for (n, value) in op.results().enumerate() {
                self.decide(value, pass);
                let after = pass.least.get(&value).copied();
                if self
                    .carries
                    .get(&(id, n))
                    .zip(after)
                    .is_some_and(|(carry, after)| carry.each_round <= after)
                {
                    pass.dropped.insert((id, n));
                }
            }
            if matches!(op.def().spread, Spread::Loop | Spread::Branches | Spread::Region | Spread::Manual) {
                op.regions().iter().for_each(|r| self.backward(*r, pass));
            }
        }
    }

    fn decide(&self, value: ValueId, pass: &mut Backward) {
        let Some(&Could { partial, here, .. }) = self.could.get(&value) else { return };
        let later = self.later(value, partial, pass).filter(|_| self.stayed(value));
        if self.forced.contains(&value) || later.is_some_and(|later| later < here) {
            let carried = self.is_carried(value, pass);
            pass.stays.insert(value, Stay { atoms: partial.atoms, share: later.unwrap_or(0), carried });
        }
        pass.least.insert(value, later.map_or(here, |later| later.min(here)));
    }

    /// What combining a value where it is made costs.
    fn price(&self, value: ValueId, ty: &TensorType, partial: Partial, planner: &mut Planner<'_>) -> u64 {
        let mesh = &self.shardings.mesh;
        let home = match self.shardings.graph.value_slot(value) {
            Some(slot) => Layout::of(mesh, &ty.shape, self.shardings.graph.dimensions(slot)),
            None => Layout::replicated(&ty.shape),
        };
        planner.cost(ty, &home.pending(mesh, &ty.shape, partial), &home)
    }

    /// Returns whether a value ends up in an unreduced loop carry, through ops that contract nothing.
    fn is_carried(&self, value: ValueId, pass: &Backward) -> bool {
        self.uses.of(value).iter().any(|&(user, place)| {
            let op = self.input.op(user);
            if op.def().traits.terminator {
                let owner = self.uses.owner_of_terminator(user);
                return owner.is_some_and(|owner| self.carries.contains_key(&(owner, place as usize)));
            }
            let carried = |result: ValueId| pass.stays.get(&result).is_some_and(|stay| stay.carried);
            op.def().unit() != Unit::Matrix && op.results().any(carried)
        })
    }

    /// What it costs to leave a value partial: the share of all that comes of it. Nothing where it cannot be left.
    fn later(&self, value: ValueId, partial: Partial, pass: &Backward) -> Option<u64> {
        let mut sum = 0u64;
        for &(user, place) in self.uses.of(value) {
            let op = self.input.op(user);
            if op.def().traits.terminator {
                sum = sum.saturating_add(self.returned(user, place as usize, pass)?);
                continue;
            }
            let carriers = match (op.def().linear)(op, partial.combine) {
                Linear::Each(mask) if place < 64 && mask >> place & 1 == 1 => 1 << place,
                Linear::Together(mask) if place < 64 && mask >> place & 1 == 1 => mask,
                _ => return None,
            };
            let result = op.results().next().filter(|_| op.results().len() == 1)?;
            let becomes = self.could.get(&result)?.partial;
            if becomes.combine != partial.combine || !partial.atoms.minus(becomes.atoms).is_empty() {
                return None;
            }
            let shares =
                |other: ValueId| self.could.contains_key(&other) && (other == value || self.stayed(other));
            let bring = |n: usize| carriers >> n & 1 == 1 && shares(op.operands()[n]);
            let mut contributors = (0..op.operands().len().min(64)).filter(|n| bring(*n)).count() as u64;
            contributors += u64::from(!becomes.atoms.minus(partial.atoms).is_empty());
            // Rounded up, so that sharing the price of a combination among its contributors never makes it cheaper.
            sum = sum.saturating_add(pass.least.get(&result)?.div_ceil(contributors.max(1)));
        }
        (!self.uses.of(value).is_empty()).then_some(sum)
    }

    /// What it costs to return a value from a region uncombined: a loop combines it once, after its last round.
    fn returned(&self, last: OpId, place: usize, pass: &Backward) -> Option<u64> {
        let owner = self.uses.owner_of_terminator(last)?;
        self.carries.get(&(owner, place))?;
        let result = self.input.op(owner).results().nth(place)?;
        Some(pass.least.get(&result)? / rounds(self.input, owner))
    }
}
