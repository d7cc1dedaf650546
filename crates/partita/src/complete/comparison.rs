//! Finished programs beside the one that propagation gives.

use super::by_cost::{Alternative, Completed, Decision};
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
use std::cmp::Ordering;

/// Programs that were partitioned by different choices.
pub(super) struct Comparison<'s, 'p> {
    partitioner: Partitioner<'s, 'p>,
    subject: &'s Subject<'p>,
    /// Propagation's program.
    incumbent: Compared,
    /// The programs of choices.
    others: Vec<Compared>,
}

/// Partitions a program by different shardings for one machine.
struct Partitioner<'s, 'p> {
    program: &'p Inlined,
    machine: &'s Machine,
    paths: PathCache,
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

    fn alternative(self) -> Option<Alternative> {
        Some(Alternative { figures: *self.figures()?, shardings: self.shardings })
    }
}

impl Partitioner<'_, '_> {
    fn compared(&self, shardings: Propagated, choices: Vec<Choice>) -> Compared {
        let finished = Finished::new(self.program, &shardings, self.machine, &self.paths);
        Compared { shardings, choices, finished }
    }

    fn all_compared(&self, shardings: Vec<(Propagated, Vec<Choice>)>) -> Vec<Compared> {
        shardings.into_par_iter().map(|(shardings, choices)| self.compared(shardings, choices)).collect()
    }
}

impl<'s, 'p> Comparison<'s, 'p> {
    /// Compares the programs of some choices with that of propagation.
    pub(super) fn new(
        subject: &'s Subject<'p>,
        machine: &'s Machine,
        propagated: Propagated,
        choices: Vec<Vec<Choice>>,
    ) -> Self {
        let paths = PathCache::new(subject.mesh.clone(), machine.prices);
        let partitioner = Partitioner { program: subject.whole, machine, paths };
        let shardings = distinct(subject, &[&propagated], choices);
        let (incumbent, others) = rayon::join(
            || partitioner.compared(propagated, Vec::new()),
            || partitioner.all_compared(shardings),
        );
        Comparison { partitioner, subject, incumbent, others }
    }

    /// Compares the programs of more choices.
    pub(super) fn add(&mut self, choices: Vec<Vec<Choice>>) {
        let known: Vec<&Propagated> =
            [&self.incumbent].into_iter().chain(&self.others).map(|other| &other.shardings).collect();
        let shardings = distinct(self.subject, &known, choices);
        self.others.extend(self.partitioner.all_compared(shardings));
    }

    /// The numbers of the programs that improve on propagation's, the best first.
    fn improving(&self) -> Vec<usize> {
        let Some(incumbent) = self.incumbent.figures() else { return Vec::new() };
        let machine = self.partitioner.machine;
        let rank = |(n, other): (usize, &Compared)| {
            let figures = other.figures().filter(|figures| figures.improves(incumbent, machine))?;
            Some((figures.missing(machine), figures.score(incumbent), n))
        };
        let mut ranks: Vec<_> = self.others.iter().enumerate().filter_map(rank).collect();
        ranks.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        ranks.into_iter().map(|(_, _, n)| n).collect()
    }

    /// The figures of the best program that improves on propagation's.
    fn improvement(&self) -> Option<&Measured> {
        self.others[*self.improving().first()?].figures()
    }

    /// The figures of the best program.
    pub(super) fn best(&self) -> Option<&Measured> {
        self.improvement().or(self.incumbent.figures())
    }

    /// Returns whether no program improves on propagation's as it is, though some would if they held or computed less.
    pub(super) fn lacks_thrift(&self) -> bool {
        let Some(incumbent) = self.incumbent.figures() else { return false };
        let machine = self.partitioner.machine;
        let mut figures = self.others.iter().filter_map(Compared::figures);
        match self.improvement() {
            Some(best) => best.missing(machine) > 0,
            None => figures.any(|figures| figures.pays_too_much(incumbent, machine)),
        }
    }

    /// The best program, propagation's where none improves on it.
    pub(super) fn completed(self) -> Completed {
        let improving = self.improving();
        let compared = 1 + self.others.len();
        let held = |n: &usize| self.others[*n].figures().map(|figures| (figures.ring_bytes, figures.memory));
        // Programs that send and hold the same are one to users.
        let best = improving.first();
        let second = improving.iter().find(|n| held(n) != best.and_then(held));
        let mut others: Vec<Option<Compared>> = self.others.into_iter().map(Some).collect();
        let mut take = |n: Option<&usize>| n.and_then(|n| others[*n].take());
        let (best, second) = (take(best), take(second));
        let Some(Compared { shardings, choices, finished }) = best else {
            // What cannot be partitioned as propagation has it is reported by the partitioner itself.
            let Compared { shardings, finished, .. } = self.incumbent;
            let partitioned = finished.ok().map(|finished| finished.partitioned);
            return Completed { partitioned, ..Completed::propagated(shardings) };
        };
        let finished = finished.ok();
        let decision =
            finished.as_ref().zip(self.incumbent.alternative()).map(|(chosen, propagated)| Decision {
                chosen: chosen.figures,
                propagated,
                second: second.and_then(Compared::alternative),
                compared,
            });
        let partitioned = finished.map(|finished| finished.partitioned);
        Completed { decision, partitioned, ..Completed::by_choices(shardings, choices) }
    }
}

/// The shardings that follow from choices and differ from those that are known and from each other.
fn distinct(
    subject: &Subject<'_>,
    known: &[&Propagated],
    choices: Vec<Vec<Choice>>,
) -> Vec<(Propagated, Vec<Choice>)> {
    let propagate = |choices: Vec<Choice>| {
        let shardings = choices::propagated(subject.graph.clone(), &subject.mesh, &choices);
        (shardings, choices)
    };
    let all: Vec<(Propagated, Vec<Choice>)> = choices.into_par_iter().map(propagate).collect();
    let mut new: Vec<(Propagated, Vec<Choice>)> = Vec::new();
    for (shardings, choices) in all {
        let mut known = known.iter().copied().chain(new.iter().map(|(other, _)| other));
        if !known.any(|other| are_same(other, &shardings)) {
            new.push((shardings, choices));
        }
    }
    new
}

/// Returns whether two shardings of a program split every tensor alike.
fn are_same(a: &Propagated, b: &Propagated) -> bool {
    (0..a.graph.slot_count())
        .map(SlotId::from_index)
        .all(|slot| a.graph.dimensions(slot).eq(b.graph.dimensions(slot)))
}
