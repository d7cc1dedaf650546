//! One step: what one node can tell the tensors around it.
//!
//! Dimensions are projected to the factors of the rule. For each factor the longest list of atoms that the tensors
//! agree on is found; each tensor then takes of it what it can: atoms that are free there, along a dimension that is
//! open. Where two factors want one atom, the factor whose atoms come from the larger tensor goes first.

use super::NodeId;
use super::rule::FlowRule;
use super::state::{Reason, SlotId, Slots};
use crate::ops::Flow;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;

/// In which direction shardings may travel along a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Not at all.
    None,
    /// From operands to results.
    Forward,
    /// From results to operands.
    Backward,
    /// Either way.
    Both,
}

impl Direction {
    pub(super) fn union(self, other: Direction) -> Direction {
        match (self, other) {
            (Direction::None, d) | (d, Direction::None) => d,
            (a, b) if a == b => a,
            _ => Direction::Both,
        }
    }
}

/// What one factor looks like in one tensor: a run of the atoms of one dimension. Lists only ever grow at their
/// end, so a run stays where it is while the step goes on.
#[derive(Clone, Copy, Default)]
struct Part {
    present: bool,
    /// No atoms can be added.
    closed: bool,
    /// The last factor of its dimension, which may be split unevenly.
    minor: bool,
    dim: u8,
    start: u8,
    len: u8,
}

/// The node a step is about.
pub(super) struct StepNode<'a> {
    pub(super) id: NodeId,
    pub(super) rule: &'a FlowRule,
    pub(super) tensors: &'a [Option<SlotId>],
}

/// What a step works with; kept from step to step to save the allocations.
#[derive(Default)]
pub(super) struct Scratch {
    /// By tensor and factor.
    parts: Vec<Part>,
    /// By tensor: atoms of a dimension that no factor could take.
    overflow: Vec<AtomSet>,
    /// By factor: the atoms that the tensors agree on.
    agreed: Vec<AtomList>,
    /// The factors with such atoms, in the order in which they take them.
    order: Vec<usize>,
    /// By factor: the grown list of the tensor at hand.
    grown: Vec<Option<AtomList>>,
    /// The slots that got atoms.
    pub(super) changed: Vec<SlotId>,
}

/// Runs one node; the slots that got atoms are left in `scratch.changed`.
pub(super) fn step(
    mesh: &Mesh,
    slots: &mut Slots,
    node: &StepNode<'_>,
    direction: impl Fn(usize) -> Direction,
    now: &mut u32,
    scratch: &mut Scratch,
) {
    scratch.changed.clear();
    let (rule, tensors) = (node.rule, node.tensors);
    if tensors.iter().flatten().all(|s| slots[*s].used.is_empty()) || settled(slots, rule, tensors) {
        return;
    }
    let count = rule.factors.len();
    scratch.parts.clear();
    scratch.parts.resize(tensors.len() * count, Part::default());
    scratch.overflow.clear();
    scratch.overflow.resize(tensors.len(), AtomSet::EMPTY);
    for (t, slot) in tensors.iter().enumerate() {
        if let Some(slot) = slot {
            let parts = &mut scratch.parts[t * count..(t + 1) * count];
            scratch.overflow[t] = project(mesh, slots, rule, t, *slot, parts);
        }
    }
    scratch.agreed.clear();
    for (f, factor) in rule.factors.iter().enumerate() {
        let direction = if factor.blocked { Direction::None } else { direction(f) };
        scratch.agreed.push(agree(slots, node, &scratch.parts, f, direction));
    }
    preference(mesh, slots, node, scratch);
    if scratch.order.is_empty() {
        return;
    }
    let results = rule.operand_count..tensors.len();
    for t in results.chain(0..rule.operand_count) {
        let Some(slot) = tensors[t] else { continue };
        // What an operand of an elementwise op gets is at most what a result could take: a sharding that the
        // result refuses should not go sideways to the other operands.
        let limit = rule.flow == Flow::Elementwise && t < rule.operand_count;
        if let Some(dims) = expand(mesh, slots, node, scratch, t, limit) {
            *now += 1;
            let mut any = false;
            for (d, atoms) in dims.iter().enumerate() {
                if atoms.len() <= slots[slot].dim(d).len() {
                    continue;
                }
                any = true;
                let known = slots[slot].dim(d).len();
                let mut sources: SmallVec<[(u8, u16); 16]> = SmallVec::new();
                for &atom in &atoms[known..] {
                    let last = sources.last().copied();
                    sources.push(source(slots, node, &scratch.parts, (t, d), atom, last));
                }
                let mut sources = sources.into_iter();
                slots[slot].extend(d, atoms, |_| {
                    let (factor, from) = sources.next().unwrap_or_default();
                    Reason::Through { node: node.id, factor, from, step: *now }
                });
            }
            if any {
                scratch.changed.push(slot);
            }
        }
    }
}

/// Whether the tensors agree already: by far the most runs of a node end here.
fn settled(slots: &Slots, rule: &FlowRule, tensors: &[Option<SlotId>]) -> bool {
    let Some(links) = &rule.links else { return false };
    let atoms = |(t, d): (u16, u8)| -> &[Atom] {
        tensors[usize::from(t)].map_or(&[], |s| slots[s].dim(usize::from(d)))
    };
    links.iter().all(|link| atoms(link.first) == atoms(link.second))
}

/// The atoms of a part.
fn atoms_of<'a>(slots: &'a Slots, tensors: &[Option<SlotId>], t: usize, part: Part) -> &'a [Atom] {
    match tensors[t] {
        Some(slot) if part.len > 0 => &slots[slot].dim(usize::from(part.dim))
            [usize::from(part.start)..usize::from(part.start) + usize::from(part.len)],
        _ => &[],
    }
}

/// Which factor and which other tensor an atom comes from; where the atom before it came from is tried first.
fn source(
    slots: &Slots,
    node: &StepNode<'_>,
    parts: &[Part],
    (t, d): (usize, usize),
    atom: Atom,
    last: Option<(u8, u16)>,
) -> (u8, u16) {
    let count = node.rule.factors.len();
    let has = |f: u8, other: usize| {
        let part = parts[other * count + usize::from(f)];
        atoms_of(slots, node.tensors, other, part).contains(&atom)
    };
    // Atoms mostly come together.
    if let Some((f, other)) = last
        && usize::from(other) != t
        && has(f, usize::from(other))
    {
        return (f, other);
    }
    let factors = &node.rule.tensors[t].dims[d];
    for &f in factors {
        for other in 0..node.tensors.len() {
            if other != t && has(f, other) {
                return (f, other as u16);
            }
        }
    }
    (factors.first().copied().unwrap_or(0), t as u16)
}

/// The atoms of each dimension handed out to its factors, major to minor. A factor that is not the last of its
/// dimension takes atoms as long as they divide it. Gives the atoms that no factor could take.
fn project(
    mesh: &Mesh,
    slots: &Slots,
    rule: &FlowRule,
    t: usize,
    slot: SlotId,
    parts: &mut [Part],
) -> AtomSet {
    let slot = &slots[slot];
    let mut overflow = AtomSet::EMPTY;
    for (d, factors) in rule.tensors[t].dims.iter().enumerate() {
        let all = slot.dim(d);
        let mut start = rule.tensors[t].skip.get(d).map_or(0, |n| usize::from(*n)).min(all.len());
        let mut full = false;
        for (position, &f) in factors.iter().enumerate() {
            let part = &mut parts[usize::from(f)];
            *part = Part {
                present: true,
                closed: full || !slot.is_open(d),
                minor: position + 1 == factors.len(),
                dim: d as u8,
                start: start as u8,
                len: 0,
            };
            if full {
                continue;
            }
            if part.minor {
                part.len = (all.len() - start) as u8;
                continue;
            }
            let mut room = rule.factors[usize::from(f)].size;
            while let Some(&atom) = all.get(start) {
                let size = mesh.atom_size(atom);
                if room % size != 0 {
                    break;
                }
                room /= size;
                part.len += 1;
                start += 1;
            }
            if room > 1 && start < all.len() {
                // The next atom does not divide what is left of the factor: nothing fits behind it.
                full = true;
                part.closed = true;
                all[start..].iter().for_each(|a| overflow.insert(*a));
            }
        }
    }
    overflow
}

/// The atoms along a factor that all tensors agree on, or that some have and others could get.
fn agree(slots: &Slots, node: &StepNode<'_>, parts: &[Part], f: usize, direction: Direction) -> AtomList {
    let mut agreed = AtomList::new();
    if direction == Direction::None {
        return agreed;
    }
    let count = node.rule.factors.len();
    let mut can_grow = true;
    let mut merge = |range: std::ops::Range<usize>, can_grow: &mut bool| {
        for t in range {
            let part = parts[t * count + f];
            if !part.present {
                continue;
            }
            let atoms = atoms_of(slots, node.tensors, t, part);
            let common = agreed.iter().zip(atoms).take_while(|(a, b)| a == b).count();
            if common < agreed.len() && common < atoms.len() {
                agreed.truncate(common);
                *can_grow = false;
            } else if common == agreed.len() && *can_grow {
                agreed.extend_from_slice(&atoms[common..]);
            }
        }
    };
    let (operands, results) = (0..node.rule.operand_count, node.rule.operand_count..node.tensors.len());
    let (first, second) =
        if direction == Direction::Backward { (results, operands) } else { (operands, results) };
    merge(first, &mut can_grow);
    if direction != Direction::Both {
        // The other side only has a say where it disagrees.
        can_grow = false;
    }
    merge(second, &mut can_grow);
    agreed
}

/// The factors in the order in which they take atoms: those whose atoms come from the largest tensor first, for
/// elementwise ops then the most split, then by tensor and factor.
fn preference(mesh: &Mesh, slots: &Slots, node: &StepNode<'_>, scratch: &mut Scratch) {
    let Scratch { order, agreed, parts, .. } = scratch;
    order.clear();
    order.extend((0..agreed.len()).filter(|f| !agreed[*f].is_empty()));
    if order.len() < 2 {
        return;
    }
    let rule = node.rule;
    let key = |f: usize| {
        let mut source = (-1i64, -1i64);
        for t in 0..node.tensors.len() {
            let part = parts[t * agreed.len() + f];
            let is_source = part.present && atoms_of(slots, node.tensors, t, part).starts_with(&agreed[f]);
            if is_source && rule.tensors[t].size > source.0 {
                source = (rule.tensors[t].size, t as i64);
            }
        }
        let split = match rule.flow {
            Flow::Elementwise => mesh.size_of(agreed[f].iter().copied()),
            _ => 0,
        };
        (-source.0, -split, source.1, f)
    };
    order.sort_by_key(|f| key(*f));
}

/// The new atoms of each dimension of a tensor, where it gets any.
fn expand(
    mesh: &Mesh,
    slots: &Slots,
    node: &StepNode<'_>,
    scratch: &mut Scratch,
    t: usize,
    limit: bool,
) -> Option<SmallVec<[AtomList; 4]>> {
    let Scratch { parts, overflow, agreed, order, grown, .. } = scratch;
    let (rule, tensors) = (node.rule, node.tensors);
    let slot = &slots[tensors[t]?];
    let parts = &parts[t * agreed.len()..(t + 1) * agreed.len()];
    let wants = |f: usize| {
        let own = atoms_of(slots, tensors, t, parts[f]);
        parts[f].present && !parts[f].closed && agreed[f].len() > own.len() && agreed[f].starts_with(own)
    };
    if !order.iter().any(|f| wants(*f)) {
        return None;
    }
    // Grown lists by factor; nothing where the factor keeps what it has.
    grown.clear();
    grown.resize(agreed.len(), None);
    // Atoms that the tensor cannot take again.
    let mut taken = slot.used.union(overflow[t]).union(slot.barred);
    let mut any = false;
    for &f in order.iter().filter(|f| wants(**f)) {
        let part = parts[f];
        let own = atoms_of(slots, tensors, t, part);
        let mut list: AtomList = own.iter().copied().collect();
        let mut size = mesh.size_of(own.iter().copied());
        for &atom in &agreed[f][own.len()..] {
            let fits = part.minor || rule.factors[f].size % (size * mesh.atom_size(atom)) == 0;
            if !fits || taken.contains(atom) {
                break;
            }
            size *= mesh.atom_size(atom);
            list.push(atom);
        }
        if limit {
            let shown = result_limit(slots, node, f, &list);
            list.truncate(shown.max(own.len()));
        }
        if list.len() > own.len() {
            list[own.len()..].iter().for_each(|a| taken.insert(*a));
            grown[f] = Some(list);
            any = true;
        }
    }
    if !any {
        return None;
    }
    let mut dims: SmallVec<[AtomList; 4]> = SmallVec::new();
    for (d, factors) in rule.tensors[t].dims.iter().enumerate() {
        let old = slot.dim(d);
        let skip = rule.tensors[t].skip.get(d).map_or(0, |n| usize::from(*n)).min(old.len());
        let mut atoms: AtomList = old[..skip].iter().copied().collect();
        for (position, &f) in factors.iter().enumerate() {
            let f = usize::from(f);
            let list: &[Atom] = match &grown[f] {
                Some(list) => list,
                None => atoms_of(slots, tensors, t, parts[f]),
            };
            atoms.extend_from_slice(list);
            // Behind a factor that is not split to the end nothing can be split.
            let full = mesh.size_of(list.iter().copied()) == rule.factors[f].size;
            if position + 1 < factors.len() && !full {
                break;
            }
        }
        // Overflowing atoms stay where they are.
        if !atoms.starts_with(old) {
            atoms = old.into();
        }
        dims.push(atoms);
    }
    Some(dims)
}

/// How many atoms of a list some result of the node has along a factor, where it has fewer.
fn result_limit(slots: &Slots, node: &StepNode<'_>, f: usize, list: &[Atom]) -> usize {
    let mut limit = list.len();
    for (t, tensor) in node.tensors.iter().enumerate().skip(node.rule.operand_count) {
        let Some(slot) = tensor else { continue };
        for (d, factors) in node.rule.tensors[t].dims.iter().enumerate() {
            if factors.len() == 1 && usize::from(factors[0]) == f {
                let atoms = slots[*slot].dim(d);
                if atoms.len() < limit && list.starts_with(atoms) {
                    limit = atoms.len();
                }
            }
        }
    }
    limit
}
