//! Which layer of a program each of its operations and arguments belongs to.
//!
//! A program goes through its layers several times: forth, back, and once more where parameters are brought up to date, in an order of its own. Each time is a run of
//! operations that repeat. The layers of the first run are numbered; what a later run reads of them, and of the arguments they read, says which period of it belongs to which layer.

use super::runs::{Run, runs};
use partita::ir::{Attr, Attrs, Func, IdVec, Module, OpId, RegionId, Sym, ValueDef, ValueId};
use partita::sharding::import::boundary_sharding;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// What is alike in all layers: an operation of a period of a run, or what it reads as so-many-th operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    Op(u32, u32),
    Argument(u32, u32, u32),
}

impl Place {
    /// The run.
    pub(super) fn run(self) -> u32 {
        match self {
            Place::Op(run, _) | Place::Argument(run, ..) => run,
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
        let all = runs(&fingerprints(module, &module.regions[body].ops), FEWEST);
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
        finder.end(func)
    }
}

/// Of operations with the same kinds and types, so many with different attributes are told apart at once.
const VARIANTS: usize = 64;

/// A number for each operation: the same for those that do the same with tensors of the same types.
fn fingerprints(module: &Module, ops: &[OpId]) -> Vec<u32> {
    let mut known: FxHashMap<u64, SmallVec<[(OpId, u32); 1]>> = FxHashMap::default();
    let mut next = 0;
    let number = |op: &OpId| {
        let variants = known.entry(kinds_and_types(module, *op)).or_default();
        if let Some((_, number)) = variants.iter().find(|(other, _)| same_attributes(module, *op, *other)) {
            return *number;
        }
        next += 1;
        if variants.len() < VARIANTS {
            variants.push((*op, next));
        }
        next
    };
    ops.iter().map(number).collect()
}

/// Calls with an operation and all that are in it, until one says no.
fn all_within(module: &Module, op: OpId, mut test: impl FnMut(OpId) -> bool) -> bool {
    let mut inner: SmallVec<[OpId; 1]> = SmallVec::from_iter([op]);
    while let Some(op) = inner.pop() {
        if !test(op) {
            return false;
        }
        inner.extend(
            module.regions_of(op).iter().flat_map(|region| module.regions[*region].ops.iter().copied()),
        );
    }
    true
}

fn kinds_and_types(module: &Module, op: OpId) -> u64 {
    let mut hasher = FxHasher::default();
    all_within(module, op, |op| {
        let data = &module.ops[op];
        data.kind.hash(&mut hasher);
        let values = module.operands(op).iter().copied().chain(data.results.iter());
        values.for_each(|value| module.values[value].ty.hash(&mut hasher));
        true
    });
    hasher.finish()
}

/// Whether attributes are the same but for the elements of constants: layers have numbers that random numbers are made from.
fn same_attributes(module: &Module, a: OpId, b: OpId) -> bool {
    let same_attr = |a: &(Sym, Attr), b: &(Sym, Attr)| {
        a.0 == b.0 && (matches!((&a.1, &b.1), (Attr::Elements(_), Attr::Elements(_))) || a.1 == b.1)
    };
    let same =
        |a: &Attrs, b: &Attrs| a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_attr(a, b));
    if module.regions_of(a).is_empty() {
        return same(&module.ops[a].attrs, &module.ops[b].attrs);
    }
    let mut others: Vec<OpId> = Vec::new();
    all_within(module, b, |op| {
        others.push(op);
        true
    });
    let mut others = others.into_iter();
    all_within(module, a, |op| {
        others.next().is_some_and(|b| same(&module.ops[op].attrs, &module.ops[b].attrs))
    }) && others.next().is_none()
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
        let of_layers = |label: Option<Label>| label.filter(|(place, _)| places.contains_key(place));
        for op in self.sequence {
            self.ops[*op] = of_layers(self.ops[*op]);
        }
        self.arguments.iter_mut().for_each(|label| *label = of_layers(*label));
        let mut of: FxHashMap<u32, usize> = FxHashMap::default();
        places.values().flatten().for_each(|layer| *of.entry(*layer).or_default() += 1);
        let whole = of.into_iter().filter(|(_, count)| *count == places.len());
        let mut whole: Vec<u32> = whole.map(|(layer, _)| layer).collect();
        whole.sort_unstable();
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
                let (label, n) = self.label_of(*value);
                match label {
                    Some((from, of)) => (from, n, of == layer).hash(&mut hasher),
                    None => value.hash(&mut hasher),
                }
            }
            let reads = hasher.finish();
            *known.entry(place).or_insert(reads) == reads
        })
    }
}
