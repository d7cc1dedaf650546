//! What tactics split, by structure.

use partita::complete::Assignment;
use partita::complete::Estimator;
use partita::complete::{ClassId, Role, Space};

/// A class by what it is in, the one with most work first.
fn most(space: &Space, test: impl Fn(ClassId) -> bool) -> Option<ClassId> {
    space.decisions().into_iter().find(|class| test(*class))
}

fn is_in(space: &Space, class: ClassId, role: impl Fn(Role) -> bool) -> bool {
    space.class(class).arguments.iter().any(|(n, _)| role(space.roles[*n]))
}

fn is_data(space: &Space, class: ClassId) -> bool {
    is_in(space, class, |r| r == Role::Data)
}

/// The batch: a dimension of the data and of nothing that stays, that meets itself in no tensor.
pub(super) fn batch(space: &Space) -> Option<ClassId> {
    let free = |class: ClassId| is_data(space, class) && !is_in(space, class, Role::stays);
    most(space, |c| free(c) && !space.conflict(c, c)).or_else(|| most(space, free))
}

/// The sequence: another dimension of the data.
pub(super) fn sequence(space: &Space) -> Option<ClassId> {
    let batch = batch(space);
    most(space, |c| is_data(space, c) && Some(c) != batch)
}

/// A dimension along which parameters are many of a kind, each used with its own part of the data: experts, or stages, which hand on
/// what they make to the next.
pub(super) fn stacked(space: &Space, handed_on: bool) -> Option<ClassId> {
    most(space, |c| space.class(c).stacked && space.class(c).windowed == handed_on)
}

/// A dimension of the data that windows move along and that nothing splits yet.
pub(super) fn windowed(space: &Space, plan: &Assignment) -> Option<ClassId> {
    most(space, |c| space.class(c).windowed && !space.class(c).stacked && plan.axes(c) == 0)
}

/// Dimensions of parameters and not of data that do not meet: of all such sets that cannot be made larger, the one that costs least.
pub(super) fn products(
    space: &Space,
    estimator: &mut Estimator<'_>,
    plan: &Assignment,
    axis: usize,
) -> Vec<ClassId> {
    let able = |c: &ClassId| {
        let taken = plan.split.iter().any(|(other, a)| usize::from(*a) == axis && space.conflict(*other, *c));
        is_in(space, *c, |r| r == Role::Parameter)
            && !is_data(space, *c)
            && !taken
            && space.class(*c).size >= estimator.sizes()[axis]
    };
    let classes: Vec<ClassId> = space.decisions().into_iter().filter(able).collect();
    let mut sets = Vec::new();
    independent(space, &classes, 0, &mut Vec::new(), &mut sets);
    let mut cost = |set: &Vec<ClassId>| {
        let mut plan = plan.clone();
        plan.split.extend(set.iter().map(|c| (*c, axis as u8)));
        let estimate = estimator.estimate(&plan);
        estimate.compute + estimate.communication
    };
    let priced = sets.into_iter().map(|set| (cost(&set), set));
    priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, set)| set).unwrap_or_default()
}

/// So many sets are looked at.
const SETS: usize = 1000;

/// All sets of classes that do not meet and cannot be made larger.
fn independent(
    space: &Space,
    classes: &[ClassId],
    next: usize,
    chosen: &mut Vec<ClassId>,
    sets: &mut Vec<Vec<ClassId>>,
) {
    if sets.len() >= SETS {
        return;
    }
    let Some(&class) = classes.get(next) else {
        let meets = |c: &ClassId| chosen.iter().any(|other| other == c || space.conflict(*other, *c));
        if !chosen.is_empty() && classes.iter().all(meets) {
            sets.push(chosen.clone());
        }
        return;
    };
    if !chosen.iter().any(|other| space.conflict(*other, class)) {
        chosen.push(class);
        independent(space, classes, next + 1, chosen, sets);
        chosen.pop();
    }
    independent(space, classes, next + 1, chosen, sets);
}
