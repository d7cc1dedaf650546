//! What an argument is to the program: parameters, the state of the optimizer, data.

use super::{Dims, Groups};
use crate::complete::subject::Subject;
use crate::ir::{IdVec, ValueId};
use crate::ops::{Flow, Spread};
use crate::propagate::SlotId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a tensor is to the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// An argument that a result replaces, and that the program computes with.
    Parameter,
    /// An argument that a result replaces, and that only takes part in making it.
    State,
    /// Another argument.
    Data,
    /// Not an argument.
    Value,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Parameter => "parameter",
            Role::State => "state",
            Role::Data => "data",
            Role::Value => "value",
        }
    }

    /// Whether it stays from step to step.
    pub fn stays(self) -> bool {
        matches!(self, Role::Parameter | Role::State)
    }
}

/// The roles of arguments and of the slots they have.
pub(super) struct Roles {
    pub(super) arguments: Vec<Role>,
    slots: FxHashMap<SlotId, Role>,
}

impl Roles {
    pub(super) fn of_slot(&self, slot: SlotId) -> Role {
        self.slots.get(&slot).copied().unwrap_or(Role::Value)
    }

    pub(super) fn find(subject: &Subject<'_>, dims: &Dims, groups: &Groups) -> Roles {
        let computing = computing(subject);
        let kept = kept(subject, dims, groups);
        let role = |(n, value): (usize, &ValueId)| match kept[n] {
            false => Role::Data,
            true if computing[*value] => Role::Parameter,
            true => Role::State,
        };
        let arguments: Vec<Role> = subject.arguments.iter().enumerate().map(role).collect();
        let slot = |(value, role): (&ValueId, &Role)| Some((subject.graph.value_slot(*value)?, *role));
        let slots = subject.arguments.iter().zip(&arguments).filter_map(slot).collect();
        Roles { arguments, slots }
    }
}

/// Which arguments a result replaces: it takes their memory, or, where nothing is donated, has their type and is split where they are.
fn kept(subject: &Subject<'_>, dims: &Dims, groups: &Groups) -> Vec<bool> {
    let module = subject.module();
    let func = module.funcs.iter().next();
    // JAX says which result takes the memory where it knows the shardings of both, and leaves it open otherwise.
    let donated = |n: usize| func.is_some_and(|func| func.is_donated(n));
    let given: Vec<bool> = (0..subject.arguments.len()).map(donated).collect();
    if given.contains(&true) {
        return given;
    }
    let key = |value: ValueId, slot: SlotId| {
        let of = |d: usize| groups.of[dims.id(slot, d)];
        let groups: SmallVec<[u32; 4]> = (0..subject.graph.rank(slot)).map(of).collect();
        (module.values[value].ty, groups)
    };
    let mut results: FxHashMap<_, usize> = FxHashMap::default();
    for (value, slot) in subject.results.iter().zip(subject.graph.result_slots()) {
        if let Some(slot) = slot {
            *results.entry(key(*value, *slot)).or_default() += 1;
        }
    }
    let taken = |value: &ValueId| {
        let Some(slot) = subject.graph.value_slot(*value) else { return false };
        match results.get_mut(&key(*value, slot)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    };
    subject.arguments.iter().map(taken).collect()
}

/// Which values are used for more than element by element, perhaps in another format.
fn computing(subject: &Subject<'_>) -> IdVec<ValueId, bool> {
    let module = subject.module();
    let mut computing = IdVec::filled(false, module.values.len());
    // What uses a value stands behind what makes it.
    for op in module.ops.ids().rev().filter(|op| subject.executions[*op] > 0).map(|op| module.op(op)) {
        let computes = match op.def().spread {
            Spread::Rule(_, Flow::Elementwise) => {
                op.operands().len() == 1 && op.results().any(|result| computing[result])
            }
            _ => !op.def().traits.terminator,
        };
        if computes {
            op.operands().iter().for_each(|value| computing[*value] = true);
        }
    }
    computing
}
