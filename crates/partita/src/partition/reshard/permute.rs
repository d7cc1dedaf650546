//! Layouts that differ only in which device holds which shard.

use super::super::layout::Layout;
use super::super::pattern::Pattern;
use super::moves::Goal;
use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;

/// The atoms of every dimension.
pub(super) type Arrangement = SmallVec<[AtomList; 4]>;

/// How many arrangements of one layout are tried at most.
const MAX_ARRANGEMENTS: usize = 32;

/// How many partly filled arrangements are looked at for them.
const MAX_VISITED: usize = 256;

/// Other arrangements of atoms that split every dimension into as many parts, and that agree with the target in more
/// major atoms of some dimension. Those that follow the target longest come first.
pub(super) fn arrangements(goal: &Goal<'_>, now: &Layout) -> Vec<Arrangement> {
    let mut fixed = now.partial_atoms();
    let mut start = Arrangement::new();
    let mut parts: SmallVec<[i64; 4]> = SmallVec::new();
    for (dim, to) in now.dims.iter().zip(&goal.to.dims) {
        let (kept, rest) = dim.atoms.split_at(shared_prefix(&dim.atoms, &to.atoms));
        fixed = fixed.union(kept.iter().copied().collect());
        start.push(kept.iter().copied().collect());
        parts.push(goal.mesh.size_of(rest.iter().copied()));
    }
    let pool = now.used().union(goal.to.used()).minus(fixed);
    let heads = pool.iter().filter(|a| goal.units.starts(*a)).collect();
    let mut enumeration = Enumeration { goal, now, fixed: start.clone(), visited: 0, found: Vec::new() };
    enumeration.fill(&mut start, 0, &mut parts, heads);
    enumeration.found
}

struct Enumeration<'a> {
    goal: &'a Goal<'a>,
    now: &'a Layout,
    /// The atoms that stay where they are.
    fixed: Arrangement,
    visited: usize,
    found: Vec<Arrangement>,
}

impl Enumeration<'_> {
    /// Fills the dimensions from `dim` on, each with atoms that make up its parts; `heads` are the first ones of runs.
    fn fill(&mut self, partly: &mut Arrangement, dim: usize, parts: &mut SmallVec<[i64; 4]>, heads: AtomSet) {
        self.visited += 1;
        if self.found.len() >= MAX_ARRANGEMENTS || self.visited > MAX_VISITED {
            return;
        }
        let goal = self.goal;
        if dim == parts.len() {
            let longer = |d: usize| shared_prefix(&partly[d], &goal.to.dims[d].atoms) > self.fixed[d].len();
            if (0..dim).any(longer) {
                self.found.push(partly.clone());
            }
            return;
        }
        if parts[dim] == 1 {
            return self.fill(partly, dim + 1, parts, heads);
        }
        let place = partly[dim].len();
        let wished = |layout: &Layout| layout.dims[dim].atoms.get(place).copied();
        let first = [wished(goal.to), wished(self.now)].into_iter().flatten();
        let mut left = heads;
        for head in first.chain(heads.iter()) {
            let run = goal.units.run(head);
            let size = goal.mesh.size_of(run.iter().copied());
            if !left.contains(head) || parts[dim] % size != 0 {
                continue;
            }
            left.remove(head);
            let mut others = heads;
            others.remove(head);
            partly[dim].extend_from_slice(run);
            parts[dim] /= size;
            self.fill(partly, dim, parts, others);
            parts[dim] *= size;
            partly[dim].truncate(place);
        }
    }
}

/// How many atoms two lists begin with in common.
pub(super) fn shared_prefix(a: &[Atom], b: &[Atom]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Who sends to whom so that shards are arranged anew.
///
/// Atoms that split no dimension before it say nothing about what a device has, so any bijection will do for them: chains of
/// atoms that take each other's places are closed to circles, which leaves most devices alone.
pub(super) fn reorder(mesh: &Mesh, now: &Layout, next: &Arrangement) -> Pattern {
    let mut pairs: Vec<(AtomList, AtomList)> = Vec::new();
    for (dim, to) in now.dims.iter().zip(next) {
        chunks(mesh, &dim.atoms, to, &mut pairs);
    }
    let used_after: AtomSet = next.iter().flatten().copied().collect();
    let used_before = now.used();
    let mut new = used_after.minus(used_before);
    for freed in used_before.minus(used_after).iter() {
        // What takes the place of this atom, what takes the place of that, and so on, to an atom that was free.
        let mut end = freed;
        let mut steps = 0;
        while used_before.contains(end) && steps <= pairs.len() {
            let follower = pairs.iter().find(|(from, to)| from[..] == [end] && to.len() == 1);
            let Some((_, to)) = follower else { break };
            end = to[0];
            steps += 1;
        }
        let fits = |a: Atom| mesh.atom_size(a) == mesh.atom_size(freed);
        let partner = if new.contains(end) && fits(end) { Some(end) } else { new.iter().find(|a| fits(*a)) };
        if let Some(partner) = partner {
            new.remove(partner);
            let single = |a: Atom| AtomList::from_iter([a]);
            pairs.push((single(partner), single(freed)));
        }
    }
    Pattern::Reorder(pairs)
}

/// Cuts two lists of atoms of equal size into the shortest pieces that pair up, without those that stay as they are.
fn chunks(mesh: &Mesh, from: &[Atom], to: &[Atom], pairs: &mut Vec<(AtomList, AtomList)>) {
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        let (first, second) = (i, j);
        let (mut left, mut right) = (mesh.atom_size(from[i]), mesh.atom_size(to[j]));
        i += 1;
        j += 1;
        while left != right {
            if left < right && i < from.len() {
                left *= mesh.atom_size(from[i]);
                i += 1;
            } else if j < to.len() {
                right *= mesh.atom_size(to[j]);
                j += 1;
            } else {
                break;
            }
        }
        let (from, to) = (&from[first..i], &to[second..j]);
        if from != to {
            pairs.push((from.iter().copied().collect(), to.iter().copied().collect()));
        }
    }
}
