//! Finished programs beside the one that propagation gives.

use super::by_cost::{Completed, Decision};
use super::choices::{self, Choice};
use super::machine::Machine;
use super::measured::{Finished, Measured};
use super::subject::Subject;
use crate::Diagnostic;
use crate::inline::Inlined;
use crate::ir::Id;
use crate::partition::PathCache;
use crate::propagate::{Propagated, SlotId};
use rayon::prelude::*;

/// Programs that were partitioned by different choices.
pub(super) struct Comparison<'s, 'p> {
    program: &'p Inlined,
    subject: &'s Subject<'p>,
    machine: &'s Machine,
    paths: PathCache,
    /// Propagation's program is the first.
    compared: Vec<Compared>,
}

/// A program that was partitioned, and what it follows from.
struct Compared {
    shardings: Propagated,
    choices: Vec<Choice>,
    finished: Result<Finished, Diagnostic>,
}

impl Compared {
    fn figures(&self) -> Option<&Measured> {
        self.finished.as_ref().ok().map(|finished| &finished.figures)
    }
}

impl<'s, 'p> Comparison<'s, 'p> {
    /// Compares the programs of some choices with that of propagation.
    pub(super) fn new(
        program: &'p Inlined,
        subject: &'s Subject<'p>,
        machine: &'s Machine,
        propagated: Propagated,
        choices: Vec<Vec<Choice>>,
    ) -> Self {
        let paths = PathCache::new(subject.mesh.clone(), machine.prices);
        let mut comparison = Comparison { program, subject, machine, paths, compared: Vec::new() };
        let shardings = comparison.distinct(choices);
        comparison.finish([(propagated, Vec::new())].into_iter().chain(shardings).collect());
        comparison
    }

    /// Compares the programs of more choices.
    pub(super) fn add(&mut self, choices: Vec<Vec<Choice>>) {
        let shardings = self.distinct(choices);
        self.finish(shardings);
    }

    /// The shardings that follow from choices, where no program was partitioned by them yet.
    fn distinct(&self, choices: Vec<Vec<Choice>>) -> Vec<(Propagated, Vec<Choice>)> {
        let propagate = |choices: Vec<Choice>| {
            let shardings = choices::propagated(self.subject.graph.clone(), &self.subject.mesh, &choices);
            (shardings, choices)
        };
        let all: Vec<(Propagated, Vec<Choice>)> = choices.into_par_iter().map(propagate).collect();
        let mut new: Vec<(Propagated, Vec<Choice>)> = Vec::new();
        for (shardings, choices) in all {
            let known =
                self.compared.iter().map(|other| &other.shardings).chain(new.iter().map(|(other, _)| other));
            if !known.into_iter().any(|other| are_same(other, &shardings)) {
                new.push((shardings, choices));
            }
        }
        new
    }

    fn finish(&mut self, shardings: Vec<(Propagated, Vec<Choice>)>) {
        let finish = |(shardings, choices): (Propagated, Vec<Choice>)| {
            let finished = Finished::new(self.program, &shardings, self.machine, &self.paths);
            Compared { shardings, choices, finished }
        };
        let finished: Vec<Compared> = shardings.into_par_iter().map(finish).collect();
        self.compared.extend(finished);
    }

    fn incumbent(&self) -> Option<&Measured> {
        self.compared.first().and_then(Compared::figures)
    }

    /// The number of the best program that improves on propagation's.
    fn best(&self) -> Option<usize> {
        let (incumbent, machine) = (self.incumbent()?, self.machine);
        let improves = |n: &usize| {
            self.compared[*n].figures().is_some_and(|figures| figures.improves(incumbent, machine))
        };
        let rank = |n: &usize| {
            self.compared[*n].figures().map(|figures| (figures.missing(machine), figures.score(incumbent)))
        };
        (1..self.compared.len())
            .filter(improves)
            .min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal))
    }

    /// Returns whether no program improves on propagation's as it is, though some would if they held or computed less.
    pub(super) fn lacks_thrift(&self) -> bool {
        let Some(incumbent) = self.incumbent() else { return false };
        let pays = |figures: &Measured| figures.pays_too_much(incumbent, self.machine);
        match self.best() {
            Some(best) => {
                self.compared[best].figures().is_some_and(|figures| figures.missing(self.machine) > 0)
            }
            None => self.compared[1..].iter().filter_map(Compared::figures).any(pays),
        }
    }

    /// The best program, propagation's where none improves on it.
    pub(super) fn completed(mut self) -> Completed {
        let (best, compared) = (self.best(), self.compared.len());
        let Some((&propagated, chosen)) = self.incumbent().zip(best) else {
            // What cannot be partitioned as propagation has it is reported by the partitioner itself.
            let Compared { shardings, finished, .. } = self.compared.swap_remove(0);
            let partitioned = finished.ok().map(|finished| finished.partitioned);
            return Completed { partitioned, ..Completed::propagated(shardings) };
        };
        let Compared { shardings, choices, finished } = self.compared.swap_remove(chosen);
        let propagated_shardings = self.compared.swap_remove(0).shardings;
        let finished = finished.ok();
        let decision = finished.as_ref().map(|chosen| Decision {
            chosen: chosen.figures,
            propagated,
            propagated_shardings,
            compared,
        });
        let partitioned = finished.map(|finished| finished.partitioned);
        Completed { decision, partitioned, ..Completed::by_choices(shardings, choices) }
    }
}

/// Returns whether two shardings of a program split every tensor alike.
fn are_same(a: &Propagated, b: &Propagated) -> bool {
    (0..a.graph.slot_count())
        .map(SlotId::from_index)
        .all(|slot| a.graph.dimensions(slot).eq(b.graph.dimensions(slot)))
}
