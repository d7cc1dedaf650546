//! What nothing uses is taken out.

use super::{Collective, Partitioned};
use crate::ir::*;

/// Takes out operations whose results nothing uses and which do nothing else.
pub(crate) fn remove_unused(partitioned: &mut Partitioned) {
    let effect = effects(partitioned);
    let module = &mut partitioned.module;
    let mut live: IdVec<OpId, bool> = IdVec::filled(false, module.ops.len());
    let mut pending: Vec<OpId> = Vec::new();
    // What ends a region or has an effect is needed if the op that holds the region is.
    let roots = |module: &Module, region: RegionId, pending: &mut Vec<OpId>| {
        let needed = |id: &&OpId| effect[**id] || module.ops[**id].kind.def().traits.terminator;
        pending.extend(module.regions[region].ops.iter().filter(needed));
    };
    for func in module.funcs.iter() {
        if let Some(body) = func.body {
            roots(module, body, &mut pending);
        }
    }
    while let Some(op) = pending.pop() {
        if std::mem::replace(&mut live[op], true) {
            continue;
        }
        for &region in module.regions_of(op) {
            roots(module, region, &mut pending);
        }
        for &operand in module.operands(op) {
            if let ValueDef::Result(def, _) = module.values[operand].def
                && !live[def]
            {
                pending.push(def);
            }
        }
    }
    let bodies = module.funcs.iter().filter_map(|f| f.body);
    let nested = module.ops.ids().filter(|op| live[*op]).flat_map(|op| module.regions_of(op).iter().copied());
    for region in bodies.chain(nested).collect::<Vec<RegionId>>() {
        module.regions[region].ops.retain(|op| live[*op]);
    }
    partitioned.collectives.retain(|c| live[c.op]);
}

/// Which operations do more than give results. One with regions does if one in them does. Collectives that were put in are the same on all
/// devices: without them nobody waits.
pub(crate) fn effects(partitioned: &Partitioned) -> IdVec<OpId, bool> {
    let module = &partitioned.module;
    let mut effect: IdVec<OpId, bool> = IdVec::filled(false, module.ops.len());
    // Those inside come after the one they are in.
    for op in module.reachable_ops().into_iter().rev() {
        let inside = module.regions_of(op).iter().flat_map(|r| &module.regions[*r].ops).any(|op| effect[*op]);
        let own = module.ops[op].kind.def().traits.effect && !is_added(&partitioned.collectives, op);
        effect[op] = inside || own;
    }
    effect
}

/// Collectives are remembered in the order of their operations.
fn is_added(collectives: &[Collective], op: OpId) -> bool {
    collectives.binary_search_by_key(&op, |c| c.op).is_ok()
}
