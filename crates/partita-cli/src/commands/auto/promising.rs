//! Which of the plans that were found are worth timing.

use super::find::Outcome;
use partita_auto::Cost;

/// Plans that take so many times as long as the best one by simulation are not timed.
const FAR: f64 = 1.6;

/// Plans whose times, bytes and collectives differ by less than this part are alike.
const ALIKE: f64 = 0.05;

/// The plans that fit and are not much slower than the best, by outcome and number, in the order in which they are worth timing: the best of each mesh before others, and in turn
/// the best that is left and the best that is unlike all before it. Plans that are alike by simulation may be so on devices, and what a plan of another kind takes there is less sure.
pub fn promising(outcomes: &[Outcome]) -> impl Iterator<Item = (usize, usize)> {
    let mut plans = Vec::new();
    for (number, outcome) in outcomes.iter().enumerate() {
        let again = outcomes[..number].iter().any(|before| before.mesh == outcome.mesh);
        for (plan, judged) in outcome.found.plans.iter().enumerate() {
            if judged.cost.memory <= outcome.limit {
                plans.push((again || plan > 0, judged.cost, (number, plan)));
            }
        }
    }
    let best = plans.iter().map(|plan| plan.1.seconds).fold(f64::INFINITY, f64::min);
    plans.retain(|plan| plan.1.seconds <= FAR * best);
    plans.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.seconds.total_cmp(&b.1.seconds)));
    varied(plans.into_iter().map(|(_, cost, plan)| (cost, plan)).collect())
}

/// Plans with what they cost in another order: in turn the first that is left, and the first that is unlike all before it.
fn varied<T>(mut left: Vec<(Cost, T)>) -> impl Iterator<Item = T> {
    let mut taken: Vec<Cost> = Vec::new();
    std::iter::from_fn(move || {
        let unlike = |(cost, _): &(Cost, T)| taken.iter().all(|other| !alike(cost, other));
        let next = if taken.len() % 2 == 1 { left.iter().position(unlike).unwrap_or(0) } else { 0 };
        let (cost, plan) = (next < left.len()).then(|| left.remove(next))?;
        taken.push(cost);
        Some(plan)
    })
}

fn alike(a: &Cost, b: &Cost) -> bool {
    let of = |cost: &Cost| [cost.seconds, cost.ring_bytes as f64, cost.executions as f64];
    of(a).into_iter().zip(of(b)).all(|(a, b)| (a - b).abs() <= ALIKE * a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_plan_is_unlike_those_before_it() {
        let plan = |seconds: f64, executions: u64| Cost { seconds, executions, ..Cost::default() };
        let plans =
            [plan(1.0, 5), plan(1.001, 5), plan(1.002, 5), plan(1.003, 5), plan(1.3, 5), plan(1.4, 2)];
        let numbered = plans.into_iter().zip(0..).collect();
        assert_eq!(varied::<usize>(numbered).collect::<Vec<_>>(), [0, 4, 1, 5, 2, 3]);
    }
}
