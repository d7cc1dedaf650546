//! A solution of the problem as a choice of a model that was reduced further.

use crate::forest::Forest;
use crate::model::{Model, NEVER};
use crate::random::Random;
use crate::repair::{polish, repair};
use crate::state::State;

/// Forests that are tried to find strategies for nodes whose own has gone.
const FORESTS: usize = 50;

/// A choice that fits and is close to a solution of the problem: the same where the strategies are still there.
pub fn project(model: &Model, solution: &[u32], random: &mut Random) -> Option<Vec<u32>> {
    let mut choice = Vec::with_capacity(model.len());
    let mut lost = Vec::new();
    for node in 0..model.len() {
        let alike = |strategy: usize| {
            let members = model.members(node).iter();
            members.filter(|(member, own)| own[strategy] == solution[*member as usize]).count()
        };
        let best = (0..model.strategies(node).len())
            .max_by_key(|&strategy| (alike(strategy), std::cmp::Reverse(strategy)));
        let best = best.unwrap_or(0);
        if alike(best) < model.members(node).len() {
            lost.push(node as u32);
        }
        choice.push(best as u32);
    }
    let mut forest = Forest::new(model);
    for _ in 0..FORESTS {
        if lost.is_empty() {
            break;
        }
        forest.pick(model, &lost, 2.0 * random.unit() - 1.0, random);
        forest.optimise(model, &model.unary, &mut choice);
    }
    let mut state = State::new(model, choice);
    if state.cost >= NEVER || !repair(model, &mut state, &model.unary) {
        return None;
    }
    polish(model, &mut state);
    Some(state.choice)
}
