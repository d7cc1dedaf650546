//! The shardings of loops, as constraints on what they start from.
//!
//! XLA turns carries that never change into values from outside, before it looks at shardings: a list with one sharding
//! per carry would no longer fit its loop. So a loop in what is written has no shardings of its own. A carry lies as the
//! value it starts from does, and where that lies in another way a constraint stands between them.

use super::export::constraint;
use super::import::value_sharding;
use crate::ir::sdy::{SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::Spread;
use rustc_hash::FxHashMap;

/// Takes the shardings off all loops, and constrains what they start from.
pub(super) fn constrain(module: &mut Module) {
    let loops = Loops::of(module);
    if loops.shardings.is_empty() {
        return;
    }
    for region in module.regions.ids() {
        if !module.regions[region].ops.iter().any(|op| loops.shardings.contains_key(op)) {
            continue;
        }
        let ops = std::mem::take(&mut module.regions[region].ops);
        let mut list = Vec::with_capacity(ops.len());
        for op in ops {
            for (n, sharding) in loops.shardings.get(&op).into_iter().flatten().enumerate() {
                let Some(&start) = module.operands(op).get(n) else { break };
                if !loops.lies_so(module, start, sharding) {
                    let made = constraint(
                        module,
                        start,
                        sharding.clone(),
                        (module.ops[op].span, module.ops[op].loc),
                    );
                    module.set_operand(op, n, module.ops[made].results.at(0));
                    list.push(made);
                }
            }
            list.push(op);
        }
        module.regions[region].ops = list;
    }
    for op in loops.shardings.into_keys() {
        module.ops[op].attrs.remove(names::SDY_SHARDING);
    }
}

/// What the program says of its loops.
struct Loops {
    /// One sharding per carry.
    shardings: FxHashMap<OpId, Vec<TensorSharding>>,
    /// The loop that a region belongs to.
    regions: FxHashMap<RegionId, OpId>,
}

impl Loops {
    fn of(module: &Module) -> Loops {
        let mut loops = Loops { shardings: FxHashMap::default(), regions: FxHashMap::default() };
        for op in module.ops.ids().map(|op| module.op(op)) {
            if !matches!(op.def().spread, Spread::Loop) {
                continue;
            }
            if let Some(Attr::Sdy(sdy)) = op.attr(names::SDY_SHARDING)
                && let SdyAttr::PerValue(list) = &**sdy
            {
                loops.shardings.insert(op.id, list.clone());
                loops.regions.extend(op.regions().iter().map(|region| (*region, op.id)));
            }
        }
        loops
    }

    /// Whether a value lies as the sharding says without being told.
    fn lies_so(&self, module: &Module, value: ValueId, sharding: &TensorSharding) -> bool {
        match self.annotation(module, value) {
            Some(known) => known == sharding,
            // Constants, and what has no dimensions.
            None => sharding.dims.iter().all(|d| d.axes.is_empty()),
        }
    }

    fn annotation<'m>(&'m self, module: &'m Module, value: ValueId) -> Option<&'m TensorSharding> {
        if let ValueDef::Arg(region, n) = module.values[value].def
            && let Some(op) = self.regions.get(&region)
        {
            return self.shardings[op].get(n as usize);
        }
        value_sharding(module, value)
    }
}
