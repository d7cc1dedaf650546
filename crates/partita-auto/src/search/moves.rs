//! The decisions that can be taken next.

use crate::assignment::{Assignment, Store};
use crate::space::{ClassId, Space};

/// One decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Move {
    /// A class is split over an axis.
    Split(ClassId, u8),
    /// State is split over an axis.
    Store(u8, Store),
}

impl Move {
    /// The plan with this decision too.
    pub fn apply(self, to: &Assignment, space: &Space) -> Assignment {
        let mut plan = to.clone();
        match self {
            Move::Split(class, axis) => plan.split.push((class, axis)),
            Move::Store(axis, store) => plan.store[usize::from(axis)] = store,
        }
        plan.canonical(space)
    }
}

/// Decisions that a plan leaves open: classes that meet none of those an axis splits already, and state.
pub(super) fn open(space: &Space, decisions: &[ClassId], sizes: &[i64], plan: &Assignment) -> Vec<Move> {
    let mut moves = Vec::new();
    for (axis, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 1) {
        let axis = axis as u8;
        for &class in decisions {
            let on_axis = plan.split.iter().filter(|(_, a)| *a == axis);
            let clash =
                on_axis.into_iter().any(|(other, _)| *other == class || space.conflict(*other, class));
            let parts: i64 = crate::cut::parts(sizes, plan.axes(class));
            if !clash && space.class(class).size >= parts * size {
                moves.push(Move::Split(class, axis));
            }
        }
        let next = match plan.store[usize::from(axis)] {
            Store::Whole => Some(Store::State),
            Store::State => Some(Store::Parameters),
            Store::Parameters => None,
        };
        moves.extend(next.map(|store| Move::Store(axis, store)));
    }
    moves
}

/// A plan is preferred to one with a decision less only where that gains something: what it costs more by.
pub(super) fn simplicity(space: &Space, plan: &Assignment) -> f64 {
    const GAIN: f64 = 0.01;
    let stored = plan.store.iter().map(|s| *s as u32).sum::<u32>();
    let meeting = plan.split.iter().enumerate().filter(|(n, (class, axis))| {
        plan.split[..*n].iter().any(|(other, a)| a == axis && space.conflict(*other, *class))
    });
    1.0 + GAIN * (f64::from(stored) + meeting.count() as f64)
}
