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

/// What one factor looks like in one tensor.
#[derive(Clone, Debug, Default)]
struct Part {
    present: bool,
    atoms: AtomList,
    /// No atoms can be added.
    closed: bool,
    /// The last factor of its dimension, which may be split unevenly.
    minor: bool,
}

/// One tensor of a node, projected to factors.
struct Projection {
    /// By factor.
    parts: SmallVec<[Part; 8]>,
    /// Atoms of a dimension that no factor could take.
    overflow: AtomSet,
    barred: AtomSet,
}

/// Runs one node; calls `changed` for each slot that got atoms.
pub(super) fn step(
    mesh: &Mesh,
    slots: &mut Slots,
    (node, rule, tensors): (NodeId, &FlowRule, &[Option<SlotId>]),
    direction: impl Fn(usize) -> Direction,
    now: &mut u32,
    mut changed: impl FnMut(SlotId),
) {
    let used = tensors.iter().flatten().fold(AtomSet::EMPTY, |set, s| set.union(slots[*s].used));
    if used.is_empty() {
        return;
    }
    let projections: SmallVec<[Option<Projection>; 4]> =
        tensors.iter().enumerate().map(|(t, slot)| slot.map(|s| project(mesh, slots, rule, t, s))).collect();
    let agreed: SmallVec<[AtomList; 8]> = (0..rule.factors.len())
        .map(|f| {
            let direction = if rule.factors[f].blocked { Direction::None } else { direction(f) };
            agree(rule, &projections, f, direction)
        })
        .collect();
    if agreed.iter().all(|a| a.is_empty()) {
        return;
    }
    let order = preference(mesh, rule, &projections, &agreed);
    let results = rule.operand_count..tensors.len();
    for t in results.chain(0..rule.operand_count) {
        let (Some(slot), Some(_)) = (tensors[t], &projections[t]) else { continue };
        // What an operand of an elementwise op gets is at most what a result could take: a sharding that the
        // result refuses should not go sideways to the other operands.
        let limit = rule.flow == Flow::Elementwise && t < rule.operand_count;
        if let Some(dims) = expand(mesh, slots, rule, tensors, &projections, &agreed, &order, t, limit) {
            *now += 1;
            let step = *now;
            let mut any = false;
            for (d, atoms) in dims.iter().enumerate() {
                let old = slots[slot].dims[d].len();
                if atoms.len() <= old {
                    continue;
                }
                any = true;
                let factors = &rule.tensors[t].dims[d];
                let sources: SmallVec<[(u8, u8); 8]> =
                    atoms.iter().map(|a| source(&projections, factors, t, *a)).collect();
                slots[slot].extend(d, atoms, |i| {
                    let (factor, from) = sources[i];
                    Reason::Through { node, factor, from, step }
                });
            }
            if any {
                changed(slot);
            }
        }
    }
}

/// Which factor and which other tensor an atom comes from.
fn source(projections: &[Option<Projection>], factors: &[u8], t: usize, atom: Atom) -> (u8, u8) {
    for &f in factors {
        for (other, projection) in projections.iter().enumerate() {
            let Some(projection) = projection else { continue };
            if other != t && projection.parts[usize::from(f)].atoms.contains(&atom) {
                return (f, other as u8);
            }
        }
    }
    (factors.first().copied().unwrap_or(0), t as u8)
}

/// The atoms of each dimension handed out to its factors, major to minor. A factor that is not the last of its
/// dimension takes atoms as long as they divide it.
fn project(mesh: &Mesh, slots: &Slots, rule: &FlowRule, t: usize, slot: SlotId) -> Projection {
    let slot = &slots[slot];
    let mut projection = Projection {
        parts: SmallVec::from_elem(Part::default(), rule.factors.len()),
        overflow: AtomSet::EMPTY,
        barred: slot.barred,
    };
    for (d, factors) in rule.tensors[t].dims.iter().enumerate() {
        let mut rest: &[Atom] = &slot.dims[d];
        let mut overflow = false;
        for (position, &f) in factors.iter().enumerate() {
            let part = &mut projection.parts[usize::from(f)];
            part.present = true;
            part.minor = position + 1 == factors.len();
            if overflow {
                part.closed = true;
                continue;
            }
            part.closed = !slot.open[d];
            if part.minor {
                part.atoms.extend_from_slice(rest);
                continue;
            }
            let mut room = rule.factors[usize::from(f)].size;
            while let Some((&atom, tail)) = rest.split_first() {
                let size = mesh.atom_size(atom);
                if room % size != 0 {
                    break;
                }
                room /= size;
                part.atoms.push(atom);
                rest = tail;
            }
            if room > 1 && !rest.is_empty() {
                // The next atom does not divide what is left of the factor: nothing fits behind it.
                overflow = true;
                part.closed = true;
                projection.overflow = rest.iter().fold(projection.overflow, |mut set, a| {
                    set.insert(*a);
                    set
                });
            }
        }
    }
    projection
}

/// The atoms along a factor that all tensors agree on, or that some have and others could get.
fn agree(rule: &FlowRule, projections: &[Option<Projection>], f: usize, direction: Direction) -> AtomList {
    let mut agreed = AtomList::new();
    if direction == Direction::None {
        return agreed;
    }
    let mut can_grow = true;
    let mut merge = |range: std::ops::Range<usize>, can_grow: &mut bool| {
        for projection in projections[range].iter().flatten() {
            let part = &projection.parts[f];
            if !part.present {
                continue;
            }
            let common = agreed.iter().zip(&part.atoms).take_while(|(a, b)| a == b).count();
            if common < agreed.len() && common < part.atoms.len() {
                agreed.truncate(common);
                *can_grow = false;
            } else if common == agreed.len() && *can_grow {
                agreed.extend_from_slice(&part.atoms[common..]);
            }
        }
    };
    let (operands, results) = (0..rule.operand_count, rule.operand_count..projections.len());
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
fn preference(
    mesh: &Mesh,
    rule: &FlowRule,
    projections: &[Option<Projection>],
    agreed: &[AtomList],
) -> SmallVec<[usize; 8]> {
    let key = |f: usize| {
        let mut source = (-1i64, -1i64);
        for (t, projection) in projections.iter().enumerate() {
            let Some(projection) = projection else { continue };
            let part = &projection.parts[f];
            let is_source = part.present && !agreed[f].is_empty() && part.atoms.starts_with(&agreed[f]);
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
    let mut order: SmallVec<[usize; 8]> = (0..rule.factors.len()).collect();
    if order.len() > 1 {
        order.sort_by_cached_key(|f| key(*f));
    }
    order
}

/// The new atoms of each dimension of a tensor, where it gets any.
#[allow(clippy::too_many_arguments, reason = "one call, all of it the state of a step")]
fn expand(
    mesh: &Mesh,
    slots: &Slots,
    rule: &FlowRule,
    tensors: &[Option<SlotId>],
    projections: &[Option<Projection>],
    agreed: &[AtomList],
    order: &[usize],
    t: usize,
    limit: bool,
) -> Option<SmallVec<[AtomList; 4]>> {
    let projection = projections[t].as_ref()?;
    // Grown lists by factor; nothing where the factor keeps what it has.
    let mut grown: SmallVec<[Option<AtomList>; 8]> = SmallVec::from_elem(None, rule.factors.len());
    let mut any = false;
    for &f in order {
        let part = &projection.parts[f];
        if !part.present || agreed[f].len() <= part.atoms.len() || !agreed[f].starts_with(&part.atoms) {
            continue;
        }
        let mut list = part.atoms.clone();
        let mut size = mesh.size_of(list.iter().copied());
        for &atom in &agreed[f][part.atoms.len()..] {
            let fits = !part.closed
                && !projection.barred.contains(atom)
                && (part.minor || rule.factors[f].size % (size * mesh.atom_size(atom)) == 0);
            let taken = projection.overflow.contains(atom)
                || (0..rule.factors.len()).any(|g| {
                    g != f && grown[g].as_ref().unwrap_or(&projection.parts[g].atoms).contains(&atom)
                });
            if !fits || taken {
                break;
            }
            size *= mesh.atom_size(atom);
            list.push(atom);
        }
        if limit {
            let shown = result_limit(slots, rule, tensors, f, &list);
            list.truncate(shown.max(part.atoms.len()));
        }
        if list.len() > part.atoms.len() {
            grown[f] = Some(list);
            any = true;
        }
    }
    if !any {
        return None;
    }
    let slot = tensors[t]?;
    let mut dims: SmallVec<[AtomList; 4]> = SmallVec::new();
    for (d, factors) in rule.tensors[t].dims.iter().enumerate() {
        let mut atoms = AtomList::new();
        for (position, &f) in factors.iter().enumerate() {
            let f = usize::from(f);
            let list = grown[f].as_ref().unwrap_or(&projection.parts[f].atoms);
            atoms.extend_from_slice(list);
            // Behind a factor that is not split to the end nothing can be split.
            let full = mesh.size_of(list.iter().copied()) == rule.factors[f].size;
            if position + 1 < factors.len() && !full {
                break;
            }
        }
        // Overflowing atoms stay where they are.
        let old = &slots[slot].dims[d];
        if !atoms.starts_with(old) {
            atoms = old.clone();
        }
        dims.push(atoms);
    }
    Some(dims)
}

/// How many atoms of a list some result of the node has along a factor, where it has fewer.
fn result_limit(
    slots: &Slots,
    rule: &FlowRule,
    tensors: &[Option<SlotId>],
    f: usize,
    list: &[Atom],
) -> usize {
    let mut limit = list.len();
    for (t, tensor) in tensors.iter().enumerate().skip(rule.operand_count) {
        let Some(slot) = tensor else { continue };
        for (d, factors) in rule.tensors[t].dims.iter().enumerate() {
            if factors.len() == 1 && usize::from(factors[0]) == f {
                let atoms = &slots[*slot].dims[d];
                if atoms.len() < limit && list.starts_with(atoms) {
                    limit = atoms.len();
                }
            }
        }
    }
    limit
}
