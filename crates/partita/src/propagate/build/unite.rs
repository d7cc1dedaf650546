//! Values that have one sharding because the program says so: the carries of a loop, the members of a sharding
//! group, and an argument with the result that takes its memory.

use super::sharding_attr;
use crate::ir::ids::Id;
use crate::ir::sdy::TensorSharding;
use crate::ir::*;
use crate::ops::Spread;
use crate::sharding::import::{boundary_sharding, result_sharding};
use rustc_hash::FxHashMap;

/// Which values belong together.
pub(super) struct Union {
    /// A value of the same set that comes before; the first points at itself.
    before: Vec<u32>,
    /// Members of sharding groups.
    members: FxHashMap<ValueId, ()>,
    /// The argument whose memory a result of the function takes.
    donors: FxHashMap<usize, ValueId>,
}

impl Union {
    pub(super) fn of(module: &Module) -> Union {
        let mut union = Union {
            before: (0..module.values.len() as u32).collect(),
            members: FxHashMap::default(),
            donors: FxHashMap::default(),
        };
        let mut groups: FxHashMap<i64, (ValueId, Option<&TensorSharding>)> = FxHashMap::default();
        for op in module.ops.ids().map(|id| module.op(id)) {
            match op.def().spread {
                Spread::Loop => {
                    for &region in op.regions() {
                        for (arg, result) in module.regions[region].args.iter().zip(op.results()) {
                            union.unite(module, result, arg);
                        }
                    }
                }
                // Members that need only be alike keep shardings of their own.
                Spread::Group if op.attr(names::PARTITA_SHARD_LIKE).is_none() => {
                    let (Some(id), &[value]) = (op.int(names::GROUP_ID), op.operands()) else { continue };
                    let given = annotation(module, value);
                    let (first, known) = groups.entry(id).or_insert((value, given));
                    // A member that the program annotates in another way stays as it is.
                    if known.is_none() || given.is_none() || *known == given {
                        *known = known.or(given);
                        union.members.insert(value, ());
                        union.unite(module, *first, value);
                    }
                }
                _ => {}
            }
        }
        union.find_donors(module);
        union
    }

    /// An argument and the result that takes its memory, unless the program annotates them differently.
    fn find_donors(&mut self, module: &Module) {
        let Some(func) = module.funcs.iter().next() else { return };
        let Some(body) = func.body.map(|b| &module.regions[b]) else { return };
        let Some(&last) = body.ops.last() else { return };
        for (n, (arg, attrs)) in body.args.iter().zip(&func.arg_attrs).enumerate() {
            let Some(result) = func.taken_by(n) else { continue };
            let Some(&value) = module.operands(last).get(result) else { continue };
            let given = func.result_attrs.get(result).and_then(boundary_sharding);
            let agree = match (boundary_sharding(attrs), given) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            if agree && module.values[value].ty == module.values[arg].ty {
                self.donors.entry(result).or_insert(arg);
            }
        }
    }

    /// Tensors of different shapes cannot have one sharding.
    fn unite(&mut self, module: &Module, a: ValueId, b: ValueId) {
        let shape = |v: ValueId| module.tensor_type(v).map(|t| &t.shape);
        if shape(a) == shape(b) {
            let (a, b) = (self.leader(a).index() as u32, self.leader(b).index() as u32);
            self.before[a.max(b) as usize] = a.min(b);
        }
    }

    /// The value that stands for all that belong together with a value.
    pub(super) fn leader(&mut self, value: ValueId) -> ValueId {
        let mut at = value.index() as u32;
        while self.before[at as usize] != at {
            let above = self.before[self.before[at as usize] as usize];
            self.before[at as usize] = above;
            at = above;
        }
        ValueId::from_index(at as usize)
    }

    /// Whether a value is in a sharding group.
    pub(super) fn is_member(&self, value: ValueId) -> bool {
        self.members.contains_key(&value)
    }

    /// The argument whose memory a result of the function takes.
    pub(super) fn donor(&self, result: usize) -> Option<ValueId> {
        self.donors.get(&result).copied()
    }
}

/// What the program says of a value where it is made.
pub(super) fn annotation(module: &Module, value: ValueId) -> Option<&TensorSharding> {
    match module.values[value].def {
        ValueDef::Result(op, n) => {
            let op = module.op(op);
            result_sharding(&op.op().attrs, n as usize).or_else(|| sharding_attr(op, names::SHARDING))
        }
        ValueDef::Arg(region, n) => {
            let func = module.funcs.iter().next().filter(|f| f.body == Some(region))?;
            func.arg_attrs.get(n as usize).and_then(boundary_sharding)
        }
    }
}
