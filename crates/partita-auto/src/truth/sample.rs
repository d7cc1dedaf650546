//! What a plan comes to, tried on a whole program or on a few of its layers.

use super::Cost;
use super::case::{Astray, Case, Outcome, sort};
use partita::Diagnostic;
use partita::complete::Cut;
use partita::complete::KindId;
use partita::complete::Layers;
use partita::ir::ValueId;
use partita::propagate::Propagated;
use partita::sharding::Sharding;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Propagation may leave this part of all bytes split less than the plan says before values are constrained.
const ASTRAY: f64 = 0.05;

/// Kinds of values with less than this part of all bytes are left where propagation puts them.
const SMALL: f64 = 0.002;

/// Constraints stay in a plan where they bring its cost down to this part.
const WORTH_SAYING: f64 = 0.99;

/// The programs that a plan is tried on to know what comes of it: the program itself, or one with few of its layers and one with one more.
pub(super) struct Sample<'a, 'p> {
    cases: SmallVec<[Case<'a, 'p>; 2]>,
    layers: Option<&'a Layers>,
}

/// Values that a plan says something of besides arguments and results.
type Constraints = Vec<(ValueId, Sharding)>;

/// A plan that was tried.
struct Trial {
    /// What comes of the whole program.
    whole: Outcome,
    /// What it holds with the layers that it was tried with.
    memory: SmallVec<[u64; 2]>,
    /// What it says, for each program that it was tried on.
    constraints: Vec<Constraints>,
}

impl<'a, 'p> Sample<'a, 'p> {
    /// All of a program.
    pub(super) fn whole(case: Case<'a, 'p>) -> Self {
        Sample { cases: SmallVec::from_iter([case]), layers: None }
    }

    /// A few of its layers, and one more.
    pub(super) fn few(layers: &'a Layers, short: Case<'a, 'p>, longer: Case<'a, 'p>) -> Self {
        Sample { cases: SmallVec::from_iter([short, longer]), layers: Some(layers) }
    }

    /// The longest of the programs.
    pub(super) fn longest(&self) -> &Case<'a, 'p> {
        &self.cases[self.cases.len() - 1]
    }

    /// Whether it is a few layers.
    pub(super) fn is_of_layers(&self) -> bool {
        self.layers.is_some()
    }

    /// Tries a plan on devices with the memory of the machine: what comes of it, and the values on the way of which it has to say something.
    pub(super) fn judge(&self, cuts: &[Cut], by_tensor: bool) -> Result<(Outcome, Constraints), Diagnostic> {
        let limit = self.cases[0].machine.memory;
        let mut trial = self.attempt(cuts, by_tensor, &SmallVec::from_elem(limit, self.cases.len()))?;
        if self.layers.is_some() && trial.whole.cost.memory > limit {
            // As much of each is computed again as of the whole.
            let part = limit as f64 / trial.whole.cost.memory as f64;
            let limits = trial.memory.iter().map(|memory| (*memory as f64 * part) as u64).collect();
            trial = self.attempt(cuts, by_tensor, &limits)?;
        }
        let constraints = trial.constraints.pop().unwrap_or_default();
        Ok((trial.whole, self.of_whole(constraints)))
    }

    /// Tries a plan on devices with so much memory for each program.
    fn attempt(
        &self,
        cuts: &[Cut],
        by_tensor: bool,
        limits: &SmallVec<[u64; 2]>,
    ) -> Result<Trial, Diagnostic> {
        let limit = self.cases[0].machine.memory;
        let silent = vec![Constraints::new(); self.cases.len()];
        let (found, plain) = self.measured(cuts, &silent, limits)?;
        let astray = self.cases.iter().zip(&found).map(|(case, found)| case.astray(found, cuts, by_tensor));
        let astray: Vec<Astray> = astray.collect();
        let kinds = self.worth_constraining(&astray, by_tensor);
        let constraints = self.cases.iter().zip(astray);
        let constraints: Vec<Constraints> =
            constraints.map(|(case, astray)| case.constraints(astray, &kinds, cuts)).collect();
        if constraints.iter().all(Vec::is_empty) {
            return Ok(Trial { constraints, ..plain });
        }
        let (_, said) = self.measured(cuts, &constraints, limits)?;
        let worth_it = said.whole.cost.rank(limit) < WORTH_SAYING * plain.whole.cost.rank(limit);
        Ok(if worth_it { Trial { constraints, ..said } } else { plain })
    }

    /// What comes of a plan with these constraints.
    fn measured(
        &self,
        cuts: &[Cut],
        constraints: &[Constraints],
        limits: &[u64],
    ) -> Result<(Vec<Propagated>, Trial), Diagnostic> {
        let one = |n: usize| {
            let found = self.cases[n].completed(cuts, &constraints[n]);
            let outcome = self.cases[n].measure(&found, limits[n])?;
            Ok((found, outcome))
        };
        let done: Result<Vec<_>, Diagnostic> = (0..self.cases.len()).into_par_iter().map(one).collect();
        let (found, outcomes): (Vec<Propagated>, Vec<Outcome>) = done?.into_iter().unzip();
        let memory = outcomes.iter().map(|outcome| outcome.cost.memory).collect();
        Ok((found, Trial { whole: self.sum(outcomes), memory, constraints: Vec::new() }))
    }

    /// What there is of something in the whole program, from how much there is of it in each.
    fn all(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.layers.map_or_else(|| of(0), |layers| layers.all(of(0), of(1)))
    }

    /// What comes of the whole program.
    fn sum(&self, mut outcomes: Vec<Outcome>) -> Outcome {
        let last = outcomes.pop().unwrap_or_default();
        let Some(short) = outcomes.pop() else { return last };
        let costs = [&short.cost, &last.cost];
        let time = |field: fn(&Cost) -> f64| self.all(|n| field(costs[n]));
        let count = |field: fn(&Cost) -> u64| self.all(|n| field(costs[n]) as f64).round() as u64;
        let cost = Cost {
            seconds: time(|cost| cost.seconds),
            compute: time(|cost| cost.compute),
            communication: time(|cost| cost.communication),
            memory: count(|cost| cost.memory),
            ring_bytes: count(|cost| cost.ring_bytes),
            collectives: count(|cost| cost.collectives),
            executions: count(|cost| cost.executions),
        };
        let of_short: FxHashMap<&str, u64> =
            short.lines.iter().map(|(line, bytes)| (&**line, *bytes)).collect();
        let whole_line = |(line, bytes): (String, u64)| {
            let few = of_short.get(&*line).copied().unwrap_or(0);
            let all = self.all(|n| if n == 0 { few as f64 } else { bytes as f64 }).round() as u64;
            (line, all)
        };
        let mut lines: Vec<(String, u64)> = last.lines.into_iter().map(whole_line).collect();
        sort(&mut lines);
        Outcome { cost, lines }
    }

    /// The kinds of values that a plan should say something of. A plan of decisions: the one with the most bytes astray in the whole program, where these are many. One that says of every
    /// tensor by itself how it lies: all that are not small.
    fn worth_constraining(&self, astray: &[Astray], by_tensor: bool) -> Vec<KindId> {
        let kinds: FxHashSet<KindId> =
            astray.iter().flat_map(|astray| astray.kinds.keys().copied()).collect();
        let bytes = |kind: KindId, n: usize| astray[n].kinds.get(&kind).map_or(0.0, |(bytes, _)| *bytes);
        let mut kinds: Vec<(f64, KindId)> =
            kinds.into_iter().map(|kind| (self.all(|n| bytes(kind, n)), kind)).collect();
        kinds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let total = self.all(|n| astray[n].total);
        match by_tensor {
            true => kinds.retain(|(bytes, _)| *bytes >= SMALL * total),
            false => {
                let all: f64 = kinds.iter().map(|(bytes, _)| bytes).sum();
                kinds.truncate(usize::from(all >= ASTRAY * total));
            }
        }
        kinds.into_iter().map(|(_, kind)| kind).collect()
    }

    /// What constraints of the longest of the programs are for the whole.
    fn of_whole(&self, constraints: Constraints) -> Constraints {
        let Some(layers) = self.layers.filter(|_| !constraints.is_empty()) else { return constraints };
        let said: FxHashMap<ValueId, Sharding> = constraints.into_iter().collect();
        let constraint =
            |(value, standing): (ValueId, &Option<ValueId>)| Some((value, said.get(&(*standing)?)?.clone()));
        layers.longer.standing.enumerate().filter_map(constraint).collect()
    }
}
