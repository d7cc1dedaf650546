//! The search for prices at which the bound is highest, and for choices that fit on the way.

use crate::dual::Dual;
use crate::forest::Forest;
use crate::model::{Model, NEVER};
use crate::random::Random;
use crate::repair::{polish, repair};
use crate::state::State;

/// Passes without a better bound before steps become smaller.
const PATIENCE: u32 = 12;
/// Steps smaller than this share of the first lead nowhere.
const SMALLEST_STEP: f64 = 1e-4;
/// So many passes are between two choices that are repaired.
const PASSES_PER_CHOICE: u32 = 5;

/// What the search for prices found.
pub struct Priced {
    /// The prices with the highest bound.
    pub prices: Vec<f64>,
    /// That bound, in exact arithmetic.
    pub bound: i128,
    /// What the memory of each strategy costs at these prices.
    pub memory_costs: Vec<f64>,
    /// The cheapest choice that fits.
    pub choice: Option<(f64, Vec<u32>)>,
    /// Strategies that no choice cheaper than the cheapest known has.
    pub needless: Vec<bool>,
}

/// Moves prices up where too much is held and down where memory is left, pass after pass.
///
/// `known` is the cost of the cheapest choice known so far. A bound within `gap` of it, as a share, is good enough. `go_on` is asked before each
/// pass with its number and whether a choice that fits is known.
pub fn find_prices(
    model: &Model,
    prices: Vec<f64>,
    known: Option<f64>,
    gap: f64,
    random: &mut Random,
    go_on: impl Fn(u32, bool) -> bool,
) -> Priced {
    let mut dual = Dual::new(model);
    dual.prices = prices;
    let mut forest = Forest::new(model);
    let everything: Vec<u32> = (0..model.len() as u32).collect();
    let mut choice = vec![0; model.len()];
    let mut cheapest: Option<(f64, Vec<u32>)> = None;
    let mut best_bound = f64::NEG_INFINITY;
    let mut best_prices = dual.prices.clone();
    let mut step_share = 1.0;
    let mut waited = 0;
    for pass in 0.. {
        let fits = cheapest.is_some() || known.is_some();
        if !go_on(pass, fits) {
            break;
        }
        dual.reprice();
        let bound = dual.pass();
        if bound > best_bound {
            best_bound = bound;
            best_prices.clone_from(&dual.prices);
            waited = 0;
        } else {
            waited += 1;
        }
        dual.decode(&mut choice);
        forest.pick(model, &everything, 2.0 * random.unit() - 1.0, random);
        forest.optimise(model, &dual.priced, &mut choice);
        if pass % PASSES_PER_CHOICE == 0
            && let Some(found) = fit(model, &choice, &dual.priced)
            && cheapest.as_ref().is_none_or(|(cost, _)| found.0 < *cost)
        {
            cheapest = Some(found);
        }
        let least = least_cost(&cheapest, known);
        if best_bound * (1.0 + gap) > least - 1.0 {
            break;
        }
        if waited > PATIENCE && !fits {
            // What does not fit at these prices will at higher ones.
            waited = 0;
            for price in &mut dual.prices {
                *price *= 1.5;
            }
        } else if waited > PATIENCE {
            waited = 0;
            step_share *= 0.7;
            dual.prices.clone_from(&best_prices);
            if step_share < SMALLEST_STEP {
                break;
            }
            continue;
        }
        // Where nothing fits yet, the cost to reach is a guess.
        let target = if least < NEVER { least } else { best_bound + 0.1 * best_bound.abs() };
        adjust(model, &mut dual.prices, &choice, step_share * (target - bound));
    }
    dual.prices = best_prices;
    dual.reprice();
    let mut bound = dual.pass();
    for _ in 0..3 {
        bound = dual.pass();
    }
    let least = least_cost(&cheapest, known);
    let certified = dual.certified_bound();
    if least < NEVER {
        dual.mark_needless(bound, least);
    }
    let memory_costs = dual.priced.iter().zip(&model.unary).map(|(priced, cost)| priced - cost).collect();
    Priced { prices: dual.prices, bound: certified, memory_costs, choice: cheapest, needless: dual.needless }
}

/// What the cheapest choice costs, of those found here and before.
fn least_cost(found: &Option<(f64, Vec<u32>)>, known: Option<f64>) -> f64 {
    found.iter().map(|(cost, _)| *cost).chain(known).fold(f64::INFINITY, f64::min)
}

/// Makes a choice fit, and cheaper where that is easy.
fn fit(model: &Model, choice: &[u32], priced: &[f64]) -> Option<(f64, Vec<u32>)> {
    let mut state = State::new(model, choice.to_vec());
    if state.cost >= NEVER || !repair(model, &mut state, priced) {
        return None;
    }
    polish(model, &mut state);
    Some((state.cost, state.choice))
}

/// A step along the excess of a choice that should raise the bound by `gain`.
fn adjust(model: &Model, prices: &mut [f64], choice: &[u32], gain: f64) {
    let held = model.held(choice);
    let excess = |moment: usize, price: f64| {
        let excess = (held[moment] - model.free[moment]) as f64;
        if excess > 0.0 || price > 0.0 { excess } else { 0.0 }
    };
    let norm: f64 = prices.iter().enumerate().map(|(moment, &price)| excess(moment, price).powi(2)).sum();
    if norm > 0.0 && gain > 0.0 {
        for (moment, price) in prices.iter_mut().enumerate() {
            *price = (*price + gain / norm * excess(moment, *price)).max(0.0);
        }
    }
}
