//! Manual regions that are written as calls.
//!
//! `@SPMDFullToShardShape` begins such a region and `@SPMDShardToFullShape` ends it; what lies between computes on
//! shards. Everything that depends on a value of the one kind of call and on none of the other becomes the body of
//! one `sdy.manual_computation`, which takes the place of the first call that ends it.

use crate::diagnostic::Diagnostic;
use crate::ir::module::NewOp;
use crate::ir::sdy::{AxisRef, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::{OpKind, Spread};
use crate::sharding::import::value_sharding;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the calls of a program say.
#[derive(Default)]
pub(super) struct Calls {
    /// The manual axes of each call that begins a region.
    pub(super) begins: FxHashMap<OpId, Vec<Sym>>,
    /// The sharding of the result of each call that ends one.
    pub(super) ends: FxHashMap<OpId, TensorSharding>,
    /// The common mesh.
    pub(super) mesh: Option<Sym>,
}

impl Calls {
    /// The sharding of what has no dimensions.
    fn unsplit(&self) -> Option<TensorSharding> {
        let mesh = MeshRef::Symbol(self.mesh?);
        Some(TensorSharding { mesh, dims: Vec::new(), replicated: Vec::new(), unreduced: Vec::new() })
    }
}

/// Whether an op begins (true) or ends (false) a manual region.
pub(super) fn boundary(op: OpRef<'_>) -> Option<bool> {
    if op.kind() != OpKind::CustomCall || op.operands().len() != 1 || op.results().len() != 1 {
        return None;
    }
    match op.str(names::CALL_TARGET_NAME)? {
        "SPMDFullToShardShape" => Some(true),
        "SPMDShardToFullShape" => Some(false),
        _ => None,
    }
}

/// Forms the regions. Returns values and those that were added in place of them, in the order of the latter.
pub(super) fn form(module: &mut Module, calls: &Calls) -> Result<Vec<(ValueId, ValueId)>, Diagnostic> {
    if calls.begins.is_empty() && calls.ends.is_empty() {
        return Ok(Vec::new());
    }
    let mut renamed = FxHashMap::default();
    let mut uses = IdVec::filled(0u32, module.values.len());
    for op in module.ops.ids() {
        module.operands(op).iter().for_each(|value| uses[*value] += 1);
    }
    for region in module.regions.ids() {
        if module.regions[region]
            .ops
            .iter()
            .any(|op| calls.begins.contains_key(op) || calls.ends.contains_key(op))
        {
            form_in(module, region, calls, &uses, &mut renamed)?;
        }
    }
    module.replace_operands(|value| renamed.get(&value).copied());
    let mut replaced: Vec<(ValueId, ValueId)> = renamed.into_iter().collect();
    replaced.sort_unstable_by_key(|(_, new)| *new);
    Ok(replaced)
}

/// The operations of one manual region, by their positions.
#[derive(Default)]
struct Body {
    begins: Vec<usize>,
    inner: Vec<usize>,
    ends: Vec<usize>,
}

fn form_in(
    module: &mut Module,
    region: RegionId,
    calls: &Calls,
    uses: &IdVec<ValueId, u32>,
    renamed: &mut FxHashMap<ValueId, ValueId>,
) -> Result<(), Diagnostic> {
    let ops = module.regions[region].ops.clone();
    let mut bodies: Vec<Body> = Vec::new();
    // Which body each value on shards belongs to.
    let mut owner: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut beginning: Option<(usize, &Vec<Sym>)> = None;
    for (at, &op) in ops.iter().enumerate() {
        let mut owners: Vec<usize> = used(module, op).iter().filter_map(|v| owner.get(v).copied()).collect();
        owners.sort_unstable();
        owners.dedup();
        if let Some(axes) = calls.begins.get(&op) {
            // Calls with none between them that ends a region begin one together.
            let body = match beginning.filter(|(_, of)| *of == axes && owners.is_empty()) {
                Some((body, _)) => body,
                None => {
                    bodies.push(Body::default());
                    bodies.len() - 1
                }
            };
            bodies[body].begins.push(at);
            owner.insert(module.ops[op].results.at(0), body);
            beginning = Some((body, axes));
            continue;
        }
        // What depends on nothing that is handed in belongs to the region that began last.
        let open = || bodies.iter().rposition(|body| !body.begins.is_empty());
        let ends = calls.ends.contains_key(&op);
        let Some(first) = owners.first().copied().or_else(|| open().filter(|_| ends)) else {
            if ends {
                let message = "this call ends a manual region that none begins";
                return Err(Diagnostic::new("manual-region", module.ops[op].span, message)
                    .fix("begin it with `@SPMDFullToShardShape`"));
            }
            continue;
        };
        if ends {
            beginning = None;
        }
        for &other in owners.iter().skip(1) {
            let merged = std::mem::take(&mut bodies[other]);
            bodies[first].begins.extend(merged.begins);
            bodies[first].inner.extend(merged.inner);
            bodies[first].ends.extend(merged.ends);
            owner.values_mut().filter(|o| **o == other).for_each(|o| *o = first);
        }
        if calls.ends.contains_key(&op) {
            bodies[first].ends.push(at);
        } else {
            bodies[first].inner.push(at);
            module.ops[op].results.iter().for_each(|v| {
                owner.insert(v, first);
            });
        }
    }
    let mut gone: FxHashSet<OpId> = FxHashSet::default();
    let mut placed: FxHashMap<usize, OpId> = FxHashMap::default();
    for mut body in bodies.into_iter().filter(|b| !b.begins.is_empty()) {
        take_constants(module, &ops, &mut body, &owner)?;
        let all = || body.begins.iter().chain(&body.inner).chain(&body.ends);
        let first_end = body.ends.iter().min().or(all().max()).copied().unwrap_or(0);
        let made = build(module, &ops, &body, calls, renamed)?;
        gone.extend(all().map(|at| ops[*at]));
        gone.extend(entry_constraints(module, made, uses));
        placed.insert(first_end, made);
    }
    let mut list = Vec::with_capacity(ops.len());
    for (at, &op) in ops.iter().enumerate() {
        list.extend(placed.get(&at).copied());
        if !gone.contains(&op) {
            list.push(op);
        }
    }
    module.regions[region].ops = list;
    Ok(())
}

/// The region itself says how what it takes is split. Gives the constraints that say it to nobody else, which it then
/// passes over.
fn entry_constraints(module: &mut Module, region: OpId, uses: &IdVec<ValueId, u32>) -> Vec<OpId> {
    let mut passed = Vec::new();
    for (n, value) in module.operands(region).to_vec().into_iter().enumerate() {
        if let ValueDef::Result(op, _) = module.values[value].def
            && matches!(module.op(op).def().spread, Spread::Constraint)
            && uses[value] == 1
        {
            module.set_operand(region, n, module.operands(op)[0]);
            passed.push(op);
        }
    }
    passed
}

/// Everything an op uses, in its regions too.
fn used(module: &Module, op: OpId) -> Vec<ValueId> {
    module.within(op).flat_map(|op| module.operands(op)).copied().collect()
}

/// A region sees nothing from outside: what it uses besides its own values must be made of nothing, and moves into it.
fn take_constants(
    module: &Module,
    ops: &[OpId],
    body: &mut Body,
    owner: &FxHashMap<ValueId, usize>,
) -> Result<(), Diagnostic> {
    let position: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(at, op)| (*op, at)).collect();
    let mut own: FxHashSet<usize> = body.begins.iter().chain(&body.inner).copied().collect();
    let mut work: Vec<usize> = body.inner.iter().chain(&body.ends).copied().collect();
    while let Some(at) = work.pop() {
        for value in used(module, ops[at]) {
            let outside = || {
                let name = module.value_name(value);
                let message = format!("the manual region uses `{name}`, which is made outside of it");
                Diagnostic::new("manual-region", module.ops[ops[at]].span, message)
                    .value(name)
                    .fix("hand it in through `@SPMDFullToShardShape`")
            };
            let op = match module.values[value].def {
                ValueDef::Result(op, _) => op,
                // Arguments of regions inside are their own affair.
                ValueDef::Arg(region, _) if module.funcs.iter().any(|f| f.body == Some(region)) => {
                    return Err(outside());
                }
                ValueDef::Arg(..) => continue,
            };
            // What stands in a region inside is not listed here.
            let Some(&made) = position.get(&op) else { continue };
            if own.contains(&made) || owner.contains_key(&value) {
                continue;
            }
            let shared = ops.iter().enumerate().any(|(n, user)| {
                !own.contains(&n)
                    && !body.ends.contains(&n)
                    && n != at
                    && used(module, *user).contains(&value)
            });
            if shared {
                return Err(outside());
            }
            own.insert(made);
            body.inner.push(made);
            work.push(made);
        }
    }
    body.inner.sort_unstable();
    Ok(())
}

fn build(
    module: &mut Module,
    ops: &[OpId],
    body: &Body,
    calls: &Calls,
    renamed: &mut FxHashMap<ValueId, ValueId>,
) -> Result<OpId, Diagnostic> {
    let first = ops[body.begins[0]];
    let axes = calls.begins[&first].clone();
    let mut op = NewOp::new(OpKind::SdyManualComputation);
    op.span = module.ops[first].span;
    op.loc = module.ops[first].loc;
    let mut in_shardings = Vec::new();
    let mut args = Vec::new();
    for &at in &body.begins {
        let call = ops[at];
        if calls.begins[&call] != axes {
            let message = "the calls that begin one manual region name different manual axes";
            return Err(Diagnostic::new("manual-region", module.ops[call].span, message));
        }
        let operand = module.operands(call)[0];
        let splits = module.tensor_type(operand).is_some_and(|t| t.rank() > 0);
        let given = value_sharding(module, operand).cloned();
        let Some(sharding) = given.or_else(|| (!splits).then(|| calls.unsplit()).flatten()) else {
            let name = module.value_name(operand);
            let message = format!("`{name}` enters a manual region, but no sharding says how it is split");
            return Err(Diagnostic::new("manual-region", module.ops[call].span, message)
                .value(name)
                .fix("annotate it with `@Sharding`"));
        };
        op.operands.push(operand);
        in_shardings.push(whole(sharding, &axes));
        let result = &module.values[module.ops[call].results.at(0)];
        args.push((result.ty, result.name, result.loc));
    }
    let region = module.add_region();
    let args = module.add_region_args(region, args);
    for (&at, arg) in body.begins.iter().zip(args.iter()) {
        renamed.insert(module.ops[ops[at]].results.at(0), arg);
    }
    let mut end = NewOp::new(OpKind::SdyReturn);
    let mut out_shardings = Vec::new();
    for &at in &body.ends {
        end.operands.push(module.operands(ops[at])[0]);
        op.result_types.push(module.values[module.ops[ops[at]].results.at(0)].ty);
        out_shardings.push(whole(calls.ends[&ops[at]].clone(), &axes));
    }
    let end = module.add_op(end);
    module.regions[region].ops = body.inner.iter().map(|at| ops[*at]).chain([end]).collect();
    op.regions.push(region);
    let per_value = |list| Attr::Sdy(Box::new(SdyAttr::PerValue(list)));
    op.attrs = Attrs::from(vec![
        (names::IN_SHARDINGS, per_value(in_shardings)),
        (names::OUT_SHARDINGS, per_value(out_shardings)),
        (names::MANUAL_AXES, Attr::Sdy(Box::new(SdyAttr::ManualAxes(axes)))),
    ]);
    let made = module.add_op(op);
    for (&at, new) in body.ends.iter().zip(module.ops[made].results.iter()) {
        let old = module.ops[ops[at]].results.at(0);
        module.values[new].name = module.values[old].name;
        renamed.insert(old, new);
    }
    Ok(made)
}

/// A sharding at the edge of a manual region names every manual axis: what splits no dimension is replicated.
fn whole(mut sharding: TensorSharding, axes: &[Sym]) -> TensorSharding {
    debug_assert!(matches!(sharding.mesh, MeshRef::Symbol(_)));
    for &name in axes {
        let named = |list: &[AxisRef]| list.iter().any(|a| a.name == name);
        if !sharding.dims.iter().any(|d| named(&d.axes)) && !named(&sharding.replicated) {
            sharding.replicated.push(AxisRef { name, part: None });
        }
    }
    sharding
}
