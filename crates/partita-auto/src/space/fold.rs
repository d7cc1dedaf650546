//! Which groups are alike, by structure: colour refinement.
//!
//! The first colour of a group says in which places of which rules its dimensions stand and how often; each round adds the colours of the
//! groups it meets there. Names and the order of arguments play no part.

use super::views::{ViewKey, Views};
use super::{Dims, Groups, NONE};
use crate::subject::Subject;
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

/// A way to find the classes of groups.
pub(super) type Folding = fn(&Subject<'_>, &Dims, &Groups, &mut Views) -> Fold;

/// Every group is its own class.
pub(super) fn apart(_: &Subject<'_>, _: &Dims, groups: &Groups, _: &mut Views) -> Fold {
    let count = groups.count.min(1 << 16);
    Fold { class: (0..groups.count).map(|n| n.min(count - 1) as u16).collect(), count }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Finds the classes of groups.
pub(super) fn fold(subject: &Subject<'_>, dims: &Dims, groups: &Groups, views: &mut Views) -> Fold {
    let occurrences = occurrences(subject, dims, groups, views);
    let mut colours = vec![0u64; groups.count];
    for _ in 0..ROUNDS {
        let mut next = vec![0u64; groups.count];
        let mut met: SmallVec<[u64; 16]> = SmallVec::new();
        for (key, members) in &occurrences {
            met.clear();
            met.extend(members.iter().map(|m| if *m == NONE { 0 } else { colours[*m as usize] | 1 }));
            let whole = hash((key, &met[..]));
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
fn occurrences(
    subject: &Subject<'_>,
    dims: &Dims,
    groups: &Groups,
    views: &mut Views,
) -> Vec<(ViewKey, SmallVec<[u32; 8]>)> {
    let graph = &subject.graph;
    let one = |id| {
        let (key, view) = views.of(subject, id);
        let tensors = graph.tensors_of(id);
        let group = |place: &super::views::Place| match tensors[usize::from(place.tensor)] {
            Some(slot) => groups.of[dims.id(slot, usize::from(place.dim))],
            None => NONE,
        };
        (key, view.factors.iter().flat_map(|f| f.places.iter().map(group)).collect())
    };
    graph.node_ids().map(one).collect()
}
