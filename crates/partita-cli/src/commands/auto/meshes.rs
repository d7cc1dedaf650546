//! The search for a plan on several meshes, as the command and the Python package call it.

use super::find::{Outcome, Question, graph_of, one_mesh};
use crate::error::Failure;
use partita::sharding::apply::Options;
use partita::sharding::spec::MeshSpec;
use partita_auto::{Event, Limits, Stop, preferred};
use std::time::{Duration, Instant};

/// Where there are several meshes, so many plans are judged in full on each at first, fewer of large programs, in this part of the time and of the
/// estimates.
const SHORT: usize = 6;
const SHORT_OF_LARGE: usize = 2;
const SHORT_SHARE: f64 = 0.3;

/// So many of the meshes are then looked at at length.
const PROMISING: usize = 3;

/// Where the search had no time for the strategy graph of the mesh that is taken, it gets this part of the time that was given, at most so much. With less than a second it is not begun.
const GRAPH_SHARE: f64 = 0.25;
const MOST_FOR_GRAPH: Duration = Duration::from_secs(5);

/// A program with more operations than this is large: to judge a plan takes a second.
const LARGE: usize = 20_000;

/// The meshes of one, two and three axes that so many devices make.
pub(super) fn of(devices: i64) -> Vec<Option<MeshSpec>> {
    let mesh = |sizes: &[i64]| {
        let axis = |(name, size): (&str, &i64)| (name.to_string(), *size);
        Some(MeshSpec { axes: ["data", "model", "extra"].into_iter().zip(sizes).map(axis).collect() })
    };
    let divides = |number: i64| move |n: &i64| number % n == 0;
    let mut list = vec![mesh(&[devices])];
    for model in (2..devices).filter(divides(devices)) {
        list.push(mesh(&[devices / model, model]));
        // What splits what is found for three axes in any order, so the largest is first.
        let largest = devices / model;
        for extra in (2..=model).filter(divides(largest)).filter(|extra| largest / extra >= model) {
            list.push(mesh(&[largest / extra, model, extra]));
        }
    }
    list
}

/// The best plan on the best of some meshes; that of the program where none is named.
pub fn find(
    question: &Question<'_>,
    meshes: &[Option<MeshSpec>],
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<Outcome, Failure> {
    search(question, meshes, watch)?.best(question)
}

/// The best plans on some meshes. Where there are several, a short search on each says on which of them to search at length.
pub(super) fn search(
    question: &Question<'_>,
    meshes: &[Option<MeshSpec>],
    watch: &mut dyn FnMut(Event<'_>) -> bool,
) -> Result<Outcomes, Failure> {
    let (start, longest) = (Instant::now(), Duration::ZERO);
    let mut search = Search { question, start, outcomes: Vec::new(), failure: None, longest };
    let mut promising = meshes.to_vec();
    if meshes.len() > 1 {
        let large = question.program.module.ops.len() > LARGE;
        search.on(meshes, Some(if large { SHORT_OF_LARGE } else { SHORT }), watch);
        let best = search.outcomes.iter().take(PROMISING);
        promising = best.map(|outcome| Some(outcome.mesh.clone())).collect();
    }
    search.on(&promising, None, watch);
    let (outcomes, time) = (search.outcomes, start.elapsed());
    match (outcomes.is_empty(), search.failure) {
        (true, failure) => Err(failure.unwrap_or_else(|| Failure::new("auto", "there is no mesh to try"))),
        (false, _) => Ok(Outcomes { outcomes, time }),
    }
}

/// What was found on several meshes.
pub(super) struct Outcomes {
    /// What was found on each, at least on one, the best first.
    pub(super) outcomes: Vec<Outcome>,
    /// How long that took.
    time: Duration,
}

impl Outcomes {
    /// The one to take, as among the plans of one mesh.
    pub(super) fn best(self, question: &Question<'_>) -> Result<Outcome, Failure> {
        let costs = self.outcomes.iter().map(|o| (o.rank(), o.found.plans[0].cost.executions));
        let preferred = preferred(costs, question.limits.margin).unwrap_or(0);
        self.take(preferred, question)
    }

    /// One of the outcomes, unless it does not fit.
    pub(super) fn take(mut self, number: usize, question: &Question<'_>) -> Result<Outcome, Failure> {
        let mut taken = self.outcomes.swap_remove(number);
        taken.refuse_what_does_not_fit(question.program)?;
        let start = Instant::now();
        let time = question.limits.time.mul_f64(GRAPH_SHARE).min(MOST_FOR_GRAPH);
        let missing = taken.found.graph.is_none_or(|graph| graph.cost.is_none())
            && taken.found.stop != Stop::Interrupted;
        if missing && time >= Duration::from_secs(1) {
            taken.found.graph = graph_of(question, &taken, time)?;
        }
        taken.found.time = self.time + start.elapsed();
        Ok(taken)
    }
}

struct Search<'a> {
    question: &'a Question<'a>,
    start: Instant,
    /// What was found, the best first.
    outcomes: Vec<Outcome>,
    failure: Option<Failure>,
    /// How long a short search took at most: with less time than that none is begun.
    longest: Duration,
}

impl Search<'_> {
    /// Searches on some meshes, with at most so many plans judged in full on each where it is to be short.
    fn on(
        &mut self,
        meshes: &[Option<MeshSpec>],
        short: Option<usize>,
        watch: &mut dyn FnMut(Event<'_>) -> bool,
    ) {
        let whole = &self.question.limits;
        let share = if short.is_some() { SHORT_SHARE } else { 1.0 };
        for (n, mesh) in meshes.iter().enumerate() {
            let left = whole.time.saturating_sub(self.start.elapsed());
            let interrupted = self.outcomes.iter().any(|outcome| outcome.found.stop == Stop::Interrupted);
            if !self.outcomes.is_empty() && (interrupted || left < self.longest) {
                break;
            }
            let limits = Limits {
                time: left.mul_f64(share) / (meshes.len() - n) as u32,
                estimates: (whole.estimates as f64 * share) as usize,
                judgements: short.or(whole.judgements),
                ..whole.clone()
            };
            let options = Options { mesh: mesh.clone(), ..self.question.options.clone() };
            let begin = Instant::now();
            match one_mesh(self.question, &options, &limits, watch) {
                Ok(outcome) => self.outcomes.push(outcome),
                // What is said of the program may not suit this mesh, and suit another.
                Err(error) => self.failure = Some(error),
            }
            if short.is_some() {
                self.longest = self.longest.max(begin.elapsed());
            }
        }
        self.outcomes.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn devices_make_meshes_of_up_to_three_axes() {
        let sizes = |devices| -> Vec<Vec<i64>> {
            let sizes = |mesh: super::MeshSpec| mesh.axes.iter().map(|axis| axis.1).collect();
            super::of(devices).into_iter().flatten().map(sizes).collect()
        };
        assert_eq!(sizes(1), [[1]]);
        assert_eq!(sizes(7), [[7]]);
        assert_eq!(sizes(8), [vec![8], vec![4, 2], vec![2, 2, 2], vec![2, 4]]);
    }
}
