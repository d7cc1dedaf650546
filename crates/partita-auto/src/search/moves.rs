//! The decisions that can be taken next.

use partita::complete::{Assignment, Store};
use partita::complete::{ClassId, Space};

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

/// The batch is split along an axis beside experts if that splits this part of the work of all products.
const BESIDE: f64 = 0.05;

/// Whether a class that meets others which an axis splits may be split along it too: experts, or what else there are many of, take the
/// axis where they are, and the batch has it elsewhere.
fn beside(space: &Space, class: ClassId, there: &[ClassId]) -> bool {
    there.iter().all(|other| space.class(*other).stacked)
        && !stays(space, class)
        && space.product_share(class, there) > BESIDE
}

/// Whether a class is in something that stays from step to step.
fn stays(space: &Space, class: ClassId) -> bool {
    space.class(class).arguments.iter().any(|(n, _)| space.roles[*n].stays())
}

/// Decisions that a plan leaves open: classes that meet none of those an axis splits already, or may be beside them, and state over axes
/// that gradients are summed over.
pub(super) fn open(space: &Space, decisions: &[ClassId], sizes: &[i64], plan: &Assignment) -> Vec<Move> {
    let mut moves = Vec::new();
    for (axis, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 1) {
        let axis = axis as u8;
        let there: Vec<ClassId> = plan.split.iter().filter(|(_, a)| *a == axis).map(|(c, _)| *c).collect();
        let on_axis = || there.iter().copied();
        let store = plan.store[usize::from(axis)];
        for &class in decisions {
            let meets = on_axis().any(|other| space.conflict(other, class));
            let clash = there.contains(&class) || meets && !beside(space, class, &there);
            let parts: i64 = partita::complete::parts(sizes, plan.axes(class));
            let stored = store == Store::Whole || sums_gradients(space, on_axis().chain([class]));
            if !clash && stored && space.class(class).size >= parts * size {
                moves.push(Move::Split(class, axis));
            }
        }
        let next = match store {
            _ if !space.roles.iter().any(|role| role.stays()) || !sums_gradients(space, on_axis()) => None,
            Store::Whole => Some(Store::State),
            Store::State => Some(Store::Parameters),
            Store::Parameters => None,
        };
        moves.extend(next.map(|store| Move::Store(axis, store)));
    }
    moves
}

/// Whether gradients are sums over an axis that splits some classes: one of them is in nothing that stays, or there is none, and every
/// device does the same. Elsewhere parameters that the axis does not split are split for nothing, and what is computed with them is
/// split along with them.
fn sums_gradients(space: &Space, mut classes: impl Iterator<Item = ClassId>) -> bool {
    let mut none = true;
    let sums = classes.any(|class| {
        none = false;
        !stays(space, class)
    });
    sums || none
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
