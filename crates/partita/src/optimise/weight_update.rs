//! Weight-update sharding: optimizer state and the update of weights split over the axes that gradients are summed over.
//!
//! With data parallelism every device has the whole state of the optimizer and does the whole update. The gradient can as well be
//! reduce-scattered, each device keep and update its part of the state, and the new weights be gathered: the same bytes, an n-th of
//! the memory and of the work. What is state is seen from the structure of the program, by no name: an argument that comes back as a
//! result of the same type, changed element by element together with something that is summed over devices, and that nothing else of
//! the program uses. Its sharding, and that of the result, gets the axes of that sum; all other arguments and results keep what they have.

use super::edit::for_each_operand;
use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::sdy::SdyAttr;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::{Eval, Spread};
use crate::partition::could_be_partial;
use crate::propagate::{Propagated, propagate};
use crate::sharding::export::{mesh_symbol, to_sdy};
use crate::sharding::{AtomList, AtomSet, Mesh, Sharding};
use rustc_hash::FxHashSet;

/// The padding that an uneven split may add: one part in so many.
const PADDING_SHARE: i64 = 8;

/// An argument that is optimizer state, and the result that it comes back as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The argument's number.
    pub argument: usize,
    /// The result's number.
    pub result: usize,
    /// How it is to lie.
    pub sharding: Sharding,
}

/// Finds the optimizer state of a program and what it can be split over besides. Linear in the size of the program.
pub fn find(program: &Inlined, found: &Propagated) -> Vec<State> {
    let module = &program.module;
    let Some(body) = module.funcs.iter().next().and_then(|f| f.body) else { return Vec::new() };
    let update = Update::new(module, found, body);
    let mut taken = FxHashSet::default();
    let mut states = Vec::new();
    for (argument, value) in module.regions[body].args.iter().enumerate() {
        let Some(ty) = module.tensor_type(value).filter(|ty| ty.rank() > 0) else { continue };
        let Some(slot) = found.graph.value_slot(value).filter(|_| !update.leads_elsewhere[value]) else {
            continue;
        };
        let (results, summed) = update.follow(value);
        let free = |n: &usize| !taken.contains(n);
        let Some(result) = update.pair(argument, &results).filter(free) else { continue };
        let sharding = found.sharding(slot);
        let spare = summed.minus(sharding.used()).minus(sharding.replicated);
        if sharding.device.is_none()
            && let Some(sharding) = split(&found.mesh, &ty.shape, &sharding, spare)
        {
            taken.insert(result);
            states.push(State { argument, result, sharding });
        }
    }
    states
}

/// The bytes of optimizer state that a device would hold less if it were split. Padding does not count.
pub fn saved_bytes(program: &Inlined, found: &Propagated) -> u64 {
    let module = &program.module;
    let Some(body) = module.funcs.iter().next().and_then(|f| f.body) else { return 0 };
    let saved = |state: &State| {
        let value = module.regions[body].args.at(state.argument);
        let slot = found.graph.value_slot(value)?;
        let parts = |sharding: &Sharding| found.mesh.size_of(sharding.used().iter()).max(1) as u64;
        let bytes = device_bytes(module.type_of(value));
        Some((bytes / parts(&found.sharding(slot))).saturating_sub(bytes / parts(&state.sharding)))
    };
    find(program, found).iter().filter_map(saved).sum()
}

/// Splits the optimizer state of a program over the axes its gradients are summed over: changes annotations, and completes the shardings again.
pub fn shard(program: &mut Inlined, found: Propagated) -> Result<Propagated, Vec<Diagnostic>> {
    let states = find(program, &found);
    if states.is_empty() {
        return Ok(found);
    }
    fix_boundary(program, &found, &states);
    propagate(program, found.mesh)
}

/// Writes shardings onto all arguments and results: the new ones of state, and what was found for the others.
fn fix_boundary(program: &mut Inlined, found: &Propagated, states: &[State]) {
    let module = &mut program.module;
    let Some(symbol) = mesh_symbol(module) else { return };
    let Some((func, body)) = module.funcs.enumerate().find_map(|(id, f)| f.body.map(|b| (id, b))) else {
        return;
    };
    let slots: Vec<_> = module.regions[body].args.iter().map(|arg| found.graph.value_slot(arg)).collect();
    let of = |slots: &[Option<_>]| -> Vec<Option<Sharding>> {
        slots.iter().map(|slot| slot.map(|slot| found.sharding(slot))).collect()
    };
    let (mut arguments, mut results) = (of(&slots), of(found.graph.result_slots()));
    for state in states {
        arguments[state.argument] = Some(state.sharding.clone());
        results[state.result] = Some(state.sharding.clone());
    }
    let mut write = |attrs: &mut Vec<Attrs>, shardings: Vec<Option<Sharding>>| {
        for (attrs, sharding) in attrs.iter_mut().zip(shardings) {
            let Some(sharding) = sharding.filter(|s| s.device.is_none()) else { continue };
            let sharding = to_sdy(&mut module.strings, &found.mesh, symbol, &sharding);
            attrs.set(names::SDY_SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))));
        }
    };
    let func = &mut module.funcs[func];
    write(&mut func.arg_attrs, arguments);
    write(&mut func.result_attrs, results);
}

/// The part of a program that leads to nothing but results.
struct Update<'m> {
    module: &'m Module,
    body: RegionId,
    /// Whether a value is used for more than light work on results.
    leads_elsewhere: IdVec<ValueId, bool>,
    /// The atoms that a value, or what it is made of element by element, is a sum over.
    summed: IdVec<ValueId, AtomSet>,
    /// The operations of the function itself that use each value.
    users: IdVec<ValueId, Vec<OpId>>,
}

impl<'m> Update<'m> {
    fn new(module: &'m Module, found: &Propagated, body: RegionId) -> Update<'m> {
        let count = module.values.len();
        let mut update = Update {
            module,
            body,
            leads_elsewhere: IdVec::filled(false, count),
            summed: IdVec::filled(AtomSet::EMPTY, count),
            users: IdVec::filled(Vec::new(), count),
        };
        for (value, atoms) in could_be_partial(module, found) {
            update.summed[value] = atoms;
        }
        let ops = &module.regions[body].ops;
        for &op in ops {
            for &operand in module.operands(op) {
                update.users[operand].push(op);
            }
            if let Some(result) = same_shape(module.op(op)) {
                for &operand in module.operands(op) {
                    let atoms = update.summed[operand];
                    update.summed[result] = update.summed[result].union(atoms);
                }
            }
        }
        for &op in ops.iter().rev() {
            let op = module.op(op);
            if op.def().traits.terminator
                || (is_light(op) && op.results().all(|v| !update.leads_elsewhere[v]))
            {
                continue;
            }
            for_each_operand(module, op.id, |operand| update.leads_elsewhere[operand] = true);
        }
        update
    }

    /// The numbers of the results that come of a value element by element, and the atoms of all sums that take part.
    fn follow(&self, value: ValueId) -> (Vec<usize>, AtomSet) {
        let (mut values, mut results) = (vec![value], Vec::new());
        let mut seen = FxHashSet::from_iter([value]);
        let mut summed = AtomSet::EMPTY;
        let last = self.module.regions[self.body].ops.last().copied();
        while let Some(value) = values.pop() {
            for &user in &self.users[value] {
                if Some(user) == last {
                    let returned = self.module.operands(user).iter().enumerate();
                    results.extend(returned.filter(|(_, v)| **v == value).map(|(n, _)| n));
                } else if let Some(result) = same_shape(self.module.op(user))
                    && seen.insert(result)
                {
                    summed = summed.union(self.summed[result]);
                    values.push(result);
                }
            }
        }
        results.sort_unstable();
        (results, summed)
    }

    /// The result that an argument comes back as: the one that takes its room, or the only one of its type that comes of it and
    /// has no room yet.
    fn pair(&self, argument: usize, results: &[usize]) -> Option<usize> {
        let func = self.module.funcs.iter().next()?;
        let alike = |n: &usize| func.results.get(*n) == func.inputs.get(argument);
        if let Some(own) = func.taken_by(argument) {
            return Some(own).filter(|n| results.contains(n) && alike(n));
        }
        let others: FxHashSet<usize> = (0..func.inputs.len()).filter_map(|n| func.taken_by(n)).collect();
        results.iter().copied().find(|n| alike(n) && !others.contains(n))
    }
}

/// The result of an operation that works element by element on operands of the result's shape.
fn same_shape(op: OpRef<'_>) -> Option<ValueId> {
    let result = op.results().next().filter(|_| op.results().len() == 1)?;
    let passes = matches!(op.def().eval, Eval::Elementwise(_))
        || matches!(op.def().spread, Spread::Constraint | Spread::Barrier);
    passes.then_some(result)
}

/// Whether an operation computes about as much as it reads and writes, as updates of weights do and layers of models do not.
fn is_light(op: OpRef<'_>) -> bool {
    let work = (op.def().work)(op);
    let plain =
        matches!(op.def().spread, Spread::Rule(..) | Spread::Constant | Spread::Constraint | Spread::Barrier);
    plain && work.flops <= work.bytes
}

/// A sharding with more atoms: each axis goes to a dimension that it divides, rather to one that this has split already, to one that nothing
/// splits, and to the longest; nothing where none can be split further.
fn split(mesh: &Mesh, shape: &[i64], old: &Sharding, spare: AtomSet) -> Option<Sharding> {
    let mut sharding = old.clone();
    sharding.dims.iter_mut().for_each(|dim| dim.open = false);
    let mut grown = AtomSet::EMPTY;
    for axis in mesh.axes() {
        let atoms: AtomList = axis.atoms().filter(|a| spare.contains(*a)).collect();
        let parts = mesh.size_of(atoms.iter().copied());
        let local = |d: usize| shape[d] / mesh.size_of(sharding.dims[d].atoms.iter().copied()).max(1);
        let fits = |d: &usize| {
            let split = mesh.size_of(sharding.dims[*d].atoms.iter().copied()).saturating_mul(parts);
            let padded = (shape[*d] as u64).div_ceil(split.max(1) as u64) as i64 * split;
            padded - shape[*d] <= shape[*d] / PADDING_SHARE
        };
        let even = |d: usize| {
            shape[d] % mesh.size_of(sharding.dims[d].atoms.iter().copied()) == 0 && local(d) % parts == 0
        };
        let whole = |d: usize| sharding.dims[d].atoms.is_empty();
        let ours = |d: usize| sharding.dims[d].atoms.last().is_some_and(|a| grown.contains(*a));
        let best = (0..shape.len())
            .filter(|_| parts > 1)
            .filter(fits)
            .max_by_key(|d| (even(*d), ours(*d), whole(*d), local(*d), std::cmp::Reverse(*d)));
        if let Some(d) = best {
            grown = atoms.iter().fold(grown, |mut set, a| {
                set.insert(*a);
                set
            });
            sharding.dims[d].atoms.extend(atoms);
        }
    }
    (!grown.is_empty()).then_some(sharding)
}
