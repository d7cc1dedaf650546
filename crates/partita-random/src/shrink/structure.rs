//! Changes of a program's structure.

use super::tidy::{live, operations, returned, steps};
use partita::Module;
use partita::ir::module::NewOp;
use partita::ir::sdy::{SdyAttr, TensorSharding};
use partita::ir::{Attr, Attrs, FuncId, OpId, RegionId, TypeId, ValueId, ValueName, names};
use partita::sharding::import::result_sharding;

/// A change in one place.
pub(super) enum Edit {
    /// The results of an op become arguments of the program.
    Argument(OpId),
    /// The only result of an op is its n-th operand.
    Operand(OpId, usize),
    /// An op is the ops of its n-th region, run once.
    Body(OpId, usize),
    /// The program returns what an op gives, and nothing else.
    Return(OpId),
    /// The n-th result of the program goes.
    Result(usize),
    /// The sharding of an op goes.
    Sharding(OpId),
    /// The sharding of the n-th argument goes.
    ArgumentSharding(usize),
    /// The sharding of the n-th result goes.
    ResultSharding(usize),
}

/// All changes that a program allows, in the order of the text.
pub(super) fn edits(module: &Module) -> Vec<Edit> {
    let mut edits = Vec::new();
    let Some((main, body)) = main(module) else { return edits };
    let func = &module.funcs[main];
    let sharded = |attrs: &Attrs| attrs.get(names::SDY_SHARDING).is_some();
    edits.extend((0..func.inputs.len()).filter(|&n| sharded(&func.arg_attrs[n])).map(Edit::ArgumentSharding));
    edits.extend(
        (0..func.results.len()).filter(|&n| sharded(&func.result_attrs[n])).map(Edit::ResultSharding),
    );
    for op in steps(module, body) {
        let view = module.op(op);
        if view.def().traits.terminator {
            continue;
        }
        if sharded(&view.op().attrs) {
            edits.push(Edit::Sharding(op));
        }
        if view.results().len() == 1 {
            let same = |n: &usize| view.operand_type(*n) == view.result_type(0);
            edits.extend((0..view.operands().len()).filter(same).map(|n| Edit::Operand(op, n)));
        }
        edits.push(Edit::Argument(op));
        let counts = |n: usize| {
            let region = view.region(n);
            region.args.len() == view.operands().len() || region.args.is_empty()
        };
        let fits = |&n: &usize| {
            let types =
                |values: &[ValueId]| -> Vec<TypeId> { values.iter().map(|v| module.values[*v].ty).collect() };
            let results: Vec<ValueId> = view.results().collect();
            counts(n) && types(returned(module, view.region_id(n))) == types(&results)
        };
        edits.extend((0..view.regions().len()).filter(fits).map(|n| Edit::Body(op, n)));
    }
    edits.extend(
        module.regions[body]
            .ops
            .iter()
            .filter(|op| !module.op(**op).def().traits.terminator)
            .map(|op| Edit::Return(*op)),
    );
    if func.results.len() > 1 {
        edits.extend((0..func.results.len()).map(Edit::Result));
    }
    edits
}

/// How large a program is: its operations first.
pub(super) fn size(module: &Module) -> (usize, usize) {
    let ops = main(module).map_or(0, |(_, body)| operations(module, body).len());
    (ops, partita::text::print(module).len())
}

/// The program with a change, without what is dead after it.
pub(super) fn apply(module: &Module, edit: &Edit) -> Option<Module> {
    let mut module = module.clone();
    let (main, body) = main(&module)?;
    match *edit {
        Edit::Argument(op) => {
            let results: Vec<ValueId> = module.ops[op].results.iter().collect();
            let new: Vec<(TypeId, Option<TensorSharding>)> = results
                .iter()
                .enumerate()
                .map(|(n, v)| (module.values[*v].ty, result_sharding(&module.ops[op].attrs, n).cloned()))
                .collect();
            let added = add_arguments(&mut module, main, body, new);
            replace(&mut module, &results, &added);
        }
        Edit::Operand(op, n) => {
            let to = module.operands(op)[n];
            let results: Vec<ValueId> = module.ops[op].results.iter().collect();
            replace(&mut module, &results, &[to]);
        }
        Edit::Body(op, n) => {
            let region = module.regions_of(op)[n];
            let args: Vec<ValueId> = module.regions[region].args.iter().collect();
            let operands = module.operands(op).to_vec();
            let given = returned(&module, region).to_vec();
            // What the region returns may be its argument.
            let given: Vec<ValueId> = given
                .iter()
                .map(|v| args.iter().position(|a| a == v).map_or(*v, |place| operands[place]))
                .collect();
            let results: Vec<ValueId> = module.ops[op].results.iter().collect();
            replace(&mut module, &args, &operands);
            replace(&mut module, &results, &given);
            let inner = module.regions[region].ops.clone();
            let parent = module.regions.ids().find(|r| module.regions[*r].ops.contains(&op))?;
            let place = module.regions[parent].ops.iter().position(|o| *o == op)?;
            module.regions[parent].ops.splice(place..=place, inner.into_iter().rev().skip(1).rev());
        }
        Edit::Return(op) => {
            let results: Vec<ValueId> = module.ops[op].results.iter().collect();
            return_only(&mut module, main, body, results)?;
        }
        Edit::Result(n) => drop_result(&mut module, main, body, n)?,
        Edit::Sharding(op) => {
            module.ops[op].attrs.remove(names::SDY_SHARDING);
        }
        Edit::ArgumentSharding(n) => {
            module.funcs[main].arg_attrs[n].remove(names::SDY_SHARDING);
        }
        Edit::ResultSharding(n) => {
            module.funcs[main].result_attrs[n].remove(names::SDY_SHARDING);
        }
    }
    live(&mut module, main, body);
    Some(module)
}

fn main(module: &Module) -> Option<(FuncId, RegionId)> {
    let main = module.func_named("main")?;
    Some((main, module.funcs[main].body?))
}

fn replace(module: &mut Module, from: &[ValueId], to: &[ValueId]) {
    module.replace_operands(|v| Some(to[from.iter().position(|f| *f == v)?]));
}

/// Gives the program more arguments.
fn add_arguments(
    module: &mut Module,
    main: FuncId,
    body: RegionId,
    new: Vec<(TypeId, Option<TensorSharding>)>,
) -> Vec<ValueId> {
    let old: Vec<ValueId> = module.regions[body].args.iter().collect();
    let mut list: Vec<_> =
        old.iter().map(|v| (module.values[*v].ty, ValueName::None, module.values[*v].loc)).collect();
    let loc = module.funcs[main].loc;
    for (ty, sharding) in new {
        list.push((ty, ValueName::None, loc));
        let mut attrs = Attrs::default();
        if let Some(sharding) = sharding {
            attrs.set(names::SDY_SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))));
        }
        module.funcs[main].inputs.push(ty);
        module.funcs[main].arg_attrs.push(attrs);
    }
    let args: Vec<ValueId> = module.add_region_args(body, list).iter().collect();
    let (kept, added) = args.split_at(old.len());
    replace(module, &old, kept);
    added.to_vec()
}

fn drop_result(module: &mut Module, main: FuncId, body: RegionId, n: usize) -> Option<()> {
    let mut values = returned(module, body).to_vec();
    values.remove(n);
    let mut attrs = module.funcs[main].result_attrs.clone();
    attrs.remove(n);
    return_only(module, main, body, values)?;
    module.funcs[main].result_attrs = attrs;
    Some(())
}

/// Makes the program return these values, without shardings. Nothing where it does so already.
fn return_only(module: &mut Module, main: FuncId, body: RegionId, values: Vec<ValueId>) -> Option<()> {
    let last = *module.regions[body].ops.last()?;
    if module.operands(last) == values {
        return None;
    }
    let func = &mut module.funcs[main];
    func.results = values.iter().map(|v| module.values[*v].ty).collect();
    func.result_attrs = vec![Attrs::default(); values.len()];
    let mut new = NewOp::new(module.ops[last].kind);
    new.operands = values.into_iter().collect();
    let new = module.add_op(new);
    *module.regions[body].ops.last_mut()? = new;
    Some(())
}
