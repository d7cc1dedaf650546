//! Shardings in the notations that others read.
//!
//! [`complete`] writes what propagation found into a program, as attributes of Shardy; [`to_tiles`] then rewrites a
//! program of Shardy's notation into tiles (`mhlo.sharding`), so that it goes to XLA either way.

use super::export_loops;
use super::export_manual::{self, Flat};
use super::gspmd::{ArraySharding, GroupKind, NamedSharding, TileKind, TileSharding};
use super::import::{Subject, from_sdy, value_sharding};
use super::mesh::{AtomSet, Mesh};
use super::tensor::Sharding;
use crate::diagnostic::Diagnostic;
use crate::ir::attr::IntType;
use crate::ir::module::NewOp;
use crate::ir::sdy::{AxisRef, DimSharding, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::{OpKind, Spread};
use crate::propagate::{Propagated, SlotId};
use rustc_hash::FxHashMap;

/// A sharding as Shardy writes it, over a mesh that is declared under a name.
pub fn to_sdy(strings: &mut Strings, mesh: &Mesh, symbol: Sym, sharding: &Sharding) -> TensorSharding {
    let mut axes = |atoms: &[super::Atom]| -> Vec<AxisRef> {
        let parts = mesh.parts(atoms);
        parts
            .iter()
            .map(|p| AxisRef { name: strings.intern(&mesh.axes()[p.axis].name), part: p.part })
            .collect()
    };
    let set = |atoms: AtomSet| atoms.iter().collect::<Vec<_>>();
    TensorSharding {
        mesh: MeshRef::Symbol(symbol),
        dims: sharding
            .dims
            .iter()
            .map(|d| DimSharding {
                axes: axes(&d.atoms),
                open: d.open,
                priority: (d.priority > 0).then_some(i64::from(d.priority)),
            })
            .collect(),
        replicated: axes(&set(sharding.replicated)),
        unreduced: axes(&set(sharding.unreduced)),
    }
}

/// Axes in Shardy's text, as they stand between braces.
pub fn axes_text(mesh: &Mesh, atoms: &[super::Atom]) -> String {
    let axis = |p: &super::mesh::AxisPart| match p.part {
        Some((pre, size)) => format!("\"{}\":({pre}){size}", mesh.axes()[p.axis].name),
        None => format!("\"{}\"", mesh.axes()[p.axis].name),
    };
    mesh.parts(atoms).iter().map(axis).collect::<Vec<_>>().join(", ")
}

/// A mesh in Shardy's text, `<["x"=2, "y"=4], device_ids=[…]>`.
pub fn mesh_text(mesh: &Mesh) -> String {
    let axes: Vec<String> = mesh.axes().iter().map(|a| format!("\"{}\"={}", a.name, a.size)).collect();
    let mut text = format!("<[{}]", axes.join(", "));
    if let Some(ids) = mesh.device_ids() {
        let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
        text.push_str(&format!(", device_ids=[{}]", ids.join(", ")));
    }
    text.push('>');
    text
}

/// A sharding in Shardy's text, `<@mesh, [{"x", ?}, {}]>`.
pub fn text(mesh: &Mesh, symbol: &str, sharding: &Sharding) -> String {
    if let Some(device) = sharding.device {
        return format!("<@maximal_mesh_{device}, []>");
    }
    let dim = |d: &super::DimSharding| {
        let mut parts = axes_text(mesh, &d.atoms);
        if d.open {
            parts.push_str(if parts.is_empty() { "?" } else { ", ?" });
        }
        let priority = if d.priority > 0 { format!("p{}", d.priority) } else { String::new() };
        format!("{{{parts}}}{priority}")
    };
    let dims: Vec<String> = sharding.dims.iter().map(dim).collect();
    let mut text = format!("<@{symbol}, [{}]", dims.join(", "));
    for (word, set) in [("replicated", sharding.replicated), ("unreduced", sharding.unreduced)] {
        if !set.is_empty() {
            text.push_str(&format!(", {word}={{{}}}", axes_text(mesh, &set.iter().collect::<Vec<_>>())));
        }
    }
    text.push('>');
    text
}

/// The name of the mesh with axes.
pub fn mesh_symbol(module: &Module) -> Option<Sym> {
    module.meshes.iter().find(|m| !m.mesh.axes.is_empty()).map(|m| m.name)
}

/// Writes the shardings that propagation found onto arguments, results and operations.
pub fn complete(module: &mut Module, found: &Propagated) {
    let Some(symbol) = mesh_symbol(module) else { return };
    let sharding_of = |module: &mut Module, slot: Option<SlotId>| -> Option<TensorSharding> {
        let sharding = found.sharding(slot?);
        if sharding.device.is_some() {
            // It stands in the program already.
            return None;
        }
        Some(to_sdy(&mut module.strings, &found.mesh, symbol, &sharding))
    };
    let Some(func) = module.funcs.ids().next() else { return };
    let Some(body) = module.funcs[func].body else { return };
    for (n, arg) in module.regions[body].args.iter().enumerate() {
        if let Some(sharding) = sharding_of(module, found.graph.value_slot(arg)) {
            set(&mut module.funcs[func].arg_attrs[n], sharding);
        }
    }
    for (n, slot) in found.graph.result_slots().iter().enumerate() {
        if let Some(sharding) = sharding_of(module, *slot) {
            set(&mut module.funcs[func].result_attrs[n], sharding);
        }
    }
    let shared = shared_constants(module);
    for op in module.ops.ids() {
        let results = module.ops[op].results;
        let slots: Vec<Option<SlotId>> = results.iter().map(|v| found.graph.value_slot(v)).collect();
        if slots.iter().all(Option::is_none) || results.iter().any(|v| shared[v]) {
            continue;
        }
        let closed = TensorSharding {
            mesh: MeshRef::Symbol(symbol),
            dims: Vec::new(),
            replicated: Vec::new(),
            unreduced: Vec::new(),
        };
        let list: Vec<TensorSharding> =
            slots.iter().map(|s| sharding_of(module, *s).unwrap_or_else(|| closed.clone())).collect();
        if matches!(module.op(op).def().spread, Spread::Manual) {
            let inputs: Vec<Option<TensorSharding>> =
                found.graph.manual_inputs(op).iter().map(|s| sharding_of(module, *s)).collect();
            let attrs = &mut module.ops[op].attrs;
            update(attrs, names::IN_SHARDINGS, inputs);
            update(attrs, names::OUT_SHARDINGS, list.into_iter().map(Some).collect());
        } else if matches!(module.op(op).def().spread, Spread::Constraint) {
            if found.graph.value_slot(results.at(0)).is_some_and(|s| found.sharding(s).device.is_none()) {
                let attr = Attr::Sdy(Box::new(SdyAttr::Sharding(list[0].clone())));
                module.ops[op].attrs.set(names::SHARDING, attr);
            }
        } else if list.iter().zip(&slots).all(|(s, slot)| slot.is_none() || !s.dims.is_empty()) {
            let attr = Attr::Sdy(Box::new(SdyAttr::PerValue(list)));
            module.ops[op].attrs.set(names::SDY_SHARDING, attr);
        }
    }
    settle_edges(module);
    export_loops::constrain(module);
}

/// A constraint on a value.
pub(super) fn constraint(
    module: &mut Module,
    value: ValueId,
    sharding: TensorSharding,
    (span, loc): (Span, LocId),
) -> OpId {
    let mut op = NewOp::new(OpKind::SdyShardingConstraint);
    op.operands.push(value);
    op.result_types.push(module.values[value].ty);
    op.attrs = Attrs::from(vec![(names::SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))))]);
    (op.span, op.loc) = (span, loc);
    module.add_op(op)
}

/// Edges are where Shardy keeps shardings while it works; XLA does not read them. They are left out, or where one changes
/// the sharding it becomes a constraint.
fn settle_edges(module: &mut Module) {
    let mut gone = FxHashMap::default();
    let is_edge = |kind: OpKind| matches!(kind, OpKind::SdyDataFlowEdge | OpKind::SdyFuncDataFlowEdge);
    let edges: Vec<OpId> = module.ops.ids().filter(|op| is_edge(module.ops[*op].kind)).collect();
    for op in edges {
        // What was found of it stands in the other attribute.
        module.ops[op].attrs.remove(names::SHARDING);
        let (from, to) = (module.operands(op)[0], module.ops[op].results.at(0));
        match value_sharding(module, to).cloned() {
            Some(own) if value_sharding(module, from) != Some(&own) => {
                module.ops[op].kind = OpKind::SdyShardingConstraint;
                let attr = Attr::Sdy(Box::new(SdyAttr::Sharding(own)));
                module.ops[op].attrs = Attrs::from(vec![(names::SHARDING, attr)]);
            }
            _ => {
                gone.insert(op, (to, from));
            }
        }
    }
    if gone.is_empty() {
        return;
    }
    for region in module.regions.ids() {
        module.regions[region].ops.retain(|op| !gone.contains_key(op));
    }
    let renamed: FxHashMap<ValueId, ValueId> = gone.into_values().collect();
    module.replace_operands(|mut value| {
        let first = value;
        while let Some(&before) = renamed.get(&value) {
            value = before;
        }
        (value != first).then_some(value)
    });
}

/// Replaces shardings at the edge of a region by those that were found, where the tensor has dimensions.
fn update(attrs: &mut Attrs, name: Sym, found: Vec<Option<TensorSharding>>) {
    let Some(Attr::Sdy(mut sdy)) = attrs.remove(name) else { return };
    if let SdyAttr::PerValue(list) = &mut *sdy {
        for (old, new) in list.iter_mut().zip(found) {
            if let Some(new) = new.filter(|new| new.dims.len() == old.dims.len()) {
                *old = new;
            }
        }
    }
    attrs.set(name, Attr::Sdy(sdy));
}

fn set(attrs: &mut Attrs, sharding: TensorSharding) {
    attrs.set(names::SDY_SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))));
}

/// Constants with several uses. Each use has a sharding of its own, so none can be written down.
fn shared_constants(module: &Module) -> IdVec<ValueId, bool> {
    let mut constant = IdVec::filled(false, module.values.len());
    let mut uses = IdVec::filled(0u32, module.values.len());
    for op in module.ops.ids() {
        module.operands(op).iter().for_each(|v| uses[*v] += 1);
    }
    let mut stack: Vec<RegionId> = module.funcs.iter().filter_map(|f| f.body).collect();
    while let Some(region) = stack.pop() {
        for &op in &module.regions[region].ops {
            let view = module.op(op);
            let fixed = match view.def().spread {
                Spread::Constant => true,
                Spread::Rule(..) => {
                    !view.operands().is_empty() && view.operands().iter().all(|v| constant[*v])
                }
                _ => false,
            };
            view.results().for_each(|v| constant[v] = fixed);
            stack.extend(view.regions());
        }
    }
    let mut shared = IdVec::filled(false, module.values.len());
    for value in module.values.ids() {
        shared[value] = constant[value] && uses[value] > 1;
    }
    shared
}

/// The arguments and results whose shards lie on the devices in an order of their own: only `partita.devices` says so, which others read
/// past.
pub fn own_orders(module: &Module) -> Vec<String> {
    let mut found = Vec::new();
    for func in module.funcs.iter() {
        for (word, attrs) in [("argument", &func.arg_attrs), ("result", &func.result_attrs)] {
            let own = attrs.iter().enumerate().filter(|(_, a)| a.get(names::PARTITA_DEVICES).is_some());
            found.extend(own.map(|(n, _)| format!("the order of the devices of {word} {n}")));
        }
    }
    found
}

/// Rewrites a program of Shardy's notation into tiles. Gives what the tile notation has no words for.
pub fn to_tiles(module: &mut Module, mesh: &Mesh) -> Result<Vec<String>, Vec<Diagnostic>> {
    export_loops::constrain(module);
    let flat = export_manual::flatten(module, mesh);
    let mut writer = TileWriter {
        mesh,
        groups: groups(module),
        manual: AtomSet::EMPTY,
        flat,
        errors: Vec::new(),
        lost: Vec::new(),
    };
    for func in module.funcs.ids() {
        let (inputs, results) = (module.funcs[func].inputs.clone(), module.funcs[func].results.clone());
        let span = module.funcs[func].span;
        for (n, ty) in inputs.iter().enumerate() {
            let mut attrs = std::mem::take(&mut module.funcs[func].arg_attrs[n]);
            let arg = module.funcs[func].body.map(|body| module.regions[body].args.at(n));
            let group = arg.and_then(|arg| writer.groups.get(&arg).copied());
            writer.boundary(module, &mut attrs, group, &format!("argument {n}"), *ty, span);
            module.funcs[func].arg_attrs[n] = attrs;
        }
        for (n, ty) in results.iter().enumerate() {
            let mut attrs = std::mem::take(&mut module.funcs[func].result_attrs[n]);
            writer.boundary(module, &mut attrs, None, &format!("result {n}"), *ty, span);
            module.funcs[func].result_attrs[n] = attrs;
        }
    }
    for (op, sharding) in std::mem::take(&mut writer.flat.ends) {
        let attr = Attr::Sdy(Box::new(SdyAttr::PerValue(vec![sharding])));
        module.ops[op].attrs.set(names::SDY_SHARDING, attr);
    }
    for op in module.ops.ids() {
        writer.manual = writer.flat.manual(op);
        writer.op(module, op);
    }
    // What a group said is said by its members now.
    let groups: Vec<bool> = module.ops.ids().map(|op| is_group(module.op(op))).collect();
    for region in module.regions.ids() {
        module.regions[region].ops.retain(|op| !groups[op.index()]);
    }
    if !writer.errors.is_empty() {
        return Err(writer.errors);
    }
    module.meshes.clear();
    let count = Attr::Int(mesh.device_count(), IntType::I32);
    module.attrs.set(names::MHLO_NUM_PARTITIONS, count);
    if module.attrs.get(names::MHLO_NUM_REPLICAS).is_none() {
        module.attrs.set(names::MHLO_NUM_REPLICAS, Attr::Int(1, IntType::I32));
    }
    Ok(writer.lost)
}

struct TileWriter<'m> {
    mesh: &'m Mesh,
    groups: FxHashMap<ValueId, (GroupKind, i64)>,
    /// The manual atoms where the tensor stands that is being written.
    manual: AtomSet,
    flat: Flat,
    errors: Vec<Diagnostic>,
    lost: Vec<String>,
}

impl TileWriter<'_> {
    fn boundary(
        &mut self,
        module: &mut Module,
        attrs: &mut Attrs,
        group: Option<(GroupKind, i64)>,
        name: &str,
        ty: TypeId,
        span: Span,
    ) {
        let rank = module.types[ty].as_tensor().map_or(0, TensorType::rank);
        let array = match attrs.remove(names::SDY_SHARDING) {
            Some(Attr::Sdy(sdy)) => match *sdy {
                SdyAttr::Sharding(sharding) => self.array(module, &sharding, &Subject { name, span, rank }),
                _ => None,
            },
            _ => None,
        };
        if let Some(array) = with_group(array, group) {
            let text = module.strings.intern(&array.to_string());
            attrs.set(names::MHLO_SHARDING, Attr::Str(text));
        }
    }

    /// The sharding in tiles; nothing where it says nothing. Dimensions that are open need the form with names.
    fn array(
        &mut self,
        module: &Module,
        sharding: &TensorSharding,
        subject: &Subject<'_>,
    ) -> Option<ArraySharding> {
        let known = match from_sdy(module, self.mesh, sharding, subject) {
            Ok(known) => known,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        self.note_priorities(&known, subject.name);
        let nothing = known.dims.iter().all(|d| d.open && d.atoms.is_empty());
        let plain = known.replicated.is_empty() && known.unreduced.is_empty() && known.device.is_none();
        if nothing && plain && !known.dims.is_empty() {
            return None;
        }
        let kind = if known.is_closed() {
            export_manual::local(self.mesh, &known, self.manual)
        } else {
            TileKind::Named(Box::new(self.named(&known)))
        };
        Some(ArraySharding { kind, group: None, metadata: None })
    }

    fn note_priorities(&mut self, sharding: &Sharding, name: &str) {
        if sharding.dims.iter().any(|d| d.priority > 0) {
            self.lost.push(format!("the priorities of `{name}`: tiles have none"));
        }
    }

    fn named(&self, sharding: &Sharding) -> NamedSharding {
        let mesh = self.mesh;
        let axes = |atoms: &[super::Atom]| {
            let parts = mesh.parts(atoms);
            parts.iter().map(|p| (mesh.axes()[p.axis].name.clone(), p.part)).collect::<Vec<_>>()
        };
        let set = |atoms: AtomSet| axes(&atoms.iter().collect::<Vec<_>>());
        NamedSharding {
            axes: mesh.axes().iter().map(|a| (a.name.clone(), a.size)).collect(),
            device_ids: mesh.device_ids().map(<[i64]>::to_vec),
            dims: sharding.dims.iter().map(|d| (axes(&d.atoms), d.open)).collect(),
            replicated: set(sharding.replicated),
            unreduced: set(sharding.unreduced),
            manual: set(self.manual),
        }
    }

    fn op(&mut self, module: &mut Module, op: OpId) {
        match module.op(op).def().spread {
            Spread::Constraint => self.constraint(module, op),
            Spread::Barrier => self.barrier(module, op),
            // Its body stands in its place.
            Spread::Manual => return,
            _ => {}
        }
        let list = match module.ops[op].attrs.remove(names::SDY_SHARDING) {
            Some(Attr::Sdy(sdy)) => match *sdy {
                SdyAttr::PerValue(list) => list,
                SdyAttr::Sharding(one) => vec![one],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if module.ops[op].attrs.get(names::MHLO_SHARDING).is_some() {
            return;
        }
        let results: Vec<ValueId> = module.ops[op].results.iter().collect();
        let mut arrays = Vec::with_capacity(results.len());
        let mut any = false;
        for (n, value) in results.iter().enumerate() {
            let name = module.value_name(*value);
            let rank = module.tensor_type(*value).map_or(0, TensorType::rank);
            let span = module.ops[op].span;
            let array = list.get(n).and_then(|s| self.array(module, s, &Subject { name: &name, span, rank }));
            let array = with_group(array, self.groups.get(value).copied());
            any |= array.is_some();
            arrays.push(TileSharding::Array(array.unwrap_or_else(unknown)));
        }
        if !any {
            return;
        }
        let text = match &arrays[..] {
            [one] => one.to_string(),
            _ => TileSharding::Tuple(arrays).to_string(),
        };
        let text = module.strings.intern(&text);
        module.ops[op].attrs.set(names::MHLO_SHARDING, Attr::Str(text));
    }

    /// A constraint is a call of `@Sharding`, with its open dimensions in the options.
    fn constraint(&mut self, module: &mut Module, op: OpId) {
        let value = module.ops[op].results.at(0);
        let Some(Attr::Sdy(sdy)) = module.ops[op].attrs.remove(names::SHARDING) else { return };
        let SdyAttr::Sharding(mut sharding) = *sdy else { return };
        let open: Vec<String> =
            sharding.dims.iter().enumerate().filter(|(_, d)| d.open).map(|(n, _)| n.to_string()).collect();
        let silent = sharding.dims.iter().all(|d| d.open && d.axes.is_empty()) && !open.is_empty();
        sharding.dims.iter_mut().for_each(|d| d.open = false);
        let name = module.value_name(value);
        if !open.is_empty() && !sharding.replicated.is_empty() {
            self.lost.push(format!(
                "the replicated axes of `{name}`: tiles cannot keep axes from open dimensions"
            ));
        }
        let rank = module.tensor_type(value).map_or(0, TensorType::rank);
        let span = module.ops[op].span;
        let array = self.array(module, &sharding, &Subject { name: &name, span, rank });
        let kind = match array {
            Some(array) if !silent => array.kind,
            _ => TileKind::Unknown,
        };
        let array = ArraySharding { kind, group: self.groups.get(&value).copied(), metadata: None };
        let text = module.strings.intern(&array.to_string());
        let target = module.strings.intern("Sharding");
        let config = if open.is_empty() || silent {
            String::new()
        } else {
            format!("unspecified_dims=[{}]", open.join(","))
        };
        let config = module.strings.intern(&config);
        self.call(module, op, target, config);
        module.ops[op].attrs.set(names::MHLO_SHARDING, Attr::Str(text));
    }

    fn barrier(&mut self, module: &mut Module, op: OpId) {
        let target = match module.op(op).int(names::ALLOWED_DIRECTION) {
            Some(1) => "ShardBarrierTo",
            Some(2) => "ShardBarrierFrom",
            _ => {
                let name = module.value_name(module.ops[op].results.at(0));
                self.lost.push(format!("the barrier `{name}`: tiles bar one direction, not both or none"));
                "ShardBarrierFrom"
            }
        };
        let target = module.strings.intern(target);
        self.call(module, op, target, names::EMPTY);
        module.ops[op].attrs.set(names::HAS_SIDE_EFFECT, Attr::Bool(true));
    }

    fn call(&mut self, module: &mut Module, op: OpId, target: Sym, config: Sym) {
        module.ops[op].kind = OpKind::CustomCall;
        let attrs =
            vec![(names::CALL_TARGET_NAME, Attr::Str(target)), (names::BACKEND_CONFIG, Attr::Str(config))];
        // The sharding of the result is still to be written.
        let sharding = module.ops[op].attrs.remove(names::SDY_SHARDING);
        module.ops[op].attrs = Attrs::from(attrs);
        if let Some(sharding) = sharding {
            module.ops[op].attrs.set(names::SDY_SHARDING, sharding);
        }
    }
}

/// Nothing is said.
fn unknown() -> ArraySharding {
    ArraySharding { kind: TileKind::Unknown, group: None, metadata: None }
}

fn with_group(array: Option<ArraySharding>, group: Option<(GroupKind, i64)>) -> Option<ArraySharding> {
    if group.is_none() {
        return array;
    }
    Some(ArraySharding { group, ..array.unwrap_or_else(unknown) })
}

fn is_group(op: OpRef<'_>) -> bool {
    matches!(op.def().spread, Spread::Group)
}

/// The groups that values are members of.
fn groups(module: &Module) -> FxHashMap<ValueId, (GroupKind, i64)> {
    let member = |op: OpRef<'_>| {
        let &[value] = op.operands() else { return None };
        let like = op.attr(names::PARTITA_SHARD_LIKE).is_some();
        Some((value, (if like { GroupKind::Like } else { GroupKind::As }, op.int(names::GROUP_ID)?)))
    };
    module.ops.ids().map(|op| module.op(op)).filter(|op| is_group(*op)).filter_map(member).collect()
}
