//! Sharding constraints on values that users name besides the program.
//!
//! `--shard '%0=x,_'` acts as a constraint that stands right after `%0`, or at the start of its block where it is an argument of one.
//! All other uses of `%0` read the constrained value, those in nested regions too:
//!
//! ```text
//! %0 = stablehlo.add %a, %b        %0 = stablehlo.add %a, %b
//! %1 = stablehlo.tanh %0           %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]>
//!                                  %1 = stablehlo.tanh %2
//! ```

use super::export::constraint;
use super::manual::manual_axes;
use super::places::main_func;
use crate::inline::Inlined;
use crate::ir::sdy::TensorSharding;
use crate::ir::*;
use crate::ops::Spread;
use rustc_hash::FxHashMap;

/// Constraints that are to be inserted, one per value.
pub(super) struct Constraints {
    nesting: Nesting,
    wanted: Vec<(ValueId, TensorSharding)>,
    by_value: FxHashMap<ValueId, usize>,
}

/// Reason why a value cannot be constrained.
pub(super) struct Refusal {
    /// The reason, as the end of a sentence about the value.
    pub(super) message: String,
    /// A way out.
    pub(super) fix: String,
}

impl Constraints {
    pub(super) fn new(module: &Module) -> Constraints {
        Constraints { nesting: Nesting::of(module), wanted: Vec::new(), by_value: FxHashMap::default() }
    }

    /// Returns the sharding that a value is to have already.
    pub(super) fn get(&self, value: ValueId) -> Option<&TensorSharding> {
        self.by_value.get(&value).map(|n| &self.wanted[*n].1)
    }

    /// Adds a constraint, or gives the one on this value another sharding.
    pub(super) fn set(&mut self, value: ValueId, sharding: TensorSharding) {
        match self.by_value.get(&value) {
            Some(n) => self.wanted[*n].1 = sharding,
            None => {
                self.by_value.insert(value, self.wanted.len());
                self.wanted.push((value, sharding));
            }
        }
    }

    /// Tells whether a value stands in the program, not in something that was taken out of it.
    pub(super) fn is_in_program(&self, module: &Module, value: ValueId) -> bool {
        let top = self.nesting.around(module, value).1;
        top.is_some_and(|top| module.funcs.iter().any(|func| func.body == Some(top)))
    }

    /// Finds a reason why a value cannot be constrained in this way.
    pub(super) fn refusal(
        &self,
        module: &Module,
        value: ValueId,
        sharding: &TensorSharding,
    ) -> Option<Refusal> {
        let (around, top) = self.nesting.around(module, value);
        for op in around.into_iter().map(|op| module.op(op)) {
            match op.def().spread {
                Spread::Loop | Spread::Branches | Spread::Region => {}
                Spread::Manual => {
                    let named = |axis: &&Sym| {
                        let dims = sharding.dims.iter().flat_map(|d| &d.axes);
                        dims.into_iter().any(|a| a.name == **axis)
                    };
                    if let Some(axis) = manual_axes(op).iter().find(named) {
                        let axis = &module.strings[*axis];
                        return Some(Refusal {
                            message: format!(
                                "is inside a manual region over the axis \"{axis}\", where tensors are shards along it already"
                            ),
                            fix: format!(
                                "leave \"{axis}\" out, or name a value that the region takes or returns"
                            ),
                        });
                    }
                }
                _ => {
                    let name = op.def().name;
                    let message = format!(
                        "is inside the region of `{name}`, which runs on single elements or replicated values: a sharding has no effect there"
                    );
                    return Some(Refusal {
                        message,
                        fix: format!("name an operand or a result of the `{name}`"),
                    });
                }
            }
        }
        let main = main_func(module).and_then(|func| module.funcs[func].body);
        (top != main).then(|| Refusal {
            message: "is inside a function that a custom call calls by name: it is not partitioned".into(),
            fix: "name an operand or a result of the custom call".into(),
        })
    }

    /// Returns the place in the text where a value is made.
    pub(super) fn span(&self, module: &Module, value: ValueId) -> Span {
        self.maker(module, value).map_or_else(Span::default, |op| module.ops[op].span)
    }

    /// The op that makes a value, or whose region takes it.
    fn maker(&self, module: &Module, value: ValueId) -> Option<OpId> {
        match module.values[value].def {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Arg(region, _) => self.nesting.owners[region],
        }
    }

    /// Inserts the constraints. Returns for each constrained value the constraint's result.
    pub(super) fn insert(self, program: &mut Inlined) -> FxHashMap<ValueId, ValueId> {
        let mut results = FxHashMap::default();
        if self.wanted.is_empty() {
            return results;
        }
        let mut after: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
        let mut first: FxHashMap<RegionId, Vec<OpId>> = FxHashMap::default();
        for (value, sharding) in &self.wanted {
            let module = &mut program.module;
            let Value { name, def, loc, .. } = module.values[*value];
            let maker = self.maker(module, *value);
            let made = constraint(module, *value, sharding.clone(), (self.span(module, *value), loc));
            let result = module.ops[made].results.at(0);
            module.values[result].name = name;
            results.insert(*value, result);
            match def {
                ValueDef::Result(op, _) => after.entry(op).or_default().push(made),
                ValueDef::Arg(region, _) => first.entry(region).or_default().push(made),
            }
            program.stand_for(result, *value, maker);
        }
        let module = &mut program.module;
        module.replace_operands(|value| results.get(&value).copied());
        for (value, _) in &self.wanted {
            if let ValueDef::Result(op, _) = module.values[results[value]].def {
                module.set_operand(op, 0, *value);
            }
        }
        for region in module.regions.ids() {
            let ops = &mut module.regions[region].ops;
            if !first.contains_key(&region) && !ops.iter().any(|op| after.contains_key(op)) {
                continue;
            }
            let mut list = first.remove(&region).unwrap_or_default();
            for op in std::mem::take(ops) {
                list.push(op);
                list.extend(after.remove(&op).into_iter().flatten());
            }
            *ops = list;
        }
        results
    }
}

/// The regions that ops stand in, and the ops that have them.
struct Nesting {
    regions: IdVec<OpId, Option<RegionId>>,
    owners: IdVec<RegionId, Option<OpId>>,
}

impl Nesting {
    fn of(module: &Module) -> Nesting {
        let mut regions = IdVec::filled(None, module.ops.len());
        let mut owners = IdVec::filled(None, module.regions.len());
        for (id, region) in module.regions.enumerate() {
            region.ops.iter().for_each(|op| regions[*op] = Some(id));
        }
        for op in module.ops.ids() {
            module.regions_of(op).iter().for_each(|region| owners[*region] = Some(op));
        }
        Nesting { regions, owners }
    }

    /// Returns the ops that a value stands in the regions of, inside out, and the region that no op has; none where the value was taken out.
    fn around(&self, module: &Module, value: ValueId) -> (Vec<OpId>, Option<RegionId>) {
        let mut region = match module.values[value].def {
            ValueDef::Result(op, _) => self.regions[op],
            ValueDef::Arg(region, _) => Some(region),
        };
        let mut around = Vec::new();
        while let Some(op) = region.and_then(|region| self.owners[region]) {
            around.push(op);
            region = self.regions[op];
        }
        (around, region)
    }
}
