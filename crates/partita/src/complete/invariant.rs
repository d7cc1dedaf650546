//! Loop-invariant values: those that are the same in every iteration are resharded once, before the loop.

use crate::ir::{IdVec, Module, OpId, RegionId, ValueDef, ValueId};
use crate::ops::{Spread, trip_count};
use rustc_hash::FxHashMap;

/// A value that is resharded before a loop is held in the new layout all through the loop, which pays off where it saves this many reshards.
const SAVES: f64 = 4.0;

/// Loop-invariant values of a program.
#[derive(Clone)]
pub(super) struct Invariants {
    /// The values outside of loops that carries which never change stand for.
    outside: FxHashMap<ValueId, ValueId>,
    /// Iterations of all loops around each region.
    iterations: IdVec<RegionId, f64>,
    /// The region of each operation.
    region: IdVec<OpId, Option<RegionId>>,
}

impl Invariants {
    pub(super) fn find(module: &Module) -> Invariants {
        let mut found = Invariants {
            outside: FxHashMap::default(),
            iterations: IdVec::filled(1.0, module.regions.len()),
            region: IdVec::filled(None, module.ops.len()),
        };
        if let Some(body) = module.funcs.iter().next().and_then(|func| func.body) {
            found.region(module, body, 1.0, &mut Vec::new());
        }
        found
    }

    fn region(&mut self, module: &Module, region: RegionId, iterations: f64, loops: &mut Vec<OpId>) {
        self.iterations[region] = iterations;
        for &id in &module.regions[region].ops {
            self.region[id] = Some(region);
            let op = module.op(id);
            let is_loop = matches!(op.def().spread, Spread::Loop);
            let mut inside = iterations;
            if is_loop {
                self.carries(module, id);
                loops.push(id);
                inside *= trip_count(module, loops).unwrap_or(1) as f64;
            }
            if !matches!(op.def().spread, Spread::Rule(..)) {
                op.regions().iter().for_each(|inner| self.region(module, *inner, inside, loops));
            }
            if is_loop {
                loops.pop();
            }
        }
    }

    /// Finds the carries of a loop that its body returns as they are.
    fn carries(&mut self, module: &Module, id: OpId) {
        let op = module.op(id);
        let &[condition, body] = op.regions() else { return };
        let Some(&last) = module.regions[body].ops.last() else { return };
        for (n, (&operand, result)) in op.operands().iter().zip(op.results()).enumerate() {
            let [tested, carried] = [condition, body].map(|region| module.regions[region].args.at(n));
            if module.operands(last).get(n) == Some(&carried) {
                let outside = self.outside(operand);
                self.outside.extend([tested, carried, result].map(|value| (value, outside)));
            }
        }
    }

    /// The value that a carry which never changes stands for; any other value itself.
    pub(super) fn outside(&self, value: ValueId) -> ValueId {
        self.outside.get(&value).copied().unwrap_or(value)
    }

    /// Carries that never change, with the values they stand for.
    pub(super) fn carried(&self) -> impl Iterator<Item = (ValueId, ValueId)> {
        self.outside.iter().map(|(carry, outside)| (*carry, *outside))
    }

    /// Returns whether an operand is loop-invariant: made outside of a loop that its operation is in.
    pub(super) fn is_outside(&self, module: &Module, op: OpId, operand: ValueId) -> bool {
        self.iterations_between(module, op, operand) > 1.0
    }

    /// Reshards of an operand each time its operation runs.
    pub(super) fn reshards(&self, module: &Module, op: OpId, operand: ValueId) -> f64 {
        (SAVES / self.iterations_between(module, op, operand)).min(1.0)
    }

    /// Iterations of the loops around an operation that one of its operands is not made in.
    fn iterations_between(&self, module: &Module, op: OpId, operand: ValueId) -> f64 {
        let made_in = match module.values[self.outside(operand)].def {
            ValueDef::Result(maker, _) => self.region[maker],
            ValueDef::Arg(region, _) => Some(region),
        };
        let (Some(made), Some(used)) = (made_in, self.region[op]) else { return 1.0 };
        self.iterations[used] / self.iterations[made]
    }
}
