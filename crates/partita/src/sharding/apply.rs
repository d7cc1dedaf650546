//! What users say besides the program: the mesh, shardings of tensors by name, and what the boundary does.

use super::constraints::{Constraints, Refusal};
use super::export::mesh_symbol;
use super::import::{self, Subject, from_sdy, module_mesh};
use super::mesh::Mesh;
use super::places::{self, Place, Places};
use super::plan::NamedChoice;
use super::spec::{MeshSpec, OnValue, ShardSpec};
use super::unify::{Axes, Unified, declare_mesh, names_devices, unify};
use crate::diagnostic::Diagnostic;
use crate::inline::Inlined;
use crate::ir::sdy::{DimSharding, MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::Spread;

/// What arguments and results without a sharding are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Boundary {
    /// Open: propagation may split them.
    #[default]
    Open,
    /// Whole on every device.
    Replicated,
}

/// A way to find the shardings between the annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// By cost over the whole program, started from propagation's answer.
    Cost(Effort),
    /// By propagation alone.
    Propagate,
}

impl Completion {
    /// By cost with the usual effort.
    pub const COST: Completion = Completion::Cost(Effort::USUAL);
}

/// Steps that completion by cost may take, as a multiple of the usual.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Effort(pub u8);

impl Effort {
    /// The effort by default.
    pub const USUAL: Effort = Effort(1);
}

/// What is said besides the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The mesh.
    pub mesh: Option<MeshSpec>,
    /// Shardings of tensors.
    pub shards: Vec<ShardSpec>,
    /// What arguments and results without a sharding are.
    pub boundary: Boundary,
    /// The way to complete shardings, where one is named.
    pub complete: Option<Completion>,
    /// Choices of a plan that shardings are completed by, where they are not completed by cost again.
    pub choices: Vec<NamedChoice>,
}

/// Brings a program and what is said besides it onto one mesh: afterwards every annotation stands in the program, in
/// Shardy's notation. `input` is the program before inlining, whose names users know.
pub fn prepare(input: &Module, program: &mut Inlined, options: &Options) -> Result<Mesh, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let module = &mut program.module;
    let silent = !names_devices(module)?;
    match &options.mesh {
        Some(spec) if silent => declare(module, &spec.axes).map_err(one)?,
        Some(spec) => resize(module, spec).map_err(one)?,
        None if silent && !options.shards.is_empty() => {
            return Err(one(mesh_error(
                "the program names no mesh".into(),
                "give one: `--mesh data=2,model=4`",
            )));
        }
        None if silent => declare(module, &[("m0".to_string(), partitions(module))]).map_err(one)?,
        None => {}
    }
    let Unified { axes, replaced } = unify(module)?;
    if let Some(spec) = &options.mesh {
        settle(module, spec, axes).map_err(one)?;
    }
    let mut added = Vec::new();
    if !options.shards.is_empty() {
        if options.shards.iter().any(|s| s.on_value == OnValue::Constraint && places::asks_for_values(s)) {
            program.adopt(&replaced);
        }
        let places = Places::new(input, program, &options.shards);
        let mut constraints = Constraints::new(&program.module);
        for spec in &options.shards {
            added.extend(annotate(input, program, &places, spec, &mut constraints).map_err(one)?);
        }
        let constrained = constraints.insert(program);
        for Added { place, .. } in &mut added {
            if let Some(result) = place.value(&program.module).and_then(|v| constrained.get(&v)) {
                *place = Place::Value(*result);
            }
        }
    }
    let mesh = module_mesh(&program.module).map_err(one)?.unwrap_or_default();
    check(&program.module, &mesh, &added)?;
    if options.boundary == Boundary::Replicated {
        close_boundary(&mut program.module);
    }
    Ok(mesh)
}

fn mesh_error(message: String, fix: impl Into<String>) -> Diagnostic {
    Diagnostic::new("mesh", Span::default(), message).fix(fix)
}

/// Replaces the sizes of axes of declared meshes.
fn resize(module: &mut Module, spec: &MeshSpec) -> Result<(), Diagnostic> {
    let declared: Vec<usize> =
        (0..module.meshes.len()).filter(|n| !module.meshes[*n].mesh.axes.is_empty()).collect();
    if declared.is_empty() {
        return Ok(());
    }
    let manual = module.ops.ids().any(|op| matches!(module.op(op).def().spread, Spread::Manual));
    for (name, size) in &spec.axes {
        let mut found = false;
        for &n in &declared {
            let strings = &module.strings;
            let mesh = &mut module.meshes[n];
            let Some(axis) = mesh.mesh.axes.iter_mut().find(|a| strings[a.0] == **name) else { continue };
            found = true;
            if axis.1 == *size {
                continue;
            }
            if manual {
                let message = format!(
                    "the axis \"{name}\" has the size {}, and a manual region is written for it",
                    axis.1
                );
                return Err(mesh_error(message, format!("leave `{name}={}`", axis.1)).axis(name));
            }
            if mesh.mesh.device_ids.is_some() {
                let message =
                    format!("the mesh lists its devices, so \"{name}\" cannot have the size {size}");
                return Err(mesh_error(message, "take `device_ids` out of the file").axis(name));
            }
            axis.1 = *size;
        }
        if !found {
            let axes = module.meshes[declared[0]].mesh.axes.iter();
            let known: Vec<String> = axes.map(|a| format!("\"{}\"", &module.strings[a.0])).collect();
            let message = format!("the mesh of the file has no axis \"{name}\"");
            return Err(mesh_error(message, format!("its axes are {}", known.join(", "))).axis(name));
        }
    }
    Ok(())
}

/// Gives a program that says nothing of devices a mesh.
fn declare(module: &mut Module, axes: &[(String, i64)]) -> Result<(), Diagnostic> {
    Mesh::new(axes.iter().map(|(name, size)| (name.as_str(), *size)))
        .map_err(|e| mesh_error(e.to_string(), "give a mesh of fewer devices"))?;
    let axes = axes.iter().map(|(name, size)| (module.strings.intern(name), *size)).collect();
    declare_mesh(module, MeshAttr { axes, device_ids: None });
    Ok(())
}

/// How many devices a program is for that says nothing else of them.
fn partitions(module: &Module) -> i64 {
    module.attrs.get(names::MHLO_NUM_PARTITIONS).and_then(Attr::as_int).unwrap_or(1).max(1)
}

/// Gives axes made from tiles the names the user wants.
fn settle(module: &mut Module, spec: &MeshSpec, axes: Axes) -> Result<(), Diagnostic> {
    let Some(symbol) = mesh_symbol(module).filter(|_| axes == Axes::FromTiles) else { return Ok(()) };
    let old =
        module.meshes.iter().find(|m| m.name == symbol).map(|m| m.mesh.axes.clone()).unwrap_or_default();
    let sizes =
        |axes: &mut dyn Iterator<Item = i64>| axes.map(|s| s.to_string()).collect::<Vec<_>>().join(", ");
    let own = sizes(&mut old.iter().map(|a| a.1));
    let wanted = sizes(&mut spec.axes.iter().map(|a| a.1));
    if own != wanted {
        let message = format!("the tiles of the file are over axes of the sizes {own}, not {wanted}");
        return Err(mesh_error(message, format!("name axes of the sizes {own}, in this order")));
    }
    let names: Vec<(Sym, Sym)> =
        old.iter().zip(&spec.axes).map(|(old, new)| (old.0, module.strings.intern(&new.0))).collect();
    let renamed = |name: Sym| names.iter().find(|n| n.0 == name).map_or(name, |n| n.1);
    for decl in module.meshes.iter_mut().filter(|m| m.name == symbol) {
        decl.mesh.axes.iter_mut().for_each(|a| a.0 = renamed(a.0));
    }
    import::for_each_sharding_mut(module, &mut |sharding| {
        let dims = sharding.dims.iter_mut().flat_map(|d| &mut d.axes);
        for axis in dims.chain(&mut sharding.replicated).chain(&mut sharding.unreduced) {
            axis.name = renamed(axis.name);
        }
    });
    Ok(())
}

/// A sharding that was added.
struct Added {
    /// The place it stands at.
    place: Place,
    /// The name of the tensor.
    name: String,
    /// The option or the plan that asked for it.
    said: String,
}

/// Puts a sharding on every tensor that is meant: an annotation, or a constraint that is still to be inserted.
fn annotate(
    input: &Module,
    program: &mut Inlined,
    places: &Places,
    spec: &ShardSpec,
    constraints: &mut Constraints,
) -> Result<Vec<Added>, Diagnostic> {
    let mut found = places.find(&program.module, spec);
    if spec.on_value == OnValue::Constraint {
        let stays = |place: &Place| {
            place.value(&program.module).is_none_or(|v| constraints.is_in_program(&program.module, v))
        };
        found.retain(stays);
    }
    if found.is_empty() {
        let message = format!("`{}` in {} matches no {}", spec.target, spec.said, spec.scope.noun());
        return Err(
            Diagnostic::new("option", Span::default(), message).fix(places::known_names(program, spec.scope))
        );
    }
    let Some(symbol) = mesh_symbol(&program.module) else { return Ok(Vec::new()) };
    let sharding = spec.sharding(&mut program.module.strings, symbol);
    let mut added = Vec::new();
    for place in found {
        let (name, rank) = place.describe(input, program);
        let context = format!("`{name}` in {}", spec.said);
        let module = &mut program.module;
        let error =
            |message: String| Diagnostic::new("sharding", Span::default(), message).value(name.clone());
        if place.is_manual(module) {
            let message = format!("{context} is an argument of a manual region, whose shardings are its own");
            return Err(error(message).fix("name the value that the region takes"));
        }
        let value = place.value(module).filter(|_| spec.on_value == OnValue::Constraint);
        if let Some(value) = value
            && let Some(Refusal { message, fix }) = constraints.refusal(module, value, &sharding)
        {
            let span = constraints.span(module, value);
            return Err(Diagnostic { span, ..error(format!("{context} {message}")) }.fix(fix));
        }
        if sharding.dims.len() != rank {
            let message =
                format!("{context} has {rank} dimensions, but {} entries are given", sharding.dims.len());
            return Err(error(message).fix("give one entry per dimension; `_` for one that is not split"));
        }
        let known = value.and_then(|value| constraints.get(value)).or_else(|| place.sharding(module));
        if known.is_some_and(|known| !refines(known, &sharding)) {
            let message = format!("{context} contradicts the annotation it has already");
            let fix = "leave the option out, or take the annotation out of the program";
            return Err(error(message).fix(fix));
        }
        match value.filter(|value| !places::is_constraint(module, *value)) {
            // Nothing splits a scalar.
            Some(_) if rank == 0 => {}
            Some(value) => constraints.set(value, sharding.clone()),
            None => place.annotate(module, sharding.clone()),
        }
        added.push(Added { place, name, said: spec.said.clone() });
    }
    Ok(added)
}

/// Whether a sharding only adds to what an older one leaves open.
fn refines(old: &TensorSharding, new: &TensorSharding) -> bool {
    old.dims.len() == new.dims.len()
        && old.dims.iter().zip(&new.dims).all(|(old, new)| {
            if old.open { new.axes.starts_with(&old.axes) } else { old.axes == new.axes && !new.open }
        })
}

/// Reads the shardings that were added, so that errors name the option and not the program.
fn check(module: &Module, mesh: &Mesh, added: &[Added]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for Added { place, name, said } in added {
        let Some(sharding) = place.sharding(module) else { continue };
        let subject = Subject { name, span: Span::default(), rank: sharding.dims.len() };
        if let Err(mut error) = from_sdy(module, mesh, sharding, &subject) {
            error.message = format!("in {said}: {}", error.message);
            errors.push(error);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Keeps arguments and results without a sharding whole.
fn close_boundary(module: &mut Module) {
    let (Some(func), Some(symbol)) = (places::main_func(module), mesh_symbol(module)) else { return };
    let func = &mut module.funcs[func];
    let types = &module.types;
    let arguments = func.inputs.iter().zip(&mut func.arg_attrs);
    for (ty, attrs) in arguments.chain(func.results.iter().zip(&mut func.result_attrs)) {
        let Some(tensor) = types[*ty].as_tensor() else { continue };
        if attrs.get(names::SDY_SHARDING).is_none() {
            let sharding = TensorSharding {
                mesh: MeshRef::Symbol(symbol),
                dims: vec![DimSharding::default(); tensor.rank()],
                replicated: Vec::new(),
                unreduced: Vec::new(),
            };
            attrs.set(names::SDY_SHARDING, Attr::Sdy(Box::new(SdyAttr::Sharding(sharding))));
        }
    }
}
