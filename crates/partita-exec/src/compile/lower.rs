//! From operations to steps.

use super::fuse::Group;
use super::ops::Ops;
use crate::kernels::compute;
use crate::kernels::convolution::Convolution;
use crate::kernels::dot::Dot;
use crate::loops::{FoldOutput, Fused, How, Instruction, Output, folder, kernel};
use crate::program::{Action, Operand, Step};
use crate::views::View;
use partita::Module;
use partita::ir::{Elem, OpId, OpRef, ValueId, names};
use partita::ops::{Eval, OpKind, combine};
use rustc_hash::{FxHashMap, FxHashSet};

fn operand(value: ValueId) -> Operand {
    Operand { value, dies: false }
}

/// A step for one operation.
pub(super) fn single(ops: &Ops<'_>, module: &Module, id: OpId) -> Step {
    let op = module.op(id);
    Step {
        op: id,
        others: Vec::new(),
        action: action(ops, op),
        operands: ops.operands(id).map(operand).collect(),
        results: op.results().map(|value| ops.is_read(value).then_some(value)).collect(),
        drops: Vec::new(),
    }
}

fn action(ops: &Ops<'_>, op: OpRef<'_>) -> Action {
    if let Some(view) = View::of(op) {
        return Action::View(view);
    }
    match op.kind() {
        OpKind::Dot | OpKind::DotGeneral => match Dot::of(op) {
            Some(dot) => Action::Dot(Box::new(dot)),
            None => Action::Reference,
        },
        OpKind::Convolution => match Convolution::of(op) {
            Some(convolution) => Action::Convolution(Box::new(convolution)),
            None => Action::Reference,
        },
        OpKind::DynamicSlice => {
            let writes =
                |id: OpId| matches!(module_kind(op, id), OpKind::DynamicUpdateSlice | OpKind::Scatter);
            let base = ops.operands(op.id).next();
            Action::DynamicSlice { copy: base.is_some_and(|base| ops.users(base).any(writes)) }
        }
        OpKind::DynamicUpdateSlice => Action::DynamicUpdateSlice,
        OpKind::Concatenate => match op.int(names::DIMENSION).and_then(|d| usize::try_from(d).ok()) {
            Some(dim) => Action::Concatenate(dim),
            None => Action::Reference,
        },
        OpKind::Pad => Action::Pad,
        _ => compute(op).map_or(Action::Reference, Action::Compute),
    }
}

fn module_kind(op: OpRef<'_>, other: OpId) -> OpKind {
    op.module.op(other).kind()
}

/// A step for a loop.
pub(super) fn fused(ops: &Ops<'_>, module: &Module, group: &Group) -> Step {
    let inside: FxHashSet<usize> = group.ops.iter().map(|op| ops.place[op]).collect();
    let is_fold = |id: &OpId| module.op(*id).kind() == OpKind::Reduce;
    let made: FxHashSet<ValueId> =
        group.ops.iter().filter(|op| !is_fold(op)).flat_map(|op| ops.results(*op)).collect();
    // Inputs first, so that registers can be counted from there.
    let mut inputs: Vec<ValueId> = Vec::new();
    let mut register: FxHashMap<ValueId, usize> = FxHashMap::default();
    for id in &group.ops {
        let count = if is_fold(id) { 1 } else { usize::MAX };
        for value in ops.operands(*id).take(count).filter(|v| !made.contains(v)) {
            register.entry(value).or_insert_with(|| {
                inputs.push(value);
                inputs.len() - 1
            });
        }
    }
    let elem = |value: ValueId| module.tensor_type(value).map_or(Elem::F32, |ty| ty.elem);
    let input_elems: Vec<Elem> = inputs.iter().map(|v| elem(*v)).collect();
    let mut code: Vec<Instruction> = Vec::new();
    let mut outputs: Vec<Output> = Vec::new();
    let mut starts: Vec<ValueId> = Vec::new();
    let mut results: Vec<Option<ValueId>> = Vec::new();
    let mut shape = Default::default();
    for &id in &group.ops {
        let op = module.op(id);
        let result = op.op().results.at(0);
        if is_fold(&id) {
            shape = op.operand_tensor(0).shape.clone();
            let mut operands = ops.operands(id);
            let (Some(from), Some(start)) = (operands.next(), operands.next()) else { continue };
            let dims = op.ints(names::DIMENSIONS);
            let folded = (0..shape.len()).map(|d| dims.contains(&(d as i64))).collect();
            let Some(folder) = combine(op).and_then(|how| folder(how, elem(from))) else { continue };
            outputs.push(Output {
                register: register[&from],
                elem: elem(result),
                fold: Some(FoldOutput { folder, folded }),
            });
            starts.push(start);
            results.push(ops.is_read(result).then_some(result));
            continue;
        }
        shape = op.result_tensor(0).shape.clone();
        let how = match (kernel(op), op.def().eval) {
            (Some(kernel), _) => How::Kernel(kernel),
            (None, Eval::Elementwise(formula)) => How::Formula(formula),
            // Nothing else is classed as elementwise.
            (None, _) => continue,
        };
        let from = ops.operands(id).map(|value| register[&value]).collect();
        register.insert(result, inputs.len() + code.len());
        code.push(Instruction { op: id, how, from, elem: elem(result) });
        if ops.leaves(result, &inside) {
            outputs.push(Output { register: register[&result], elem: elem(result), fold: None });
            results.push(Some(result));
        }
    }
    let operands = inputs.iter().chain(&starts).map(|value| operand(*value)).collect();
    Step {
        op: group.ops.last().copied().unwrap_or(group.ops[0]),
        others: group.ops.split_last().map_or(Vec::new(), |(_, others)| others.to_vec()),
        action: Action::Loop(Box::new(Fused::new(shape, input_elems, code, outputs))),
        operands,
        results: results.into(),
        drops: Vec::new(),
    }
}
