//! Which groups are alike, by structure: colour refinement.
//!
//! The first colour of a group says in which places of which rules its dimensions stand and how often; each round adds the colours of the
//! groups it meets there. Names and the order of arguments play no part.

use super::views::{Place, ViewId, Views};
use super::{Dims, Groups, NONE};
use crate::complete::subject::Subject;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Groups of one layer meet all others of the layer in so many steps.
const ROUNDS: usize = 3;

/// The class of each group.
pub(super) struct Fold {
    pub(super) class: Vec<u16>,
    pub(super) count: usize,
}

/// Every group is its own class.
pub(super) fn apart(_: &Subject<'_>, _: &Dims, groups: &Groups, _: &Views) -> Fold {
    let count = groups.count.min(1 << 16);
    Fold { class: (0..groups.count).map(|n| n.min(count - 1) as u16).collect(), count }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Finds the classes of groups.
pub(super) fn fold(subject: &Subject<'_>, dims: &Dims, groups: &Groups, views: &Views) -> Fold {
    let occurrences = Occurrences::new(subject, dims, groups, views);
    let mut colours = vec![0u64; groups.count];
    for _ in 0..ROUNDS {
        let mut next = vec![0u64; groups.count];
        let mut met: SmallVec<[u64; 16]> = SmallVec::new();
        for (view, members) in occurrences.iter() {
            met.clear();
            met.extend(members.iter().map(|m| if *m == NONE { 0 } else { colours[*m as usize] | 1 }));
            let whole = hash((view, &met[..]));
            for (n, member) in members.iter().enumerate().filter(|(_, m)| **m != NONE) {
                // A sum does not depend on the order of the program.
                let sum = &mut next[*member as usize];
                *sum = sum.wrapping_add(hash((whole, n)));
            }
        }
        colours = colours.iter().zip(&next).map(hash).collect();
    }
    let mut known: FxHashMap<u64, u16> = FxHashMap::default();
    let class = colours
        .into_iter()
        .map(|colour| {
            let new = known.len().min(usize::from(u16::MAX)) as u16;
            *known.entry(colour).or_insert(new)
        })
        .collect();
    Fold { class, count: known.len().min(1 << 16) }
}

/// For each node its view and the groups of all places of it.
struct Occurrences {
    /// Views, with where their groups end.
    views: Vec<(ViewId, u32)>,
    groups: Vec<u32>,
}

impl Occurrences {
    fn new(subject: &Subject<'_>, dims: &Dims, groups: &Groups, views: &Views) -> Occurrences {
        let graph = &subject.graph;
        let mut all = Occurrences { views: Vec::with_capacity(graph.node_ids().len()), groups: Vec::new() };
        for id in graph.node_ids() {
            let tensors = graph.tensors_of(id);
            let group = |place: &Place| match tensors[usize::from(place.tensor)] {
                Some(slot) => groups.of[dims.id(slot, usize::from(place.dim))],
                None => NONE,
            };
            all.groups.extend(views.of(id).factors.iter().flat_map(|f| &f.places).map(group));
            all.views.push((views.id(id), all.groups.len() as u32));
        }
        all
    }

    fn iter(&self) -> impl Iterator<Item = (ViewId, &[u32])> {
        let mut start = 0;
        self.views.iter().map(move |(view, end)| {
            let members = &self.groups[start..*end as usize];
            start = *end as usize;
            (*view, members)
        })
    }
}
