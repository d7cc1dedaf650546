//! All shardings of a program in one notation, over one mesh.
//!
//! What comes in may be written over several meshes, over meshes in place, or in tiles (`mhlo.sharding`, calls of
//! `@Sharding` and their like). After this step there is one `sdy.mesh` (besides those that place a tensor on one
//! device), every sharding is Shardy's and names it, and tile annotations are ops of Shardy. Ids of values and ops
//! stay as they were.

mod manual;
mod sources;
#[cfg(test)]
mod tests;
mod tiles;

use super::common::{CommonMesh, NamedGrid, Part};
use super::gspmd::{GroupKind, TileSharding};
use crate::diagnostic::Diagnostic;
use crate::ir::attr::IntType;
use crate::ir::module::{MeshDecl, NewOp};
use crate::ir::sdy::{AxisRef, DimSharding, MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::OpKind;
use rustc_hash::FxHashMap;
use sources::{Sources, Tile, grid_of};

/// Where the axes of the common mesh have their names from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axes {
    /// From the program.
    Named,
    /// They are `m0`, `m1`, …: the program has only tiles.
    FromTiles,
}

/// The outcome of bringing a module onto one mesh.
#[derive(Clone, Debug)]
pub struct Unified {
    /// The source of the axes' names.
    pub axes: Axes,
    /// Values and those that were added in place of them, in the order of the latter.
    pub replaced: Vec<(ValueId, ValueId)>,
}

/// Brings all shardings of a module into Shardy's notation over one mesh.
pub fn unify(module: &mut Module) -> Result<Unified, Vec<Diagnostic>> {
    let sources = Sources::collect(module)?;
    if sources.already_one() {
        return Ok(Unified { axes: Axes::Named, replaced: Vec::new() });
    }
    let common = sources.common(module)?;
    let axes = if common.named { Axes::Named } else { Axes::FromTiles };
    let symbol = declare(module, &common, sources.base);
    let mut unifier = Unifier {
        common,
        symbol,
        tiles: sources.tiles,
        grids: FxHashMap::default(),
        manual: manual::Calls { mesh: Some(symbol), ..manual::Calls::default() },
        order: None,
        errors: Vec::new(),
    };
    unifier.functions(module);
    unifier.regions(module);
    let mut replaced = Vec::new();
    if unifier.errors.is_empty() {
        match manual::form(module, &unifier.manual) {
            Ok(values) => replaced = values,
            Err(error) => unifier.errors.push(error),
        }
    }
    unifier.keep_meshes(module);
    if unifier.errors.is_empty() { Ok(Unified { axes, replaced }) } else { Err(unifier.errors) }
}

/// Whether a program says anything of devices: by a mesh with axes, or by tiles of which some device holds a part.
pub fn names_devices(module: &Module) -> Result<bool, Vec<Diagnostic>> {
    Ok(Sources::collect(module)?.names_devices())
}

/// Declares the common mesh, under the name of the one it is where that is declared.
fn declare(module: &mut Module, common: &CommonMesh, base: Option<Sym>) -> Sym {
    if let Some(name) = base {
        return name;
    }
    let grid = common.grid();
    let axes = grid.axes.iter().map(|(name, size)| (module.strings.intern(name), *size)).collect();
    declare_mesh(module, MeshAttr { axes, device_ids: grid.device_ids.clone() })
}

/// Declares a mesh under a name that is not taken.
pub fn declare_mesh(module: &mut Module, mesh: MeshAttr) -> Sym {
    let taken = |module: &Module, name: Sym| {
        module.meshes.iter().any(|m| m.name == name) || module.func(name).is_some()
    };
    let mut name = module.strings.intern("mesh");
    let mut n = 0;
    while taken(module, name) {
        name = module.strings.intern(&format!("mesh_{n}"));
        n += 1;
    }
    let decl = MeshDecl {
        name,
        mesh,
        attrs: Attrs::default(),
        loc: LocTable::unknown(),
        span: Span::default(),
        before_func: 0,
    };
    module.meshes.insert(0, decl);
    name
}

/// Calls that stand for annotations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Sharding,
    BarrierFrom,
    BarrierTo,
}

impl Call {
    fn of(op: OpRef<'_>) -> Option<Call> {
        if op.kind() != OpKind::CustomCall || op.operands().len() != 1 || op.results().len() != 1 {
            return None;
        }
        op.operand_type(0).as_tensor()?;
        if op.operand_type(0) != op.result_type(0) {
            return None;
        }
        match op.str(names::CALL_TARGET_NAME)? {
            "Sharding" => Some(Call::Sharding),
            "ShardBarrierFrom" => Some(Call::BarrierFrom),
            "ShardBarrierTo" => Some(Call::BarrierTo),
            _ => None,
        }
    }
}

/// What a sharding is about.
struct Subject {
    name: String,
    rank: usize,
    span: Span,
}

impl Subject {
    fn of(module: &Module, value: ValueId, span: Span) -> Subject {
        let rank = module.tensor_type(value).map_or(0, TensorType::rank);
        Subject { name: module.value_name(value), rank, span }
    }
}

struct Unifier {
    common: CommonMesh,
    symbol: Sym,
    tiles: FxHashMap<Sym, Tile>,
    /// The axes of other meshes in parts of the common one.
    grids: FxHashMap<MeshAttr, Vec<Vec<Part>>>,
    manual: manual::Calls,
    /// The devices of the tiles that were written last, where they stand in an order that contradicts the mesh.
    order: Option<Vec<i64>>,
    errors: Vec<Diagnostic>,
}

impl Unifier {
    fn functions(&mut self, module: &mut Module) {
        for func in module.funcs.ids() {
            let span = module.funcs[func].span;
            let args: Vec<Option<ValueId>> = match module.funcs[func].body {
                Some(body) => module.regions[body].args.iter().map(Some).collect(),
                None => vec![None; module.funcs[func].inputs.len()],
            };
            let rank = |module: &Module, ty: TypeId| module.types[ty].as_tensor().map_or(0, TensorType::rank);
            for n in 0..module.funcs[func].arg_attrs.len() {
                let mut attrs = std::mem::take(&mut module.funcs[func].arg_attrs[n]);
                let name = args.get(n).copied().flatten().map(|v| module.value_name(v));
                let name = name.unwrap_or_else(|| format!("argument {n}"));
                let subject = Subject { name, rank: rank(module, module.funcs[func].inputs[n]), span };
                let group = self.boundary(module, &mut attrs, &subject);
                module.funcs[func].arg_attrs[n] = attrs;
                if let (Some(group), Some(body), Some(Some(arg))) =
                    (group, module.funcs[func].body, args.get(n))
                {
                    let op = group_op(module, *arg, group);
                    module.regions[body].ops.insert(0, op);
                }
            }
            for n in 0..module.funcs[func].result_attrs.len() {
                let mut attrs = std::mem::take(&mut module.funcs[func].result_attrs[n]);
                let rank = rank(module, module.funcs[func].results[n]);
                let subject = Subject { name: format!("result {n}"), rank, span };
                self.boundary(module, &mut attrs, &subject);
                module.funcs[func].result_attrs[n] = attrs;
            }
        }
    }

    /// Rewrites the sharding of an argument or result; gives the group it is in.
    fn boundary(
        &mut self,
        module: &mut Module,
        attrs: &mut Attrs,
        subject: &Subject,
    ) -> Option<(GroupKind, i64)> {
        let tiles = attrs.remove(names::MHLO_SHARDING);
        if attrs.get(names::SDY_SHARDING).is_some() {
            self.rewrite_attrs(module, attrs, subject.span);
            return None;
        }
        let Some(Attr::Str(text)) = tiles else { return None };
        let TileSharding::Array(array) = self.tiles.get(&text)?.sharding.clone() else { return None };
        if let Some(sharding) = self.array(module, &array, subject) {
            attrs.set(names::SDY_SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))));
        }
        if let Some(order) = self.order.take() {
            attrs.set(names::PARTITA_DEVICES, Attr::i64s(order));
        }
        array.group
    }

    fn regions(&mut self, module: &mut Module) {
        for region in module.regions.ids() {
            let ops = std::mem::take(&mut module.regions[region].ops);
            let mut all = Vec::with_capacity(ops.len());
            for op in ops {
                all.push(op);
                if let Some(group) = self.op(module, op) {
                    let value = module.ops[op].results.at(0);
                    all.push(group_op(module, value, group));
                }
            }
            module.regions[region].ops = all;
        }
    }

    /// Rewrites the shardings of an op; gives the group its result is in.
    fn op(&mut self, module: &mut Module, op: OpId) -> Option<(GroupKind, i64)> {
        let span = module.ops[op].span;
        let mut attrs = std::mem::take(&mut module.ops[op].attrs);
        self.rewrite_attrs(module, &mut attrs, span);
        module.ops[op].attrs = attrs;
        let call = Call::of(module.op(op));
        let text = module.ops[op].attrs.remove(names::MHLO_SHARDING).and_then(|a| a.as_str());
        match call {
            Some(Call::Sharding) => return self.constraint(module, op, text),
            Some(Call::BarrierFrom | Call::BarrierTo) => {
                // What is barred is the way from, or to, the call: the other way stays open.
                let direction = if call == Some(Call::BarrierFrom) { 2 } else { 1 };
                module.ops[op].kind = OpKind::SdyPropagationBarrier;
                let attr = Attr::Int(direction, IntType::I32);
                module.ops[op].attrs = Attrs::from(vec![(names::ALLOWED_DIRECTION, attr)]);
                return None;
            }
            None => {}
        }
        if let Some(begins) = manual::boundary(module.op(op)) {
            self.manual_call(module, op, text, begins);
            return None;
        }
        let sharding = self.tiles.get(&text?)?.sharding.clone();
        if module.ops[op].attrs.get(names::SDY_SHARDING).is_some() {
            return None;
        }
        let results: Vec<ValueId> = module.ops[op].results.iter().collect();
        let parts: Vec<&TileSharding> = match &sharding {
            TileSharding::Tuple(parts) if parts.len() == results.len() => parts.iter().collect(),
            TileSharding::Tuple(_) => return None,
            array => vec![array; results.len()],
        };
        let mut list = Vec::with_capacity(results.len());
        let mut any = false;
        let mut group = None;
        for (value, part) in results.iter().zip(parts) {
            let subject = Subject::of(module, *value, span);
            let known = match part {
                TileSharding::Array(array) => {
                    group = group.or(array.group);
                    self.array(module, array, &subject)
                }
                TileSharding::Tuple(_) => None,
            };
            any |= known.is_some();
            list.push(known.unwrap_or_else(|| self.open(subject.rank)));
        }
        if any {
            let attr = Attr::Sdy(Box::new(SdyAttr::PerValue(list)));
            module.ops[op].attrs.set(names::SDY_SHARDING, attr);
        }
        group.filter(|_| results.len() == 1)
    }

    /// Turns a call of `@Sharding` into a constraint.
    fn constraint(&mut self, module: &mut Module, op: OpId, text: Option<Sym>) -> Option<(GroupKind, i64)> {
        let span = module.ops[op].span;
        let subject = Subject::of(module, module.ops[op].results.at(0), span);
        let open_dims = unspecified_dims(module.op(op).str(names::BACKEND_CONFIG).unwrap_or_default());
        let (mut sharding, mut group) = (None, None);
        if let Some(tile) = text.and_then(|text| self.tiles.get(&text))
            && let TileSharding::Array(array) = tile.sharding.clone()
        {
            group = array.group;
            sharding = self.array(module, &array, &subject);
        }
        let mut sharding = sharding.unwrap_or_else(|| self.open(subject.rank));
        for dim in open_dims {
            match sharding.dims.get_mut(dim) {
                Some(dim) => dim.open = true,
                None => {
                    let message = format!(
                        "`unspecified_dims` names the dimension {dim} of `{}`, which has {}",
                        subject.name, subject.rank
                    );
                    let fix = "name dimensions of the tensor";
                    self.errors.push(
                        Diagnostic::new("sharding", span, message)
                            .value(subject.name.clone())
                            .dimension(dim)
                            .fix(fix),
                    );
                }
            }
        }
        module.ops[op].kind = OpKind::SdyShardingConstraint;
        let attr = Attr::Sdy(Box::new(SdyAttr::Sharding(sharding)));
        module.ops[op].attrs = Attrs::from(vec![(names::SHARDING, attr)]);
        group
    }

    fn open(&self, rank: usize) -> TensorSharding {
        let dim = DimSharding { open: true, ..DimSharding::default() };
        self.sharding(vec![dim; rank])
    }

    fn sharding(&self, dims: Vec<DimSharding>) -> TensorSharding {
        let mesh = MeshRef::Symbol(self.symbol);
        TensorSharding { mesh, dims, replicated: Vec::new(), unreduced: Vec::new() }
    }

    fn axis_refs(&self, module: &mut Module, parts: &[Part]) -> Vec<AxisRef> {
        let name = |module: &mut Module, axis: usize| module.strings.intern(&self.common.grid().axes[axis].0);
        parts.iter().map(|&(axis, part)| AxisRef { name: name(module, axis), part }).collect()
    }

    /// Rewrites the attributes of Shardy that name another mesh.
    fn rewrite_attrs(&mut self, module: &mut Module, attrs: &mut Attrs, span: Span) {
        let speaks_of_meshes = |attr: &Attr| matches!(attr, Attr::Sdy(_) | Attr::MeshAxes(_));
        if !attrs.iter().any(|(_, attr)| speaks_of_meshes(attr)) {
            return;
        }
        // The axes of a manual region are those of the mesh of its shardings.
        let manual_mesh = [names::IN_SHARDINGS, names::OUT_SHARDINGS].into_iter().find_map(|name| {
            let Attr::Sdy(sdy) = attrs.get(name)? else { return None };
            let SdyAttr::PerValue(list) = &**sdy else { return None };
            self.mesh_of(module, &list.first()?.mesh)
        });
        let mut list: Vec<(Sym, Attr)> = attrs.iter().cloned().collect();
        for (_, attr) in &mut list {
            match attr {
                Attr::Sdy(sdy) => match &mut **sdy {
                    SdyAttr::Sharding(sharding) => self.translate(module, sharding, span),
                    SdyAttr::PerValue(list) => list.iter_mut().for_each(|s| self.translate(module, s, span)),
                    SdyAttr::ManualAxes(axes) => {
                        if let Some(mesh) = &manual_mesh {
                            self.manual_axes(module, mesh, axes, span);
                        }
                    }
                    _ => {}
                },
                Attr::MeshAxes(axes) => {
                    if let Some(mesh) = self.mesh_of(module, &axes.mesh) {
                        axes.axes = self.translated(module, &mesh, &axes.axes, span);
                        axes.mesh = MeshRef::Symbol(self.symbol);
                    }
                }
                _ => {}
            }
        }
        *attrs = Attrs::from(list);
    }

    /// The mesh that a reference names, where it is another than the common one and has axes.
    fn mesh_of(&self, module: &Module, mesh: &MeshRef) -> Option<MeshAttr> {
        let attr = match mesh {
            MeshRef::Inline(mesh) => (**mesh).clone(),
            MeshRef::Symbol(name) if *name == self.symbol => return None,
            MeshRef::Symbol(name) => module.meshes.iter().find(|m| m.name == *name)?.mesh.clone(),
        };
        let places = attr.axes.is_empty() && attr.device_ids.is_some();
        (!places).then_some(attr)
    }

    fn translate(&mut self, module: &mut Module, sharding: &mut TensorSharding, span: Span) {
        if let MeshRef::Inline(mesh) = &sharding.mesh
            && mesh.axes.is_empty()
            && let Some(&[device]) = mesh.device_ids.as_deref()
        {
            sharding.mesh = MeshRef::Symbol(maximal_mesh(module, device));
            return;
        }
        let Some(mesh) = self.mesh_of(module, &sharding.mesh) else { return };
        for dim in &mut sharding.dims {
            dim.axes = self.translated(module, &mesh, &dim.axes, span);
        }
        sharding.replicated = self.translated(module, &mesh, &sharding.replicated, span);
        sharding.unreduced = self.translated(module, &mesh, &sharding.unreduced, span);
        sharding.mesh = MeshRef::Symbol(self.symbol);
    }

    /// Axes of another mesh as axes of the common one. An axis that the other mesh does not have is left as it is,
    /// and found by whoever reads the sharding.
    fn translated(
        &mut self,
        module: &mut Module,
        mesh: &MeshAttr,
        axes: &[AxisRef],
        span: Span,
    ) -> Vec<AxisRef> {
        if axes.is_empty() {
            return Vec::new();
        }
        if !self.grids.contains_key(mesh) {
            match self.common.axes_of(&grid_of(module, mesh)) {
                Ok(parts) => {
                    self.grids.insert(mesh.clone(), parts);
                }
                // Told where the meshes were collected.
                Err(_) => return axes.to_vec(),
            }
        }
        let known = &self.grids[mesh];
        let mut list: Vec<AxisRef> = Vec::new();
        for axis in axes {
            let Some(n) = mesh.axes.iter().position(|a| a.0 == axis.name) else {
                list.push(axis.clone());
                continue;
            };
            let parts = match axis.part {
                None => Ok(known[n].clone()),
                Some((pre, size)) => self.common.part_of(&known[n], pre, size),
            };
            match parts {
                Ok(parts) => {
                    for part in self.axis_refs(module, &parts) {
                        push_joined(&mut list, part, self.common.grid(), module);
                    }
                }
                Err(error) => {
                    let name = &module.strings[axis.name];
                    let message =
                        format!("the part of the axis \"{name}\" cannot be one of the common mesh: {error}");
                    self.errors.push(Diagnostic::new("mesh", span, message));
                }
            }
        }
        list
    }

    fn manual_axes(&mut self, module: &mut Module, mesh: &MeshAttr, axes: &mut Vec<Sym>, span: Span) {
        let refs: Vec<AxisRef> = axes.iter().map(|&name| AxisRef { name, part: None }).collect();
        let translated = self.translated(module, mesh, &refs, span);
        if translated.iter().any(|a| a.part.is_some()) {
            let message = "the manual axes are only parts of axes of the file's first mesh";
            let fix = "declare the mesh of the manual region first, or use one mesh";
            self.errors.push(Diagnostic::new("mesh", span, message).fix(fix));
            return;
        }
        *axes = translated.into_iter().map(|a| a.name).collect();
    }

    /// Only the common mesh and those that place a tensor on one device are left.
    fn keep_meshes(&self, module: &mut Module) {
        module
            .meshes
            .retain(|m| m.name == self.symbol || (m.mesh.axes.is_empty() && m.mesh.device_ids.is_some()));
    }
}

/// Adds an axis to a list; one that continues the last is joined with it.
fn push_joined(list: &mut Vec<AxisRef>, next: AxisRef, grid: &NamedGrid, module: &Module) {
    if let (Some(last), Some((pre, size))) = (list.last_mut(), next.part)
        && last.name == next.name
        && let Some((before, own)) = last.part
        && before * own == pre
    {
        let whole = grid.axes.iter().find(|a| *a.0 == module.strings[next.name]).map(|a| a.1);
        last.part = (whole != Some(own * size)).then_some((before, own * size));
        return;
    }
    list.push(next);
}

/// The mesh that stands for one device.
fn maximal_mesh(module: &mut Module, device: i64) -> Sym {
    let wanted = MeshAttr { axes: Vec::new(), device_ids: Some(vec![device]) };
    if let Some(decl) = module.meshes.iter().find(|m| m.mesh == wanted) {
        return decl.name;
    }
    let name = module.strings.intern(&format!("maximal_mesh_{device}"));
    module.meshes.push(MeshDecl {
        name,
        mesh: wanted,
        attrs: Attrs::default(),
        loc: LocTable::unknown(),
        span: Span::default(),
        before_func: 0,
    });
    name
}

fn group_op(module: &mut Module, value: ValueId, (kind, id): (GroupKind, i64)) -> OpId {
    let mut op = NewOp::new(OpKind::SdyShardingGroup);
    op.operands.push(value);
    let mut attrs = vec![(names::GROUP_ID, Attr::i64(id))];
    if kind == GroupKind::Like {
        attrs.push((names::PARTITA_SHARD_LIKE, Attr::Unit));
    }
    op.attrs = Attrs::from(attrs);
    module.add_op(op)
}

/// The dimensions in `unspecified_dims=[0,2]`.
fn unspecified_dims(config: &str) -> Vec<usize> {
    let Some((_, rest)) = config.split_once("unspecified_dims=[") else { return Vec::new() };
    let Some((list, _)) = rest.split_once(']') else { return Vec::new() };
    list.split(',').filter_map(|n| n.trim().parse().ok()).collect()
}
