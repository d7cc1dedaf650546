//! Values are sent in the narrow type that they are used in.
//!
//! Weights are kept in a wide type and converted where they are used. Where they are gathered before a loop, the conversion stands in the loop, behind the slice
//! of an iteration: the gather sends the wide type, and the loop holds it. Conversions commute with operations that only move elements, so the conversion comes
//! before the collective where everything that is done with its result ends in one narrower type.

use super::edit::{Renamed, collective_kind, regions};
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::partition::{Partitioned, remove_unused};
use rustc_hash::{FxHashMap, FxHashSet};

/// Converts before collectives where all uses convert to one narrower type.
pub(super) fn run(partitioned: &mut Partitioned) {
    let module = &mut partitioned.module;
    let ops = module.reachable_ops();
    if ops.iter().all(|op| collective_kind(module.op(*op)).is_none()) {
        return;
    }
    let uses = Lists::new(module.values.len(), |tell| {
        ops.iter().for_each(|op| module.operands(*op).iter().for_each(|value| tell(*value, *op)));
    });
    let mut converts: FxHashMap<OpId, OpId> = FxHashMap::default();
    let mut renamed = Renamed::default();
    for collective in ops {
        if let Some(found) = Narrower::find(module, &uses, collective) {
            converts.insert(collective, found.apply(module, collective, &mut renamed));
        }
    }
    if converts.is_empty() {
        return;
    }
    for region in regions(module) {
        if module.regions[region].ops.iter().any(|op| converts.contains_key(op)) {
            let ops = std::mem::take(&mut module.regions[region].ops);
            let with_convert = |op: OpId| converts.get(&op).copied().into_iter().chain([op]);
            module.regions[region].ops = ops.into_iter().flat_map(with_convert).collect();
        }
    }
    module.replace_operands(|value| renamed.get(&value).copied());
    remove_unused(partitioned);
}

/// A collective's result that all uses convert to one narrower type.
struct Narrower {
    /// The narrower type that it ends in.
    to: Elem,
    /// The result and all that is cut out of it.
    values: Vec<ValueId>,
    /// The conversions at the end.
    converts: Vec<OpId>,
}

impl Narrower {
    fn find(module: &Module, uses: &Lists<ValueId, OpId>, collective: OpId) -> Option<Narrower> {
        let op = module.op(collective);
        let kind = collective_kind(op)?;
        let moves = matches!(kind, CollectiveOp::AllGather | CollectiveOp::AllToAll | CollectiveOp::Permute);
        let first =
            op.results().next().filter(|_| moves && op.results().len() == 1 && op.operands().len() == 1)?;
        let from = module.tensor_type(first)?.elem;
        let (mut to, mut converts) = (None, Vec::new());
        let (mut values, mut seen) = (vec![first], FxHashSet::from_iter([first]));
        let mut next = 0;
        while let Some(&value) = values.get(next) {
            next += 1;
            if uses.of(value).is_empty() {
                return None;
            }
            for &user in uses.of(value) {
                let user = module.op(user);
                let result = |n: usize| user.results().nth(n);
                if user.kind() == OpKind::Convert {
                    let elem = user.result_type(0).as_tensor()?.elem;
                    if *to.get_or_insert(elem) != elem {
                        return None;
                    }
                    converts.push(user.id);
                } else if user.kind() == OpKind::OptimizationBarrier {
                    let places = (0..user.operands().len()).filter(|n| user.operands()[*n] == value);
                    values.extend(places.filter_map(result).filter(|value| seen.insert(*value)));
                } else if moves_elements(user.kind())
                    && user.operands()[1..].iter().all(|other| *other != value)
                {
                    values.extend(result(0).filter(|value| seen.insert(*value)));
                } else {
                    return None;
                }
            }
        }
        let to = to?;
        let is_narrower = from.is_float() && to.is_float() && to.bits() < from.bits();
        is_narrower.then_some(Narrower { to, values, converts })
    }

    /// Gives values their narrower type; returns the conversion of the collective's operand.
    fn apply(self, module: &mut Module, collective: OpId, renamed: &mut Renamed) -> OpId {
        let narrow = |module: &mut Module, value: ValueId| {
            let ty = TensorType {
                elem: self.to,
                ..module.tensor_type(value).cloned().unwrap_or_else(|| TensorType::scalar(self.to))
            };
            module.types.intern(Type::Tensor(ty))
        };
        let operand = module.operands(collective)[0];
        let mut convert = NewOp::new(OpKind::Convert);
        convert.operands.push(operand);
        convert.result_types.push(narrow(module, operand));
        convert.loc = module.ops[self.converts[0]].loc;
        let convert = module.add_op(convert);
        let converted = module.ops[convert].results.at(0);
        module.set_operands(collective, &[converted]);
        for value in self.values {
            module.values[value].ty = narrow(module, value);
        }
        for op in self.converts {
            let from = module.operands(op)[0];
            renamed.insert(module.ops[op].results.at(0), from);
        }
        convert
    }
}

/// Returns whether an operation gives elements of its first operand and nothing else.
fn moves_elements(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Broadcast
            | OpKind::BroadcastInDim
            | OpKind::DynamicSlice
            | OpKind::Gather
            | OpKind::Reshape
            | OpKind::Reverse
            | OpKind::Slice
            | OpKind::Transpose
    )
}
