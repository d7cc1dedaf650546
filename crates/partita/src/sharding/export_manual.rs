//! Manual regions as calls: `@SPMDFullToShardShape` where one begins, `@SPMDShardToFullShape` where it ends.

use super::export::constraint;
use super::gspmd::{ArraySharding, TileKind};
use super::manual::manual_atoms;
use super::mesh::{AtomSet, Mesh};
use super::tensor::Sharding;
use super::tiles;
use crate::ir::module::NewOp;
use crate::ir::sdy::{SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::{OpKind, Spread};
use rustc_hash::FxHashMap;

/// A sharding of a value that is local along manual atoms.
pub(super) fn local(mesh: &Mesh, sharding: &Sharding, manual: AtomSet) -> TileKind {
    if !manual.is_empty() && mesh.all_atoms().minus(manual).is_empty() {
        return TileKind::Manual;
    }
    tiles::to_tiles(mesh, sharding, manual)
}

/// Puts the bodies of manual regions in the place of the regions. Gives the manual atoms of the operations in them, and
/// what the calls that end regions say.
pub(super) fn flatten(module: &mut Module, mesh: &Mesh) -> Flat {
    let mut flat = Flat::default();
    let mut renamed = FxHashMap::default();
    // Regions that a region holds come after it, so an inner manual region finds what the outer one said.
    let mut at = 0;
    while at < module.regions.len() {
        let region = RegionId::from_index(at);
        let ops = std::mem::take(&mut module.regions[region].ops);
        let mut list = Vec::with_capacity(ops.len());
        for op in ops {
            if is_manual(module, op) {
                flat.region(module, mesh, op, &mut list, &mut renamed);
            } else {
                list.push(op);
            }
        }
        // A body may begin with another region: it is looked at again.
        let again = list.iter().any(|op| is_manual(module, *op));
        module.regions[region].ops = list;
        at += usize::from(!again);
    }
    let last = |value: ValueId| {
        let mut found = None;
        let mut next = renamed.get(&value);
        while let Some(&value) = next {
            found = Some(value);
            next = renamed.get(&value);
        }
        found
    };
    module.replace_operands(last);
    flat
}

fn is_manual(module: &Module, op: OpId) -> bool {
    matches!(module.op(op).def().spread, Spread::Manual)
}

/// What is left of manual regions when their bodies stand outside.
#[derive(Default)]
pub(super) struct Flat {
    manual: FxHashMap<OpId, AtomSet>,
    /// The shardings of the results of calls that end a region.
    pub(super) ends: Vec<(OpId, TensorSharding)>,
}

impl Flat {
    /// The manual atoms where an operation stands.
    pub(super) fn manual(&self, op: OpId) -> AtomSet {
        self.manual.get(&op).copied().unwrap_or_default()
    }

    fn region(
        &mut self,
        module: &mut Module,
        mesh: &Mesh,
        op: OpId,
        list: &mut Vec<OpId>,
        renamed: &mut FxHashMap<ValueId, ValueId>,
    ) {
        let outer = self.manual(op);
        let Some(&body) = module.regions_of(op).first() else { return };
        let (ins, outs) =
            (shardings(module, op, names::IN_SHARDINGS), shardings(module, op, names::OUT_SHARDINGS));
        let manual = outer.union(manual_atoms(mesh, module.op(op)));
        let (span, loc) = (module.ops[op].span, module.ops[op].loc);
        let args: Vec<ValueId> = module.regions[body].args.iter().collect();
        for ((operand, arg), sharding) in module.operands(op).to_vec().into_iter().zip(args).zip(ins) {
            let mut whole = operand;
            // A token lies nowhere in particular.
            if module.tensor_type(operand).is_some() {
                let constraint = constraint(module, operand, sharding, (span, loc));
                self.manual.insert(constraint, outer);
                whole = module.ops[constraint].results.at(0);
                list.push(constraint);
            }
            let ty = module.values[arg].ty;
            let begin = call(module, "SPMDFullToShardShape", whole, ty, (span, loc));
            let rank = module.types[ty].as_tensor().map_or(0, TensorType::rank);
            let kind = local(mesh, &Sharding::replicated(rank), manual);
            let text = ArraySharding { kind, group: None, metadata: None }.to_string();
            let text = module.strings.intern(&text);
            module.ops[begin].attrs.set(names::MHLO_SHARDING, Attr::Str(text));
            renamed.insert(arg, module.ops[begin].results.at(0));
            list.push(begin);
        }
        let mut inner = std::mem::take(&mut module.regions[body].ops);
        let returned = inner.pop().map(|last| module.operands(last).to_vec()).unwrap_or_default();
        for &op in &inner {
            self.mark(module, op, manual);
        }
        list.extend(inner);
        let results: Vec<ValueId> = module.ops[op].results.iter().collect();
        for ((value, result), sharding) in returned.into_iter().zip(results).zip(outs) {
            let end = call(module, "SPMDShardToFullShape", value, module.values[result].ty, (span, loc));
            self.manual.insert(end, outer);
            self.ends.push((end, sharding));
            renamed.insert(result, module.ops[end].results.at(0));
            list.push(end);
        }
    }

    /// Notes the manual atoms of an operation and those in it. Names from inside a region may stand outside already.
    fn mark(&mut self, module: &mut Module, op: OpId, manual: AtomSet) {
        let mut stack = vec![op];
        while let Some(op) = stack.pop() {
            self.manual.insert(op, manual);
            for value in module.ops[op].results.iter() {
                module.values[value].name = ValueName::None;
            }
            for &region in module.regions_of(op) {
                stack.extend(&module.regions[region].ops);
            }
        }
    }
}

fn call(module: &mut Module, target: &str, operand: ValueId, ty: TypeId, (span, loc): (Span, LocId)) -> OpId {
    let target = module.strings.intern(target);
    let mut op = NewOp::new(OpKind::CustomCall);
    op.operands.push(operand);
    op.result_types.push(ty);
    op.attrs = Attrs::from(vec![
        (names::CALL_TARGET_NAME, Attr::Str(target)),
        (names::BACKEND_CONFIG, Attr::Str(names::EMPTY)),
    ]);
    (op.span, op.loc) = (span, loc);
    module.add_op(op)
}

fn shardings(module: &Module, op: OpId, name: Sym) -> Vec<TensorSharding> {
    match module.ops[op].attrs.get(name) {
        Some(Attr::Sdy(sdy)) => match &**sdy {
            SdyAttr::PerValue(list) => list.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
