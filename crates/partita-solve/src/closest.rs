//! For problems that nothing solves: the choice that comes closest to the limit.

use crate::dual::reprice;
use crate::forest::Forest;
use crate::model::{Model, NEVER};
use crate::problem::Problem;
use crate::random::Random;
use crate::reduce::{Graph, reduce};
use crate::repair::repair;
use crate::state::State;

/// Prices that are tried, each twice the last.
const PRICES: i32 = 40;

/// A choice without anything forbidden that holds as little as can be found; nothing where every choice is forbidden.
pub fn closest(problem: &Problem, seed: u64, go_on: impl Fn() -> bool) -> Option<Vec<u32>> {
    let mut graph = Graph::new(problem);
    reduce(&mut graph, false).ok()?;
    let model = Model::new(&graph);
    let mut random = Random::new(seed);
    let mut forest = Forest::new(&model);
    let everything: Vec<u32> = (0..model.len() as u32).collect();
    let mut choice = vec![0; model.len()];
    let mut priced = model.unary.clone();
    let mut best: Option<(i64, Vec<u32>)> = None;
    for exponent in 0..PRICES {
        reprice(&model, &vec![1e-3 * 2f64.powi(exponent); model.moments()], &mut priced);
        for _ in 0..5 {
            forest.pick(&model, &everything, 2.0 * random.unit() - 1.0, &mut random);
            forest.optimise(&model, &priced, &mut choice);
        }
        let mut state = State::new(&model, choice.clone());
        if state.cost < NEVER {
            repair(&model, &mut state, &priced);
            if best.as_ref().is_none_or(|(excess, _)| state.excess() < *excess) {
                best = Some((state.excess(), state.choice));
            }
        }
        if best.is_some() && !go_on() {
            break;
        }
    }
    best.map(|(_, choice)| model.expand(&choice))
}
