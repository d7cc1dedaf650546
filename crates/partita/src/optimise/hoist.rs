//! Stacks of layers are gathered before the loops over them.
//!
//! A loop over a stack of split layers gathers each as it needs it, and the loop back over them gathers all of them once more. Where there
//! is memory for it, the stack as a whole is gathered once, before the first of them, and the loops cut layers out of it. How a dimension of the stack
//! becomes the one that is gathered stands in the rules of the operations between.

use super::edit::{Channels, Renamed, collective_kind, regions, same_attributes};
use super::prefetch;
use super::product::{only_factor, place_of};
use super::target::{Judge, Target};
use crate::interpret::CollectiveOp;
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ledger::device_bytes;
use crate::ops::local::Local;
use crate::ops::rule::{Access, DimMap, Kind};
use crate::ops::{Eval, Spread};
use crate::partition::{Collective, Emit, Partitioned, Pattern, Purpose, remove_unused};
use crate::sharding::AtomList;
use rustc_hash::FxHashSet;

/// Gathers stacks before loops: all, or, where it is known what the program runs on, those that make it faster, the largest first.
pub(super) fn run(partitioned: &mut Partitioned, target: Option<&Target>) {
    for region in regions(&partitioned.module) {
        for stack in stacks(partitioned, region) {
            match target {
                None => stack.hoist(partitioned, region),
                Some(target) => {
                    let mut tried = partitioned.clone();
                    stack.hoist(&mut tried, region);
                    // What stays in the loop may still be gathered ahead.
                    let ahead = |program: &Partitioned| {
                        let mut program = program.clone();
                        prefetch::run(&mut program);
                        program
                    };
                    let tried_ahead = ahead(&tried);
                    let better = |judge: Judge<'_>| judge.prefers(&tried) || judge.prefers(&tried_ahead);
                    if better(target.judge(partitioned)) && better(target.judge(&ahead(partitioned))) {
                        *partitioned = tried;
                    }
                }
            }
        }
    }
}

/// A tensor of which loops gather parts.
struct Stack {
    value: ValueId,
    /// The dimension that is gathered.
    dim: usize,
    atoms: AtomList,
    /// What is done with every element before it is gathered: operations of the first site.
    elementwise: Vec<OpId>,
    sites: Vec<Site>,
}

/// A gather in a loop of what is cut out of a stack.
struct Site {
    loop_op: OpId,
    body: RegionId,
    /// What is remembered of the gather.
    known: Collective,
    chain: Chain,
}

/// The operations from a stack to a gather, each with the dimension of its result that is gathered in the end.
type Chain = Vec<(OpId, usize)>;

/// The stacks that loops of a region gather parts of, the largest first.
fn stacks(partitioned: &Partitioned, region: RegionId) -> Vec<Stack> {
    let module = &partitioned.module;
    let mut found: Vec<Stack> = Vec::new();
    for &loop_op in &module.regions[region].ops {
        let (true, &[_, body]) =
            (matches!(module.op(loop_op).def().spread, Spread::Loop), module.regions_of(loop_op))
        else {
            continue;
        };
        let here: FxHashSet<OpId> = module.regions[body].ops.iter().copied().collect();
        for known in partitioned.collectives.iter().filter(|c| here.contains(&c.op)) {
            let Some((value, dim, chain)) = origin(module, body, &here, known) else { continue };
            let Pattern::Groups(atoms) = &known.pattern else { continue };
            let (atoms, each) = (atoms.clone(), elementwise(module, &chain));
            let site = Site { loop_op, body, known: known.clone(), chain };
            let same = |s: &&mut Stack| {
                s.value == value && s.dim == dim && s.atoms == atoms && alike(module, &s.elementwise, &each)
            };
            match found.iter_mut().find(same) {
                Some(stack) => stack.sites.push(site),
                None => found.push(Stack { value, dim, atoms, elementwise: each, sites: vec![site] }),
            }
        }
    }
    let bytes = |stack: &Stack| device_bytes(&module.types[module.values[stack.value].ty]);
    found.sort_by_key(|stack| std::cmp::Reverse(bytes(stack)));
    found
}

/// What a gather of a loop is a part of, from outside the loop: the value, the dimension of it that is gathered, and the way from there.
fn origin(
    module: &Module,
    body: RegionId,
    here: &FxHashSet<OpId>,
    known: &Collective,
) -> Option<(ValueId, usize, Chain)> {
    let op = module.op(known.op);
    let (Some(CollectiveOp::AllGather), &[mut value]) = (collective_kind(op), op.operands()) else {
        return None;
    };
    let mut dim = usize::try_from(op.int(names::ALL_GATHER_DIM)?).ok()?;
    let mut chain = Chain::new();
    loop {
        let by = match module.values[value].def {
            ValueDef::Result(by, _) if here.contains(&by) => module.op(by),
            ValueDef::Arg(region, _) if region == body => return None,
            _ => break,
        };
        let Spread::Rule(rule, _) = by.def().spread else { return None };
        if by.results().len() != 1 || !by.regions().is_empty() {
            return None;
        }
        chain.push((by.id, dim));
        let rule = rule(by).ok()?;
        let factor = only_factor(rule.results.first()?, dim)?;
        let (first, others) = rule.operands.split_first()?;
        let apart = others.iter().flatten().all(|map| !map.follows(factor));
        let whole = |map: &DimMap| map.access == Access::Direct && map.factors.len() == 1;
        let place = place_of(first, factor)??;
        let plain = whole(&first[place]) && whole(&rule.results[0][dim]);
        if !apart || !plain || rule.factors[usize::from(factor.0)].kind != Kind::Parallel {
            return None;
        }
        (value, dim) = (by.operands()[0], place);
    }
    chain.reverse();
    // Only what is cut out of something larger is gathered often.
    let size = |value: ValueId| module.tensor_type(value).map(|ty| ty.shape.iter().product::<i64>());
    (size(value)? > size(op.operands()[0])?).then_some((value, dim, chain))
}

/// The operations of a way that work element by element: they can as well come first.
fn elementwise(module: &Module, chain: &Chain) -> Vec<OpId> {
    chain.iter().map(|(op, _)| *op).filter(|op| is_elementwise(module.op(*op))).collect()
}

/// Whether operations do the same to every element.
fn alike(module: &Module, some: &[OpId], others: &[OpId]) -> bool {
    let ty = |op: OpId| module.values[module.ops[op].results.at(0)].ty;
    let same = |(a, b): (&OpId, &OpId)| {
        module.ops[*a].kind == module.ops[*b].kind && ty(*a) == ty(*b) && same_attributes(module, *a, *b)
    };
    some.len() == others.len() && some.iter().zip(others).all(same)
}

fn is_elementwise(op: OpRef<'_>) -> bool {
    matches!(op.def().eval, Eval::Elementwise(_)) && op.operands().len() == 1
}

impl Stack {
    /// Gathers the stack before the first of the loops, and cuts layers out of it in all of them.
    fn hoist(&self, partitioned: &mut Partitioned, region: RegionId) {
        let mesh = partitioned.mesh.clone();
        let module = std::mem::take(&mut partitioned.module);
        let channels = Channels::after(&module).last();
        let mut emit = Emit::new(module, &mesh, channels);
        let (first, scratch) = (&self.sites[0], emit.module.add_region());
        emit.open(scratch);
        emit.loc = emit.module.ops[first.known.op].loc;
        let Collective { value, cause, reason, .. } = first.known;
        emit.purpose = Purpose { value, cause, reason };
        let mut stack = self.value;
        for &op in &self.elementwise {
            let mut ty = emit.type_of(emit.module.ops[op].results.at(0));
            ty.shape = emit.type_of(stack).shape;
            stack = enlarged(&mut emit, op, stack, ty);
        }
        let whole = emit.all_gather(stack, self.dim, &self.atoms);
        emit.close();
        place_before(&mut emit.module, region, first.loop_op, scratch);
        let mut renamed = Renamed::default();
        let parts = mesh.size_of(self.atoms.iter().copied());
        for site in &self.sites {
            let scratch = emit.module.add_region();
            emit.open(scratch);
            let mut layer = whole;
            for &(op, dim) in &site.chain {
                if !is_elementwise(emit.module.op(op)) {
                    let mut ty = emit.type_of(emit.module.ops[op].results.at(0));
                    ty.shape[dim] *= parts;
                    ty.elem = emit.type_of(whole).elem;
                    layer = enlarged(&mut emit, op, layer, ty);
                }
            }
            emit.close();
            renamed.insert(emit.module.ops[site.known.op].results.at(0), layer);
            place_before(&mut emit.module, site.body, site.known.op, scratch);
        }
        partitioned.collectives.append(&mut emit.collectives);
        partitioned.module = emit.module;
        partitioned.module.replace_operands(|value| renamed.get(&value).copied());
        remove_unused(partitioned);
    }
}

/// Moves the operations of a region before an operation of another.
fn place_before(module: &mut Module, region: RegionId, op: OpId, from: RegionId) {
    let written = std::mem::take(&mut module.regions[from].ops);
    let ops = &mut module.regions[region].ops;
    let place = ops.iter().position(|o| *o == op).unwrap_or(0);
    ops.splice(place..place, written);
}

/// An operation once more, on a larger first operand, with the type that gives.
fn enlarged(emit: &mut Emit<'_>, op: OpId, operand: ValueId, ty: TensorType) -> ValueId {
    let old = emit.module.op(op);
    let mut operands: Vec<TensorType> =
        (0..old.operands().len()).map(|n| old.operand_tensor(n).clone()).collect();
    operands[0] = emit.type_of(operand);
    let local = Local { op: old, operands: &operands, results: std::slice::from_ref(&ty), reached: &[] };
    let attrs = (old.def().localise)(&local).unwrap_or_else(|| old.op().attrs.clone());
    let mut new = NewOp::new(old.op().kind);
    new.operands = std::iter::once(operand).chain(old.operands()[1..].iter().copied()).collect();
    (new.attrs, new.loc, new.span) = (attrs, old.op().loc, old.op().span);
    new.result_types.push(emit.module.types.intern(Type::Tensor(ty)));
    let new = emit.add(new);
    emit.module.ops[new].results.at(0)
}
