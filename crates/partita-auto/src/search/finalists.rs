//! The best plans, completed by cost: search decides arguments and results, completion what lies between them.

use crate::truth::{Judge, Judged};
use rayon::prelude::*;
use std::time::Instant;

/// So many plans are completed, best first, besides what is fixed.
const FINALISTS: usize = 3;

/// Adds what completion by cost makes of what is fixed and of the best plans, as long as there is time. A plan that cannot be completed is left out.
pub(super) fn complete(
    judge: &Judge<'_, '_>,
    fixed: Judged,
    plans: &mut Vec<Judged>,
    deadline: Option<Instant>,
) {
    let limit = judge.machine().memory;
    let mut ranked: Vec<&Judged> = plans.iter().collect();
    ranked.sort_by(|a, b| a.cost.rank(limit).total_cmp(&b.cost.rank(limit)));
    let mut finalists = vec![&fixed];
    for plan in ranked {
        let is_known = |other: &&Judged| other.arguments == plan.arguments && other.results == plan.results;
        if finalists.len() <= FINALISTS && !finalists.iter().any(is_known) {
            finalists.push(plan);
        }
    }
    let complete = |plan: &Judged| {
        let is_late = deadline.is_some_and(|deadline| Instant::now() > deadline);
        if is_late { None } else { judge.completion(plan).ok()? }
    };
    let completed: Vec<Judged> = finalists.into_par_iter().filter_map(complete).collect();
    // Of plans that cost the same, those come first that say nothing of values on the way.
    plans.splice(..0, completed);
}
