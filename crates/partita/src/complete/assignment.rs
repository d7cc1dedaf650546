//! A plan as a search sees it: which classes are split over which axes, and what of the state is split further.

use crate::complete::cut::{Axes, Cut, parts};
use crate::complete::space::{ClassId, Role, Space, TensorKind};

/// What of the state of a program is split over an axis that splits none of its own dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Store {
    /// Nothing.
    #[default]
    Whole,
    /// The state of the optimizer, and with it the update.
    State,
    /// The parameters too: they are gathered where they are used.
    Parameters,
}

/// Decisions that were taken.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Assignment {
    /// Classes with the axis that splits them. Where two of them meet in a tensor, the first has the axis.
    pub split: Vec<(ClassId, u8)>,
    /// For each axis what of the state it splits.
    pub store: Vec<Store>,
}

impl Assignment {
    /// Nothing is split, over so many axes.
    pub fn new(axes: usize) -> Assignment {
        Assignment { split: Vec::new(), store: vec![Store::Whole; axes] }
    }

    /// The same decisions always look the same: those that do not meet are sorted.
    pub fn canonical(mut self, space: &Space) -> Assignment {
        let meets = |a: &(ClassId, u8), b: &(ClassId, u8)| a.1 == b.1 && space.conflict(a.0, b.0);
        // Insertion from the left: an entry moves over those it does not meet.
        for n in 1..self.split.len() {
            let mut at = n;
            while at > 0
                && (self.split[at].1, self.split[at].0) < (self.split[at - 1].1, self.split[at - 1].0)
                && !meets(&self.split[at], &self.split[at - 1])
            {
                self.split.swap(at, at - 1);
                at -= 1;
            }
        }
        self
    }

    /// Whether decisions were added to another plan to make this one.
    pub fn extends(&self, other: &Assignment, space: &Space) -> bool {
        let has = |entry: &(ClassId, u8)| self.split.contains(entry);
        let stored = self.store.iter().zip(&other.store).all(|(own, other)| own >= other);
        if !stored || !other.split.iter().all(has) {
            return false;
        }
        // What is added comes after what it meets.
        let added = self.split.iter().filter(|entry| !other.split.contains(entry));
        let split = other.split.iter().chain(added).copied().collect();
        Assignment { split, store: self.store.clone() }.canonical(space).split == self.split
    }

    /// The axes that split a class.
    pub fn axes(&self, class: ClassId) -> Axes {
        self.split.iter().filter(|(c, _)| *c == class).fold(0, |set, (_, axis)| set | 1 << axis)
    }

    /// Whether anything is split over an axis.
    pub fn uses(&self, axis: usize) -> bool {
        self.split.iter().any(|(_, a)| usize::from(*a) == axis) || self.store[axis] != Store::Whole
    }

    /// How tensors of a kind are split.
    pub fn cut(&self, kind: &TensorKind, stored_like: Option<Role>, sizes: &[i64]) -> Cut {
        let mut cut = Cut::default();
        let mut used: Axes = 0;
        for &(class, axis) in &self.split {
            let bit = 1 << axis;
            // The first dimension of the class has the axis, where it fits there.
            let fits = |dim: &usize| {
                let mask = cut.of(*dim) | bit;
                kind.classes[*dim] == Some(class) && kind.shape[*dim] >= parts(sizes, mask)
            };
            if used & bit == 0
                && let Some(dim) = (0..kind.shape.len()).find(fits)
            {
                cut.add(dim, usize::from(axis));
                used |= bit;
            }
        }
        for (axis, store) in self.store.iter().enumerate() {
            let wanted = match stored_like {
                Some(Role::State) => *store >= Store::State,
                Some(Role::Parameter) => *store == Store::Parameters,
                _ => false,
            };
            if !wanted || used >> axis & 1 == 1 {
                continue;
            }
            if let Some(dim) = storage_dim(kind, cut, axis, sizes) {
                cut.add(dim, axis);
            }
        }
        cut
    }
}

/// The dimension along which state is split further: the longest part that divides evenly.
fn storage_dim(kind: &TensorKind, cut: Cut, axis: usize, sizes: &[i64]) -> Option<usize> {
    let left = |dim: usize| {
        let now = parts(sizes, cut.of(dim));
        let all = now * sizes[axis];
        (kind.shape[dim] % all == 0).then_some(kind.shape[dim] / now)
    };
    let dims = (0..kind.shape.len()).filter_map(|dim| Some((left(dim)?, std::cmp::Reverse(dim))));
    dims.max().map(|(_, dim)| dim.0)
}
