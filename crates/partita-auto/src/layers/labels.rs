//! Which layer of a program each of its operations and arguments belongs to.
//!
//! A program goes through its layers several times: forth, back, and once more where parameters are brought up to date, in an order of its own. Each time is a run of
//! operations that repeat. The layers of the first run are numbered; what a later run reads of them, and of the arguments they read, says which period of it belongs to which layer.

use super::runs::{Run, runs};
use crate::subject::Subject;
use partita::ir::{IdVec, Module, OpId, RegionId, ValueDef, ValueId};
use partita::sharding::Sharding;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// What is alike in all layers: an operation of a period of a run, or what it reads as so-many-th operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    Op(u32, u32),
    Argument(u32, u32, u32),
}

/// A place and the number of the layer.
pub(super) type Label = (Place, u32);

/// The operations and arguments of a program that belong to layers.
pub(super) struct Labels {
    pub(super) ops: IdVec<OpId, Option<Label>>,
    pub(super) arguments: Vec<Option<Label>>,
    /// The layers that are whole: each place has one operation or argument of each.
    pub(super) whole: Vec<u32>,
}

/// A run has at least this part of the periods of the longest to go through all layers.
const MOST: f64 = 0.8;

/// Runs of fewer periods than this are left as they are.
const FEWEST: usize = 6;

impl Labels {
    /// The labels of the operations of a function; nothing where no layers are seen.
    pub(super) fn find(subject: &Subject<'_>, body: RegionId) -> Option<Labels> {
        let ops = &subject.module().regions[body].ops[..];
        let all = runs(&fingerprints(subject, ops), FEWEST);
        let longest = all.iter().map(Run::count).max()?;
        let long = |run: &Run| run.count() as f64 >= MOST * longest as f64;
        let runs: Vec<Run> = all.into_iter().filter(long).collect();
        let mut finder = Finder::new(subject.module(), body, &runs);
        for (n, run) in runs.iter().enumerate() {
            let layers: Vec<Option<u32>> = match n {
                0 => (0..run.count() as u32 + 1).map(Some).collect(),
                _ => finder.layers_of(run),
            };
            finder.label(n, run, &layers);
        }
        finder.end(|n| subject.graph.annotation(subject.graph.value_slot(subject.arguments[n])?))
    }
}

/// A number for each operation: the same for those that do the same with tensors of the same types.
fn fingerprints(subject: &Subject<'_>, ops: &[OpId]) -> Vec<u32> {
    let mut known: FxHashMap<u64, u32> = FxHashMap::default();
    let number = |op: &OpId| {
        let next = known.len() as u32;
        *known.entry(fingerprint(subject, *op)).or_insert(next)
    };
    ops.iter().map(number).collect()
}

fn fingerprint(subject: &Subject<'_>, op: OpId) -> u64 {
    let module = subject.module();
    let mut hasher = FxHasher::default();
    let mut inner = vec![op];
    while let Some(op) = inner.pop() {
        let data = &module.ops[op];
        (data.kind, subject.graph.op_rule(op).map(|(rule, ..)| rule)).hash(&mut hasher);
        module.operands(op).iter().for_each(|v| module.values[*v].ty.hash(&mut hasher));
        for value in data.results.iter() {
            let slot = subject.graph.value_slot(value);
            let annotation = slot.and_then(|slot| subject.graph.annotation(slot));
            (module.values[value].ty, annotation).hash(&mut hasher);
        }
        inner.extend(module.regions_of(op).iter().flat_map(|region| &module.regions[*region].ops));
    }
    hasher.finish()
}

struct Finder<'m> {
    module: &'m Module,
    /// What the sequence stands in.
    body: RegionId,
    sequence: &'m [OpId],
    /// For each operation of the sequence its run, with the period of the run it is in and its place there.
    at: IdVec<OpId, Option<(u32, u32, u32)>>,
    ops: IdVec<OpId, Option<Label>>,
    arguments: Vec<Option<Label>>,
}

impl<'m> Finder<'m> {
    fn new(module: &'m Module, body: RegionId, runs: &[Run]) -> Finder<'m> {
        let sequence = &module.regions[body].ops[..];
        let mut at = IdVec::filled(None, module.ops.len());
        for (n, run) in runs.iter().enumerate() {
            for (offset, op) in sequence[run.start..run.end].iter().enumerate() {
                at[*op] = Some((n as u32, (offset / run.period) as u32, (offset % run.period) as u32));
            }
        }
        let (ops, arguments) =
            (IdVec::filled(None, module.ops.len()), vec![None; module.regions[body].args.len()]);
        Finder { module, body, sequence, at, ops, arguments }
    }

    /// The layer of a value that was labelled.
    fn layer(&self, value: ValueId) -> Option<u32> {
        let label = match self.module.values[value].def {
            ValueDef::Result(op, _) => self.ops[op],
            ValueDef::Arg(region, n) => self.argument(region, n).and_then(|n| self.arguments[n]),
        };
        label.map(|(_, layer)| layer)
    }

    /// The number of an argument of the program.
    fn argument(&self, region: RegionId, n: u32) -> Option<usize> {
        (region == self.body).then_some(n as usize)
    }

    /// Which layer each period of a run is of: the one that most of what it reads is of.
    fn layers_of(&self, run: &Run) -> Vec<Option<u32>> {
        let period = |n: usize| {
            let mut votes: FxHashMap<u32, usize> = FxHashMap::default();
            let ops = run.start + n * run.period..run.end.min(run.start + (n + 1) * run.period);
            for op in &self.sequence[ops] {
                for value in self.module.operands(*op) {
                    self.layer(*value).into_iter().for_each(|layer| *votes.entry(layer).or_default() += 1);
                }
            }
            votes.into_iter().max_by_key(|(layer, votes)| (*votes, *layer)).map(|(layer, _)| layer)
        };
        let mut layers: Vec<Option<u32>> =
            (0..(run.end - run.start).div_ceil(run.period)).map(period).collect();
        // What is left of a period at the end may read nothing but what is of the one before it.
        let mut known = FxHashSet::default();
        layers.iter_mut().for_each(|layer| *layer = layer.filter(|layer| known.insert(*layer)));
        layers
    }

    /// Labels the operations of a run whose periods are of these layers, and the arguments that are read there first. A period may begin in the middle of a layer: what an operation
    /// reads says whether it belongs to the layer of the period before or after it.
    fn label(&mut self, number: usize, run: &Run, layers: &[Option<u32>]) {
        let shifts = self.shifts(number, run, layers);
        for (offset, &op) in self.sequence[run.start..run.end].iter().enumerate() {
            let (period, place) = (offset / run.period, offset % run.period);
            let at = period as i64 + shifts[place];
            let layer = usize::try_from(at).ok().and_then(|at| layers.get(at).copied().flatten());
            let Some(layer) = layer else { continue };
            self.ops[op] = Some((Place::Op(number as u32, place as u32), layer));
        }
        for (offset, &op) in self.sequence[run.start..run.end].iter().enumerate() {
            let Some((_, layer)) = self.ops[op] else { continue };
            for (n, value) in self.module.operands(op).iter().enumerate() {
                let ValueDef::Arg(region, argument) = self.module.values[*value].def else { continue };
                let Some(argument) = self.argument(region, argument) else { continue };
                let place = Place::Argument(number as u32, (offset % run.period) as u32, n as u32);
                self.arguments[argument].get_or_insert((place, layer));
            }
        }
    }

    /// For each place of a period how many periods further on the one is that is of its layer. What an operation reads may come from the layer before its own, so the last of those
    /// that it reads from is taken for its own; and what is read by later layers only is of the first of these.
    fn shifts(&self, number: usize, run: &Run, layers: &[Option<u32>]) -> Vec<i64> {
        if number == 0 {
            return vec![0; run.period];
        }
        // A period in the middle tells, for it has neighbours.
        let middle = run.count() / 2;
        let ops = &self.sequence[run.start + middle * run.period..][..run.period];
        let here = |value: &ValueId| match self.module.values[*value].def {
            ValueDef::Result(op, _) => self.at[op]
                .filter(|(run, period, _)| (*run as usize, *period as usize) == (number, middle))
                .map(|(_, _, place)| place as usize),
            ValueDef::Arg(..) => None,
        };
        let mut own: Vec<Option<u32>> = vec![None; run.period];
        for (place, op) in ops.iter().enumerate() {
            let read = |value: &ValueId| here(value).map_or_else(|| self.layer(*value), |from| own[from]);
            own[place] = self.module.operands(*op).iter().filter_map(read).max();
        }
        let mut readers: Vec<Option<u32>> = vec![None; run.period];
        for (place, op) in ops.iter().enumerate().rev() {
            own[place] = own[place].max(readers[place]);
            for from in self.module.operands(*op).iter().filter_map(here) {
                let first = readers[from].into_iter().chain(own[place]).min();
                readers[from] = first;
            }
        }
        let period = |layer: u32| layers.iter().position(|known| *known == Some(layer));
        let shift = |own: &Option<u32>| Some(period((*own)?)? as i64 - middle as i64);
        own.iter().map(|own| shift(own).unwrap_or_default()).collect()
    }

    /// The labels, and the layers of which every place has one operation or argument. There are none where there are several of one layer, where few layers are whole, or where
    /// something else is said of an argument than of those in its place.
    fn end(mut self, annotation: impl Fn(usize) -> Option<&'m Sharding>) -> Option<Labels> {
        let mut places: FxHashMap<Place, FxHashSet<u32>> = FxHashMap::default();
        let mut labels = self.ops.iter().chain(&self.arguments).flatten();
        if !labels.all(|(place, layer)| places.entry(*place).or_default().insert(*layer)) {
            return None;
        }
        // What only the first or the last layer reads is of none.
        places.retain(|_, layers| layers.len() >= FEWEST);
        let of_layers = |label: Option<Label>| label.filter(|(place, _)| places.contains_key(place));
        for op in self.sequence {
            self.ops[*op] = of_layers(self.ops[*op]);
        }
        self.arguments.iter_mut().for_each(|label| *label = of_layers(*label));
        let mut said: FxHashMap<Place, Option<&Sharding>> = FxHashMap::default();
        for (n, label) in self.arguments.iter().enumerate() {
            let Some((place, _)) = label else { continue };
            if *said.entry(*place).or_insert_with(|| annotation(n)) != annotation(n) {
                return None;
            }
        }
        let mut of: FxHashMap<u32, usize> = FxHashMap::default();
        places.values().flatten().for_each(|layer| *of.entry(*layer).or_default() += 1);
        let whole = of.into_iter().filter(|(_, count)| *count == places.len());
        let mut whole: Vec<u32> = whole.map(|(layer, _)| layer).collect();
        whole.sort_unstable();
        let Finder { ops, arguments, .. } = self;
        (whole.len() >= FEWEST).then_some(Labels { ops, arguments, whole })
    }
}
