//! Choosing how an op is split: every mesh axis can split one of the factors it already splits in some operand or result, or,
//! where those cannot be split, another that can, or none; the cheapest combination is taken.
//!
//! The price of a combination is what it costs to bring the operands there, to bring the results home, and to do the work
//! that is left for one device. All prices are integers, in the units of [`super::price`].

use super::Partitioner;
use super::emit::identity;
use super::layout::{DimLayout, Layout, Partial};
use super::reshard::shard_bytes;
use super::split::{Split, Subject};
use super::{contributions, ordered, windows};
use crate::ir::{Elem, OpRef, TensorType};
use crate::ops::Flow;
use crate::ops::edge::Edge;
use crate::ops::linear::Linear;
use crate::ops::ordered::Ordered;
use crate::ops::rule::{Access, Combine, DimMap, FactorId, Kind, Rule, TensorMap, Window};
use crate::propagate::RuleId;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;
use std::rc::Rc;

/// So many combinations are tried at most; beyond it one axis is decided after the other.
const COMBINATIONS: usize = 512;

/// What an op is given and what is to come of it. Ops with equal questions get equal answers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) rule: RuleId,
    pub(super) kind: crate::ops::OpKind,
    /// What it makes of its scanned dimension.
    pub(super) ordered: Ordered,
    /// How each operand is to be had.
    pub(super) operands: SmallVec<[Supply; 2]>,
    /// What is to come of each result.
    pub(super) results: SmallVec<[Outcome; 1]>,
    /// How often the op runs, and in a loop how often each operand has to be moved for it.
    pub(super) repetitions: (u64, SmallVec<[u64; 2]>),
    /// How many ops like this one use each operand as it does, so that it is moved once for all of them; nothing where there is
    /// only this one.
    pub(super) alike: SmallVec<[u64; 2]>,
    /// The types of operands and results.
    pub(super) types: SmallVec<[crate::ir::TypeId; 4]>,
    /// The atoms that must not split the op.
    pub(super) barred: AtomSet,
    /// What operands are read through, with the type of what is behind it and how it is to be had.
    pub(super) reads: SmallVec<[Option<(RuleId, crate::ir::TypeId, Supply)>; 2]>,
    /// What the result is cut down by.
    pub(super) cut: Option<RuleId>,
}

/// How an operand is to be had.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Supply {
    /// The layouts it is there in; none for what can be made anywhere.
    pub(super) layouts: SmallVec<[Layout; 1]>,
    /// How many ops have to run for it to be made whole on every device; none where it cannot be.
    pub(super) whole: u8,
    /// What it costs to gather what it is made of instead, where that is less.
    pub(super) gathered: Option<u64>,
}

/// What is to come of a result.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Outcome {
    /// How propagation lets it lie.
    pub(super) home: Layout,
    /// How it is wanted.
    pub(super) wanted: Layout,
    /// The atoms over which it may stay partial.
    pub(super) stays: AtomSet,
    /// Its share of the cost of reducing it further down.
    pub(super) share: u64,
    /// It ends up in an unreduced loop carry, whose reduction does not depend on this op.
    pub(super) carried: bool,
}

/// How an op is split.
pub(super) struct Choice {
    pub(super) split: Split,
    /// Whether something is split along its operands or results that the op cannot be split along.
    pub(super) stuck: bool,
}

/// Whether something is split along operands or results that the op cannot be split along.
fn is_stuck(subject: &Subject<'_>, question: &Question, split: &Split) -> bool {
    let rule = subject.rule;
    let mut used: AtomSet = split.factors.iter().flat_map(|f| f.atoms.iter().copied()).collect();
    // Atoms that could split the op and do not, because that costs more, are not stuck.
    tensors(subject, question, |map, layout, _| {
        let able = |map: &DimMap| map.factors.iter().any(|f| splittable(subject, *f));
        let dims = map.iter().zip(&layout.dims).filter(|(map, _)| able(map));
        used = used.union(dims.flat_map(|(_, dim)| dim.atoms.iter().copied()).collect());
    });
    let stuck = |map: &TensorMap, layout: &Layout| {
        // Atoms that split it along another dimension instead do their part; one index is never split.
        let idle = |dim: &DimLayout| dim.block > 0 && dim.atoms.iter().any(|a| !used.contains(*a));
        let single = |map: &DimMap| map.factors.iter().all(|f| rule.factor(*f).size <= 1);
        let mut dims = map.iter().zip(&layout.dims).filter(|(map, dim)| idle(dim) && !single(map));
        dims.any(|(map, _)| map.factors.iter().all(|f| !splittable(subject, *f)))
    };
    let operands = rule.operands.iter().zip(&question.operands);
    let results = rule.results.iter().zip(&question.results);
    operands.filter_map(|(map, supply)| Some((map, supply.layouts.first()?))).any(|(m, l)| stuck(m, l))
        || results.into_iter().any(|(map, outcome)| stuck(map, &outcome.home))
}

/// Atoms that are decided together: they stand together wherever they stand.
struct Group {
    atoms: AtomList,
    factors: SmallVec<[FactorId; 4]>,
}

impl<'m> Partitioner<'m> {
    /// The cheapest split.
    pub(super) fn choose(&mut self, subject: &Subject<'m>, question: Question) -> Rc<Choice> {
        if let Some(known) = self.choices.get(&question) {
            return known.clone();
        }
        let split = self.cheapest(subject, &question);
        let stuck = is_stuck(subject, &question, &split);
        let best = Rc::new(Choice { split, stuck });
        self.choices.insert(question, best.clone());
        best
    }

    fn cheapest(&mut self, subject: &Subject<'m>, question: &Question) -> Split {
        let mut best: Option<(u64, Split)> = None;
        for (passing, carriers) in passing(subject, question) {
            let barred = question.barred.union(passing.map_or(AtomSet::EMPTY, |p| p.atoms));
            let groups = groups(self.mesh, subject, question, barred);
            let count = groups.iter().fold(1usize, |n, g| n.saturating_mul(g.factors.len() + 1));
            let mesh = self.mesh;
            let assign = |choice: &[Option<FactorId>]| {
                let mut split = assigned(mesh, subject, question, &groups, choice);
                split.passing = passing;
                split.carriers = carriers;
                split
            };
            let mut choice: SmallVec<[Option<FactorId>; 8]> =
                groups.iter().map(|g| g.factors.first().copied()).collect();
            if count <= COMBINATIONS {
                let combination = |number: usize| {
                    let mut rest = number;
                    for (slot, group) in choice.iter_mut().zip(&groups) {
                        let options = group.factors.len() + 1;
                        *slot = group.factors.get(rest % options).copied();
                        rest /= options;
                    }
                    assign(&choice)
                };
                best = self.cheapest_of(subject, question, (0..count).map(combination), best).0;
            } else {
                for n in 0..groups.len() {
                    let options: SmallVec<[Option<FactorId>; 4]> =
                        groups[n].factors.iter().map(|f| Some(*f)).chain([None]).collect();
                    let combination = |option: &Option<FactorId>| {
                        choice[n] = *option;
                        assign(&choice)
                    };
                    let splits: Vec<Split> = options.iter().map(combination).collect();
                    let (least, place) = self.cheapest_of(subject, question, splits.into_iter(), None);
                    choice[n] = place.map_or(groups[n].factors.first().copied(), |place| options[place]);
                    if let Some(least) = least
                        && best.as_ref().is_none_or(|(price, _)| least.0 < *price)
                    {
                        best = Some(least);
                    }
                }
            }
        }
        best.map_or_else(|| Split::none(subject.rule), |(_, split)| split)
    }

    /// The cheapest of some splits and its place, or one that was the best before where none is cheaper; of equals the first.
    ///
    /// Most splits are seen to be dearer by a lower bound of their cost, so that no paths have to be searched for them.
    fn cheapest_of(
        &mut self,
        subject: &Subject<'m>,
        question: &Question,
        splits: impl Iterator<Item = Split>,
        mut best: Option<(u64, Split)>,
    ) -> (Option<(u64, Split)>, Option<usize>) {
        let mut place = None;
        let mut bounded: Vec<(u64, usize, Split)> = Vec::new();
        // A price as low as the best wins where its split comes first.
        let wins = |price: u64, n: usize, best: &Option<(u64, Split)>, place: Option<usize>| {
            best.as_ref()
                .is_none_or(|(least, _)| price < *least || price == *least && place.is_some_and(|p| n < p))
        };
        for (n, split) in splits.enumerate() {
            self.planner.start_bounding();
            let price = self.split_price(subject, question, &split);
            let is_bound = self.planner.stop_bounding();
            let Some(price) = price.filter(|price| wins(*price, n, &best, place)) else { continue };
            if is_bound {
                bounded.push((price, n, split));
            } else {
                (best, place) = (Some((price, split)), Some(n));
            }
        }
        bounded.sort_unstable_by_key(|(bound, n, _)| (*bound, *n));
        for (bound, n, split) in bounded {
            if !wins(bound, n, &best, place) {
                continue;
            }
            let Some(price) = self.split_price(subject, question, &split) else { continue };
            if wins(price, n, &best, place) {
                (best, place) = (Some((price, split)), Some(n));
            }
        }
        (best, place)
    }

    /// The cost of a split; nothing if it cannot be.
    fn split_price(&mut self, subject: &Subject<'m>, question: &Question, split: &Split) -> Option<u64> {
        let Subject { op, rule, .. } = *subject;
        let mut ways = split.reduced(subject).map(|(combine, _)| combine);
        let way = split.passing.map(|p| p.combine).or_else(|| ways.next());
        if !split.is_sound(self.mesh, rule) || ways.any(|w| Some(w) != way) {
            return None;
        }
        let looks_up = split.reduced(subject).any(|(_, f)| rule.factor(f).kind == Kind::Lookup);
        let creates_partial_sum = split.reduced(subject).next().is_some();
        let (mut moved, mut price, mut resharded) = (0u64, 0u64, false);
        for (n, supply) in question.operands.iter().enumerate() {
            let source = self.source(subject, split, n, supply);
            price = price.saturating_add(source.fetched);
            let value = op.operands()[n];
            let mut before = (0..n).filter(|m| op.operands()[*m] == value);
            // A value that is an operand twice moves once, unless its places want different layouts.
            let wants = |n: usize| split.operand(self.mesh, subject, n);
            if before.any(|m| wants(m) == wants(n)) {
                continue;
            }
            let times = question.repetitions.1.get(n).copied().unwrap_or(1);
            let alike = question.alike.get(n).copied().unwrap_or(1);
            moved = u64::saturating_add(moved, source.moved.saturating_mul(times) / alike);
            resharded |= source.moved > 0 || source.fetched > 0;
        }
        for (n, outcome) in question.results.iter().enumerate() {
            let ty = subject.outcome_type(n);
            let made = split.result(self.mesh, subject, n);
            if way == Some(Combine::Region) {
                let parts =
                    split.reduced(subject).map(|(_, f)| split.factors[usize::from(f.0)].parts(self.mesh));
                let others = parts.product::<i64>() as u64 - 1;
                price += self.planner.prices.sent(made.local(ty).bytes() as u64 * others);
            }
            let stays = !outcome.stays.is_empty() && made.partial_atoms() == outcome.stays;
            price += match stays {
                // A lookup could have its operand gathered instead, and an op that reshards an operand to contract it another split.
                true if looks_up => outcome.share,
                true if creates_partial_sum && resharded && !outcome.carried => outcome.share,
                true => 0,
                false => self.planner.cost(ty, &made, &outcome.wanted),
            };
        }
        let prices = self.planner.prices;
        price += prices.cost(contributions::price(self.mesh, subject, split));
        price += prices.cost(ordered::price(self.mesh, subject, split));
        let elem = op.operand_types().find_map(|t| t.as_tensor()).map_or(Elem::F32, |t| t.elem);
        let each = price.saturating_add(prices.work((op.def().work)(op), elem, split.share(rule)));
        Some(each.saturating_mul(question.repetitions.0).saturating_add(moved))
    }

    /// What it costs to have an operand in a layout; nothing is said of what can be made anywhere.
    pub(super) fn supply_price(&mut self, ty: &TensorType, supply: &Supply, wanted: &Layout) -> Option<u64> {
        let mut moved = supply.layouts.iter().map(|v| self.planner.cost(ty, v, wanted)).min()?;
        if let Some(gathered) = supply.gathered.filter(|_| wanted.is_replicated()) {
            moved = moved.min(gathered);
        }
        if supply.whole == 0 || moved == 0 {
            return Some(moved);
        }
        // It is made in the wanted layout straight away: what is read and written for it is copied.
        let making = shard_bytes(ty, wanted).saturating_mul(u64::from(supply.whole));
        Some(if wanted.partial.is_none() { moved.min(making) } else { moved })
    }
}

/// What may pass through uncombined: nothing, or what operands bring that the op is linear in.
fn passing(subject: &Subject<'_>, question: &Question) -> SmallVec<[(Option<Partial>, u64); 2]> {
    let mut ways: SmallVec<[(Option<Partial>, u64); 2]> = SmallVec::from_elem((None, 0), 1);
    for (n, supply) in question.operands.iter().enumerate().take(64) {
        for partial in supply.layouts.iter().filter_map(|v| v.partial) {
            let carriers = match (subject.op.def().linear)(subject.op, partial.combine) {
                Linear::Each(mask) if mask >> n & 1 == 1 => 1 << n,
                Linear::Together(mask) if mask >> n & 1 == 1 => mask,
                _ => continue,
            };
            // Operands that are taken together bring what any of them brings.
            let mut partial = partial;
            if carriers != 1 << n {
                for (m, others) in question.operands.iter().enumerate().take(64) {
                    let alike = |p: &Partial| carriers >> m & 1 == 1 && p.combine == partial.combine;
                    let more = others.layouts.iter().filter_map(|v| v.partial).filter(alike);
                    let more: AtomSet = more.flat_map(|p| p.atoms.iter()).collect();
                    partial.atoms = partial.atoms.union(more);
                }
            }
            if !ways.contains(&(Some(partial), carriers)) {
                ways.push((Some(partial), carriers));
            }
        }
    }
    ways
}

/// The atoms that split operands and results, in groups, with the factors each can split.
fn groups(mesh: &Mesh, subject: &Subject<'_>, question: &Question, barred: AtomSet) -> Vec<Group> {
    let mut options: SmallVec<[(Atom, SmallVec<[FactorId; 4]>); 8]> = SmallVec::new();
    tensors(subject, question, |map, layout, _| {
        for (dim, access) in map.iter().enumerate() {
            portions(mesh, subject.rule, access, &layout.dims[dim], |factor, atoms| {
                for &atom in atoms.iter().filter(|a| !barred.contains(**a)) {
                    let place = match options.iter().position(|(a, _)| *a == atom) {
                        Some(place) => place,
                        None => {
                            options.push((atom, SmallVec::new()));
                            options.len() - 1
                        }
                    };
                    let factors = &mut options[place].1;
                    if !factors.contains(&factor) && splittable(subject, factor) {
                        factors.push(factor);
                    }
                }
            });
        }
    });
    // Atoms that split only what cannot be split, or takes an exchange, may split another dimension instead. They come last: what
    // splits a dimension already stays in front of them there.
    let easy = |f: &FactorId| subject.rule.factor(*f).kind != Kind::Scan;
    let (mut options, stuck): (Vec<_>, Vec<_>) = options.into_iter().partition(|(_, f)| f.iter().any(easy));
    for (atom, mut factors) in stuck {
        factors.extend(elsewhere(subject, mesh.atom_size(atom)));
        if !factors.is_empty() {
            options.push((atom, factors));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for (atom, factors) in options {
        let together = |g: &&mut Group| {
            g.factors == factors && g.atoms.iter().all(|a| mesh.atom_axis(*a) == mesh.atom_axis(atom))
        };
        match groups.iter_mut().find(together) {
            Some(group) => group.atoms.push(atom),
            None => groups.push(Group { atoms: [atom][..].into(), factors }),
        }
    }
    groups
}

/// The factors into which an op falls without anything else to do, if they can be split into so many parts.
fn elsewhere(subject: &Subject<'_>, parts: i64) -> SmallVec<[FactorId; 4]> {
    let rule = subject.rule;
    let direct = |id: FactorId| {
        let mut maps = rule.tensors().flatten().filter(|m| m.follows(id));
        maps.all(|m| m.access == Access::Direct && m.factors.len() == 1)
    };
    let fits = |id: &FactorId| {
        let factor = rule.factor(*id);
        factor.kind == Kind::Parallel && factor.size >= parts && direct(*id) && splittable(subject, *id)
    };
    (0..rule.factors.len()).map(|f| FactorId(f as u8)).filter(fits).collect()
}

/// Calls a function with every operand and result that lies somewhere: how its dimensions are reached, how it lies, its size.
fn tensors(subject: &Subject<'_>, question: &Question, mut f: impl FnMut(&TensorMap, &Layout, &TensorType)) {
    for (n, supply) in question.operands.iter().enumerate() {
        supply.layouts.iter().for_each(|v| f(&subject.rule.operands[n], v, subject.op.operand_tensor(n)));
    }
    for (n, outcome) in question.results.iter().enumerate() {
        f(&subject.rule.results[n], &outcome.home, subject.outcome_type(n));
    }
}

/// Calls a function with the factors of a dimension and the atoms that split each of them, as the dimension is split. A factor takes
/// atoms while they divide it. What does not divide the first factor falls to it all the same, unevenly, with all that follows.
pub(super) fn portions(
    mesh: &Mesh,
    rule: &Rule,
    map: &DimMap,
    layout: &DimLayout,
    mut f: impl FnMut(FactorId, &[Atom]),
) {
    if let Access::Affine(affine) = map.access {
        // Either the outputs are split or the window is.
        if !layout.atoms.is_empty() {
            f(affine.outer, &layout.atoms);
            if let Window::Factor(window) = affine.window {
                f(window, &layout.atoms);
            }
        }
        return;
    }
    let mut rest = &layout.atoms[..];
    for (place, &factor) in map.factors.iter().enumerate() {
        let last = place + 1 == map.factors.len();
        let size = rule.factor(factor).size;
        let (mut taken, mut parts) = (0, 1);
        while let Some(atom) = rest.get(taken)
            && (last || parts < size)
        {
            parts *= mesh.atom_size(*atom);
            if !last && size % parts != 0 {
                taken = if place == 0 { rest.len() } else { taken };
                break;
            }
            taken += 1;
        }
        if taken > 0 {
            f(factor, &rest[..taken]);
        }
        rest = &rest[taken..];
    }
}

/// The split in which each group splits the factor chosen for it.
fn assigned(
    mesh: &Mesh,
    subject: &Subject<'_>,
    question: &Question,
    groups: &[Group],
    choice: &[Option<FactorId>],
) -> Split {
    let mut split = Split::none(subject.rule);
    for (group, factor) in groups.iter().zip(choice) {
        if let Some(factor) = factor {
            split.factors[usize::from(factor.0)].atoms.extend_from_slice(&group.atoms);
        }
    }
    // Where a tensor has these atoms along this factor, its order and blocks are taken over: the largest tensor decides.
    let mut decided: SmallVec<[(usize, DimLayout); 6]> =
        SmallVec::from_elem((0, DimLayout::default()), split.factors.len());
    tensors(subject, question, |map, layout, ty| {
        let bytes = ty.bytes();
        for (dim, access) in map.iter().enumerate() {
            portions(mesh, subject.rule, access, &layout.dims[dim], |factor, atoms| {
                let id = usize::from(factor.0);
                let mine: AtomSet = split.factors[id].atoms.iter().copied().collect();
                if decided[id].0 >= bytes || mine != atoms.iter().copied().collect() {
                    return;
                }
                let size = subject.rule.factors[id].size;
                let mut layout_here = DimLayout::canonical(mesh, size, atoms.iter().copied().collect());
                // The block of the dimension, in indices of its first factor.
                let direct = access.access == Access::Direct;
                if direct && access.factors[0] == factor && atoms.len() == layout.dims[dim].atoms.len() {
                    let minor: i64 =
                        access.factors[1..].iter().map(|f| subject.rule.factor(*f).size).product();
                    let block = layout.dims[dim].block;
                    if minor > 0 && block % minor == 0 && block / minor <= size {
                        layout_here.block = layout.dims[dim].block / minor;
                    }
                }
                decided[id] = (bytes, layout_here);
            });
        }
    });
    for (id, (bytes, layout)) in decided.into_iter().enumerate() {
        let factor = &mut split.factors[id];
        if factor.atoms.is_empty() {
            continue;
        }
        *factor = match bytes {
            0 => DimLayout::canonical(mesh, subject.rule.factors[id].size, factor.atoms.clone()),
            _ => layout,
        };
        let multiple = windows::alignment(subject.rule, FactorId(id as u8));
        let aligned = (factor.block + multiple - 1) / multiple * multiple;
        // More than the whole is no block: the split is not sound then, and is not taken.
        if aligned <= subject.rule.factors[id].size {
            factor.block = aligned;
        }
    }
    split
}

/// Whether a factor can be split by running the op on shards.
pub(super) fn splittable(subject: &Subject<'_>, factor: FactorId) -> bool {
    let Subject { op, rule, flow, .. } = *subject;
    let has = |map: &DimMap| map.follows(factor);
    let direct = |tensor: &TensorMap| tensor.iter().all(|map| !has(map) || map.access == Access::Direct);
    let handed_out = op.def().adds_to.is_some() || rule.results.iter().all(direct);
    let reached = op.def().edge != Edge::Unknown && handed_out;
    if !reached && !rule.tensors().all(direct) {
        return false;
    }
    let possible = match rule.factor(factor).kind {
        Kind::Parallel => {
            let taken = flow == Flow::Broadcast || rule.operands.iter().flatten().any(has);
            taken && rule.results.iter().flatten().any(has)
        }
        Kind::Reduce(combine) => reducible(op, combine),
        Kind::Lookup => looked_up(subject, factor) || finds_itself(subject, factor),
        Kind::Scan => subject.ordered != Ordered::Unknown,
        Kind::Whole => false,
    };
    possible && subject.runs_on_shards()
}

/// Whether a factor is looked up in a way that shards can do.
fn looked_up(subject: &Subject<'_>, factor: FactorId) -> bool {
    let found = (subject.op.def().lookups)(subject.op);
    let map = |dim: usize| subject.rule.operands.first().and_then(|map| map.get(dim));
    let here = |dim: usize| map(dim).is_some_and(|m| m.factors[..] == [factor]);
    found.iter().any(|l| here(l.dim))
}

/// Whether a factor is the dimension itself, of which results are found as they are.
fn finds_itself(subject: &Subject<'_>, factor: FactorId) -> bool {
    let own = |map: &DimMap| matches!(map.access, Access::Affine(a) if a.window == Window::Factor(factor));
    subject.op.def().edge == Edge::Nothing && subject.rule.operands.iter().flatten().any(own)
}

/// Whether partial results can be combined: there is a neutral element, or the op's region can fold them once more.
fn reducible(op: OpRef<'_>, combine: Combine) -> bool {
    if combine == Combine::Region {
        return initial_values(op).is_some();
    }
    let known = |t: &crate::ir::Type| t.as_tensor().is_some_and(|t| identity(combine, t.elem).is_some());
    op.result_types().all(known)
}

/// Where the initial values of a reduction start among its operands.
pub(super) fn initial_values(op: OpRef<'_>) -> Option<usize> {
    let first = op.operands().len() / 2;
    let scalars = op.operand_types().skip(first).all(|t| t.as_tensor().is_some_and(|t| t.rank() == 0));
    let folds = op.regions().len() == 1 && op.results().len() == first && op.operands().len() == 2 * first;
    (folds && scalars).then_some(first)
}
