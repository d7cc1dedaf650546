//! A program without some of its layers.

use super::labels::{Labels, Place};
use crate::inline::Inlined;
use crate::ir::module::NewOp;
use crate::ir::{
    Attr, Func, FuncId, IdVec, LocId, Module, OpId, RegionId, TypeId, ValueDef, ValueId, ValueName, names,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program that has only some of the layers of another.
pub(super) struct Shortened {
    pub(super) program: Inlined,
    /// What stands for each value of the other one: itself, or what has its place in a layer that is left.
    pub(super) standing: IdVec<ValueId, Option<ValueId>>,
    /// The operation of the other one that each is a copy of.
    pub(super) copied: IdVec<OpId, OpId>,
}

/// The program without some layers. What a layer that is left read of one that is not, it reads of the nearest before it; where none is before it, it reads what the
/// first of all layers reads there.
pub(super) fn shorten(
    program: &Inlined,
    labels: &Labels,
    entries: &Entries,
    gone: &[u32],
) -> Option<Shortened> {
    let input = &program.module;
    let func = input.funcs.iter().next()?;
    let body = func.body?;
    let shortener = Shortener {
        program,
        labels,
        gone,
        module: Module::empty_like(input),
        origin: IdVec::new(),
        op_origin: IdVec::new(),
        standing: IdVec::filled(None, input.values.len()),
        copied: IdVec::new(),
        last: FxHashMap::default(),
        early: Vec::new(),
        entries,
    };
    shortener.run(func, body)
}

/// A result of an operation at some place.
type Made = (Place, u32);

/// Values that stand for what a layer before the first would make.
pub(super) type Entries = FxHashMap<Made, ValueId>;

/// What the first layer of those that hand something on reads in the place of what a layer before it would make.
pub(super) fn entries(module: &Module, labels: &Labels, body: RegionId) -> Entries {
    let made = |value: ValueId| match module.values[value].def {
        ValueDef::Result(op, n) => labels.ops[op].map(|(place, layer)| ((place, n), layer)),
        ValueDef::Arg(..) => None,
    };
    let reads = || {
        let labelled = module.regions[body].ops.iter().filter_map(|op| Some((*op, labels.ops[*op]?)));
        labelled.flat_map(|(op, (place, layer))| {
            let operands = module.operands(op).iter().enumerate();
            operands.map(move |(n, value)| ((place, n), layer, *value))
        })
    };
    let mut handed_on: FxHashMap<(Place, usize), Made> = FxHashMap::default();
    for (reader, layer, value) in reads() {
        if let Some((from, other)) = made(value)
            && other != layer
        {
            handed_on.insert(reader, from);
        }
    }
    let mut entries: FxHashMap<Made, Option<ValueId>> = FxHashMap::default();
    for (reader, _, value) in reads() {
        if let Some(&from) = handed_on.get(&reader)
            && made(value).is_none_or(|(place, _)| place != from)
        {
            // Where several are read in its place, none stands for it.
            let entry = entries.entry(from).or_insert(Some(value));
            *entry = entry.filter(|known| *known == value);
        }
    }
    entries.into_iter().filter_map(|(from, value)| Some((from, value?))).collect()
}

struct Shortener<'a> {
    program: &'a Inlined,
    labels: &'a Labels,
    gone: &'a [u32],
    module: Module,
    origin: IdVec<ValueId, (FuncId, ValueId)>,
    op_origin: IdVec<OpId, (FuncId, OpId)>,
    standing: IdVec<ValueId, Option<ValueId>>,
    copied: IdVec<OpId, OpId>,
    /// The values that stand at a place, those of the layer that was copied last.
    last: FxHashMap<Place, Vec<ValueId>>,
    /// Operations that are gone before anything stands in their place.
    early: Vec<OpId>,
    entries: &'a Entries,
}

impl Shortener<'_> {
    fn is_gone(&self, label: Option<(Place, u32)>) -> bool {
        label.is_some_and(|(_, layer)| self.gone.binary_search(&layer).is_ok())
    }

    fn run(mut self, func: &Func, body: RegionId) -> Option<Shortened> {
        let to = self.module.add_region();
        let kept: Vec<bool> = self.labels.arguments.iter().map(|label| !self.is_gone(*label)).collect();
        self.arguments(body, to, &kept)?;
        let mut results = Vec::new();
        let input = &self.program.module;
        for &op in &input.regions[body].ops {
            if input.op(op).def().traits.terminator {
                results = self.results(op);
                self.copy(op, to, Some(&results))?;
            } else if self.is_gone(self.labels.ops[op]) {
                self.stand_in(op)?;
            } else {
                self.copy(op, to, None)?;
            }
        }
        let mut func = func.clone();
        func.body = Some(to);
        filter(&mut func.inputs, |n| kept[n]);
        filter(&mut func.arg_attrs, |n| kept[n]);
        let returned = |n: usize| results.binary_search(&n).is_ok();
        filter(&mut func.results, returned);
        filter(&mut func.result_attrs, returned);
        donate(&mut func, &results);
        self.module.add_func(func)?;
        // What is gone before anything stands in its place is stood for by what comes later, not by what was read for it.
        for op in self.early {
            let later = self.labels.ops[op].and_then(|(place, _)| self.last.get(&place));
            for (n, value) in input.ops[op].results.iter().enumerate() {
                self.standing[value] = later.map(|known| known[n]);
            }
        }
        let program = Inlined { module: self.module, origin: self.origin, op_origin: self.op_origin };
        Some(Shortened { program, standing: self.standing, copied: self.copied })
    }

    /// Copies the arguments that are left.
    fn arguments(&mut self, body: RegionId, to: RegionId, kept: &[bool]) -> Option<()> {
        let input = &self.program.module;
        let old: Vec<ValueId> = input.regions[body].args.iter().collect();
        let left = old.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| *value);
        let new = self.module.add_region_args(to, left.clone().map(|value| argument(input, value)));
        self.bind(left.clone().zip(new.iter()));
        let mut standing: FxHashMap<Place, ValueId> = FxHashMap::default();
        for (old, new) in left.zip(new.iter()) {
            let ValueDef::Arg(_, n) = input.values[old].def else { continue };
            if let Some((place, _)) = self.labels.arguments[n as usize] {
                standing.entry(place).or_insert(new);
            }
        }
        for (n, value) in old.iter().enumerate().filter(|(n, _)| !kept[*n]) {
            let (place, _) = self.labels.arguments[n]?;
            self.standing[*value] = Some(*standing.get(&place)?);
        }
        Some(())
    }

    /// The results that are left: those that no operation of a layer makes that is gone.
    fn results(&self, terminator: OpId) -> Vec<usize> {
        let input = &self.program.module;
        let left = |value: &ValueId| match input.values[*value].def {
            ValueDef::Result(op, _) => !self.is_gone(self.labels.ops[op]),
            ValueDef::Arg(_, n) => !self.is_gone(self.labels.arguments[n as usize]),
        };
        let operands = input.operands(terminator).iter().enumerate();
        operands.filter(|(_, value)| left(value)).map(|(n, _)| n).collect()
    }

    /// What an operation of a layer made that is gone: what the nearest layer before it makes there that is left, or, where none is before it, what goes into the
    /// first of all, or nothing yet.
    fn stand_in(&mut self, op: OpId) -> Option<()> {
        let (place, _) = self.labels.ops[op]?;
        let results = self.program.module.ops[op].results;
        let known = self.last.get(&place);
        if known.is_none() {
            self.early.push(op);
        }
        for (n, value) in results.iter().enumerate() {
            let entry = || self.standing[*self.entries.get(&(place, n as u32))?];
            self.standing[value] = known.map(|known| known[n]).or_else(entry);
        }
        Some(())
    }

    /// Copies an operation with all that is in it; only some of its operands where that is said.
    fn copy(&mut self, op: OpId, to: RegionId, only: Option<&[usize]>) -> Option<()> {
        let input = &self.program.module;
        let data = &input.ops[op];
        let operands = input.operands(op).iter().enumerate();
        let left = operands.filter(|(n, _)| only.is_none_or(|only| only.binary_search(n).is_ok()));
        let mut new = NewOp::new(data.kind);
        new.operands = left.map(|(_, value)| self.standing[*value]).collect::<Option<_>>()?;
        new.result_types = data.results.iter().map(|value| input.values[value].ty).collect();
        new.attrs = data.attrs.clone();
        new.loc = data.loc;
        new.span = data.span;
        new.regions = input.regions_of(op).iter().map(|_| self.module.add_region()).collect();
        let regions = new.regions.clone();
        let copy = self.module.add_op(new);
        self.op_origin.push(self.program.op_origin[op]);
        self.copied.push(op);
        self.module.regions[to].ops.push(copy);
        let results: Vec<ValueId> = self.module.ops[copy].results.iter().collect();
        self.bind(data.results.iter().zip(results.iter().copied()));
        if let Some((place, _)) = self.labels.ops[op] {
            self.last.insert(place, results);
        }
        for (&inner, &to) in input.regions_of(op).iter().zip(&regions) {
            let old: Vec<ValueId> = input.regions[inner].args.iter().collect();
            let new = self.module.add_region_args(to, old.iter().map(|value| argument(input, *value)));
            self.bind(old.into_iter().zip(new.iter()));
            for &op in &input.regions[inner].ops {
                self.copy(op, to, None)?;
            }
        }
        Some(())
    }

    /// Copies stand for what they are copies of.
    fn bind(&mut self, copies: impl Iterator<Item = (ValueId, ValueId)>) {
        for (old, new) in copies {
            self.standing[old] = Some(new);
            self.origin.push(self.program.origin[old]);
        }
    }
}

/// Brings what arguments say of the result that takes their memory, by its number, to the results that are left. Where that result is gone, one of its type takes it: which one of
/// these it is may be chance.
fn donate(func: &mut Func, results: &[usize]) {
    let left = |n: usize| results.binary_search(&func.taken_by(n)?).ok();
    let mut now: Vec<Option<usize>> = (0..func.inputs.len()).map(left).collect();
    let taken: FxHashSet<usize> = now.iter().flatten().copied().collect();
    let mut free: FxHashMap<TypeId, Vec<usize>> = FxHashMap::default();
    for n in (0..results.len()).rev().filter(|n| !taken.contains(n)) {
        free.entry(func.results[n]).or_default().push(n);
    }
    for (n, now) in now.iter_mut().enumerate() {
        let Some(Attr::Int(_, ty)) = func.arg_attrs[n].remove(names::TF_ALIASING_OUTPUT) else { continue };
        *now = now.or_else(|| free.get_mut(&func.inputs[n])?.pop());
        if let Some(now) = *now {
            func.arg_attrs[n].set(names::TF_ALIASING_OUTPUT, Attr::Int(now as i64, ty));
        }
    }
}

/// What an argument of a region is made from.
fn argument(module: &Module, value: ValueId) -> (TypeId, ValueName, LocId) {
    let value = &module.values[value];
    (value.ty, value.name, value.loc)
}

/// Keeps the items whose numbers pass a test.
fn filter<T>(list: &mut Vec<T>, mut keep: impl FnMut(usize) -> bool) {
    let mut number = 0;
    list.retain(|_| {
        number += 1;
        keep(number - 1)
    });
}
