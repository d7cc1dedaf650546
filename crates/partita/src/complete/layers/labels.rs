//! Which layer of a program each of its operations and arguments belongs to.
//!
//! A program goes through its layers several times: forth, back, and once more where parameters are brought up to date, in an order of its own. Each time is a run of
//! operations that repeat. The layers of the first run are numbered; what a later run reads of them, and of the arguments they read, says which period of it belongs to which layer. What
//! stands in no run, for it is done in an order that does not repeat, belongs to the layer that it reads of.

use super::alike::fingerprints;
use super::runs::{Run, runs};
use crate::ir::{Func, IdVec, Module, OpId, RegionId, ValueDef, ValueId};
use crate::sharding::import::boundary_sharding;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// What is alike in all layers: an operation of a period of a run, what it reads as so-many-th operand, or an operation beside the runs, the so-many-th that does and reads the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    Op(u32, u32),
    Argument(u32, u32, u32),
    Beside(u32, u32),
}

impl Place {
    /// The run; none for what stands beside them.
    pub(super) fn run(self) -> Option<u32> {
        match self {
            Place::Op(run, _) | Place::Argument(run, ..) => Some(run),
            Place::Beside(..) => None,
        }
    }
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

/// So many layers at each end may read otherwise than those between them: what comes before the first of all, or behind the last.
const ENDS: usize = 2;

impl Labels {
    /// The labels of the operations of a function with this body; nothing where no layers are seen.
    pub(super) fn find(module: &Module, func: &Func, body: RegionId) -> Option<Labels> {
        let numbers = fingerprints(module, &module.regions[body].ops);
        let all = runs(&numbers, FEWEST);
        let longest = all.iter().map(Run::count).max()?;
        let long = |run: &Run| run.count() as f64 >= MOST * longest as f64;
        let runs: Vec<Run> = all.into_iter().filter(long).collect();
        let mut finder = Finder::new(module, body, &runs);
        for (n, run) in runs.iter().enumerate() {
            let layers: Vec<Option<u32>> = match n {
                0 => (0..run.count() as u32 + 1).map(Some).collect(),
                _ => finder.layers_of(run),
            };
            finder.label(n, run, &layers);
        }
        finder.label_beside(&numbers);
        finder.end(func)
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Places beside the runs: what is the same for several layers, and how often it was seen of each.
#[derive(Default)]
struct Beside {
    places: FxHashMap<u64, u32>,
    times: FxHashMap<(u32, u32), u32>,
}

impl Beside {
    /// The label of something of a layer.
    fn label(&mut self, same: u64, layer: u32) -> Label {
        let next = self.places.len() as u32;
        let place = *self.places.entry(same).or_insert(next);
        let times = self.times.entry((place, layer)).or_default();
        *times += 1;
        (Place::Beside(place, *times - 1), layer)
    }
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

    /// The label of what makes a value, and the number of the value among what that makes.
    fn label_of(&self, value: ValueId) -> (Option<Label>, u32) {
        match self.module.values[value].def {
            ValueDef::Result(op, n) => (self.ops[op], n),
            ValueDef::Arg(region, n) => (self.argument(region, n).and_then(|n| self.arguments[n]), 0),
        }
    }

    /// The layer of a value that was labelled.
    fn layer(&self, value: ValueId) -> Option<u32> {
        self.label_of(value).0.map(|(_, layer)| layer)
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

    /// Labels what stands in no run: operations that read of one layer alone, and then operations and arguments that one layer alone reads.
    fn label_beside(&mut self, numbers: &[u32]) {
        let mut beside = Beside::default();
        let unlabelled = |finder: &Self, op: OpId| {
            finder.ops[op].is_none() && !finder.module.op(op).def().traits.terminator
        };
        for (&op, number) in self.sequence.iter().zip(numbers) {
            if !unlabelled(self, op) {
                continue;
            }
            let mut hasher = FxHasher::default();
            number.hash(&mut hasher);
            let mut layers: SmallVec<[u32; 4]> = SmallVec::new();
            for (n, value) in self.module.operands(op).iter().enumerate() {
                if let (Some((place, layer)), of) = self.label_of(*value) {
                    (n, place, of).hash(&mut hasher);
                    layers.push(layer);
                }
            }
            layers.dedup();
            if let [layer] = layers[..] {
                self.ops[op] = Some(beside.label(hasher.finish(), layer));
            }
        }
        // For each value that is of no layer yet the first that reads it: its label and the number of the operand; nothing where several layers do.
        let mut readers: FxHashMap<ValueId, Option<(Label, usize)>> = FxHashMap::default();
        for (&op, number) in self.sequence.iter().zip(numbers).rev() {
            if unlabelled(self, op) {
                let of = |value: ValueId| readers.get(&value).copied().flatten();
                let read: Option<SmallVec<[_; 1]>> = self.module.ops[op].results.iter().map(of).collect();
                if let Some([(label, n), rest @ ..]) = read.as_deref()
                    && rest.iter().all(|((_, layer), _)| *layer == label.1)
                {
                    self.ops[op] = Some(beside.label(hash((number, label.0, n)), label.1));
                }
            }
            let own = self.ops[op];
            if own.is_none() && self.module.op(op).def().traits.terminator {
                continue;
            }
            for (n, value) in self.module.operands(op).iter().enumerate() {
                if self.layer(*value).is_some() {
                    continue;
                }
                let reader = readers.entry(*value).or_insert(own.map(|own| (own, n)));
                let same = reader.zip(own).is_some_and(|(((_, layer), _), (_, own))| layer == own);
                *reader = own.filter(|_| same).map(|own| (own, n));
            }
        }
        for (n, value) in self.module.regions[self.body].args.iter().enumerate() {
            if let (None, Some(Some(((place, layer), of)))) = (self.arguments[n], readers.get(&value)) {
                self.arguments[n] = Some(beside.label(hash((u32::MAX, place, of)), *layer));
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

    /// The labels, and the layers of which every place has one operation or argument. There are none where there are several of one layer, where few layers are whole, where layers read from
    /// other places than others do, or where something else is said of an argument or a result than of those in its place.
    fn end(mut self, func: &Func) -> Option<Labels> {
        let mut places: FxHashMap<Place, FxHashSet<u32>> = FxHashMap::default();
        let mut labels = self.ops.iter().chain(&self.arguments).flatten();
        if !labels.all(|(place, layer)| places.entry(*place).or_default().insert(*layer)) {
            return None;
        }
        // What only the first or the last layer reads is of none.
        places.retain(|_, layers| layers.len() >= FEWEST);
        let in_runs = places.iter().filter(|(place, _)| place.run().is_some());
        let mut of: FxHashMap<u32, usize> = FxHashMap::default();
        in_runs.clone().flat_map(|(_, layers)| layers).for_each(|layer| *of.entry(*layer).or_default() += 1);
        let all = in_runs.count();
        let mut whole: Vec<u32> =
            of.into_iter().filter(|(_, count)| *count == all).map(|(layer, _)| layer).collect();
        whole.sort_unstable();
        // What is done beside the runs for some layers only is of none.
        places.retain(|place, layers| {
            place.run().is_some() || whole.iter().all(|layer| layers.contains(layer))
        });
        let of_layers = |label: Option<Label>| label.filter(|(place, _)| places.contains_key(place));
        for op in self.sequence {
            self.ops[*op] = of_layers(self.ops[*op]);
        }
        self.arguments.iter_mut().for_each(|label| *label = of_layers(*label));
        if whole.len() < FEWEST || !self.is_said_alike(func) || !self.reads_alike(&whole) {
            return None;
        }
        let Finder { ops, arguments, .. } = self;
        Some(Labels { ops, arguments, whole })
    }

    /// Whether the same is said of arguments and of results in the same place.
    fn is_said_alike(&self, func: &Func) -> bool {
        let mut said = FxHashMap::default();
        let mut alike = |place, attrs| {
            let own = boundary_sharding(attrs);
            *said.entry(place).or_insert(own) == own
        };
        let arguments = self.arguments.iter().zip(&func.arg_attrs);
        let results = self.sequence.last().map_or(&[][..], |op| self.module.operands(*op));
        let result = |value: &ValueId| match self.module.values[*value].def {
            ValueDef::Result(op, n) => Some((self.ops[op]?.0, Some(n))),
            ValueDef::Arg(..) => None,
        };
        arguments
            .filter_map(|(label, attrs)| Some(((*label)?.0, attrs)))
            .all(|(place, attrs)| alike((place, None), attrs))
            && results
                .iter()
                .zip(&func.result_attrs)
                .filter_map(|(value, attrs)| Some((result(value)?, attrs)))
                .all(|(place, attrs)| alike(place, attrs))
    }

    /// Whether the operations of all layers but the first and the last read from the same places, of their own layer or of another one.
    fn reads_alike(&self, whole: &[u32]) -> bool {
        let inner = &whole[ENDS..whole.len() - ENDS];
        let mut known: FxHashMap<Place, u64> = FxHashMap::default();
        self.sequence.iter().filter_map(|op| Some((*op, self.ops[*op]?))).all(|(op, (place, layer))| {
            if inner.binary_search(&layer).is_err() {
                return true;
            }
            let mut hasher = FxHasher::default();
            for value in self.module.operands(op) {
                match self.label_of(*value) {
                    (Some((from, of)), n) => (from, n, of == layer).hash(&mut hasher),
                    (None, _) => value.hash(&mut hasher),
                }
            }
            let reads = hasher.finish();
            *known.entry(place).or_insert(reads) == reads
        })
    }
}
