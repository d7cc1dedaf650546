//! From a choice that does not fit to one that does.

use crate::model::{Model, NEVER};
use crate::state::State;

/// Changes strategies, the cheapest per memory freed first, until the choice fits. Gives up where no single change
/// frees memory at the worst moment without being forbidden.
pub fn repair(model: &Model, state: &mut State, priced: &[f64]) -> bool {
    for _ in 0..4 * model.len() {
        let excess = state.excess();
        if excess <= 0 {
            return true;
        }
        let moment = state.worst_moment();
        let mut best: Option<(f64, usize, u32)> = None;
        for node in 0..model.len() {
            let own = state.choice[node];
            let held = |strategy: u32| -> i64 {
                model
                    .holds(node)
                    .iter()
                    .filter(|hold| hold.from <= moment && moment < hold.to)
                    .map(|hold| model.amounts[(hold.amounts + strategy) as usize])
                    .sum()
            };
            let now = held(own);
            if now == 0 {
                continue;
            }
            for strategy in 0..model.strategies(node).len() as u32 {
                let freed = (now - held(strategy)).min(excess);
                if freed <= 0 {
                    continue;
                }
                let first = model.first[node] as usize;
                let pricing = |s: u32| priced[first + s as usize] - model.unary[first + s as usize];
                let cost = state.cost_of_change(node, strategy);
                if cost >= NEVER {
                    continue;
                }
                let added = cost + pricing(strategy) - pricing(own);
                let rate = if added > 0.0 { added / freed as f64 } else { added * freed as f64 };
                if best.is_none_or(|(least, _, _)| rate < least) {
                    best = Some((rate, node, strategy));
                }
            }
        }
        let Some((_, node, strategy)) = best else { return false };
        let added = state.cost_of_change(node, strategy);
        state.change(node, strategy, added);
    }
    false
}

/// Changes single strategies as long as that makes a fitting choice cheaper and keeps it fitting.
pub fn polish(model: &Model, state: &mut State) {
    let mut improved = true;
    while improved {
        improved = false;
        for node in 0..model.len() {
            for strategy in 0..model.strategies(node).len() as u32 {
                let own = state.choice[node];
                let added = state.cost_of_change(node, strategy);
                if added < 0.0 {
                    state.change(node, strategy, added);
                    if state.excess() > 0 {
                        state.change(node, own, -added);
                    } else {
                        improved = true;
                    }
                }
            }
        }
    }
}
