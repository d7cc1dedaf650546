//! What is left of a program after a change, without what is dead.

use partita::Module;
use partita::ir::{FuncId, IdVec, OpId, RegionId, ValueId, ValueName};
use partita::ops::Spread;

/// The operations of a region and the regions in it, in the order of the text.
pub(super) fn operations(module: &Module, region: RegionId) -> Vec<OpId> {
    let mut list = Vec::new();
    collect(module, region, &mut list);
    list
}

fn collect(module: &Module, region: RegionId, list: &mut Vec<OpId>) {
    for &op in &module.regions[region].ops {
        list.push(op);
        module.regions_of(op).iter().for_each(|&inner| collect(module, inner, list));
    }
}

/// As [`operations`], but without the regions that say how elements combine or compare.
pub(super) fn steps(module: &Module, region: RegionId) -> Vec<OpId> {
    let mut list = Vec::new();
    for &op in &module.regions[region].ops {
        list.push(op);
        if matches!(module.op(op).def().spread, Spread::Loop | Spread::Branches) {
            module.regions_of(op).iter().for_each(|&inner| list.extend(steps(module, inner)));
        }
    }
    list
}

/// What a region returns.
pub(super) fn returned(module: &Module, region: RegionId) -> &[ValueId] {
    module.regions[region].ops.last().map_or(&[], |op| module.operands(*op))
}

/// Takes out operations and arguments that nothing uses.
pub(super) fn live(module: &mut Module, main: FuncId, body: RegionId) {
    loop {
        let all = operations(module, body);
        let mut used: IdVec<ValueId, bool> = IdVec::filled(false, module.values.len());
        all.iter().for_each(|op| module.operands(*op).iter().for_each(|v| used[*v] = true));
        let is_dead = |module: &Module, op: &OpId| {
            let op = module.op(*op);
            !op.def().traits.terminator && op.results().all(|v| !used[v])
        };
        let dead: Vec<OpId> = all.into_iter().filter(|op| is_dead(module, op)).collect();
        if dead.is_empty() {
            drop_arguments(module, main, body, &used);
            return;
        }
        for region in module.regions.ids() {
            module.regions[region].ops.retain(|op| !dead.contains(op));
        }
    }
}

fn drop_arguments(module: &mut Module, main: FuncId, body: RegionId, used: &IdVec<ValueId, bool>) {
    let old: Vec<ValueId> = module.regions[body].args.iter().collect();
    let keep: Vec<usize> = (0..old.len()).filter(|&n| used[old[n]]).collect();
    if keep.len() == old.len() {
        return;
    }
    let list: Vec<_> = keep
        .iter()
        .map(|&n| (module.values[old[n]].ty, module.values[old[n]].name, module.values[old[n]].loc))
        .collect();
    let new: Vec<ValueId> = module.add_region_args(body, list).iter().collect();
    module.replace_operands(|v| {
        let place = keep.iter().position(|&n| old[n] == v)?;
        Some(new[place])
    });
    let func = &mut module.funcs[main];
    func.inputs = keep.iter().map(|&n| func.inputs[n]).collect();
    func.arg_attrs = keep.iter().map(|&n| func.arg_attrs[n].clone()).collect();
}

/// The program with values numbered anew.
pub(super) fn tidied(mut module: Module) -> Module {
    for value in module.values.ids() {
        module.values[value].name = ValueName::None;
    }
    module
}
