//! Shardings as the program writes them, to shardings over one mesh of atoms.

use super::atoms::AtomList;
use super::mesh::{Atom, AxisPart, Mesh, MeshError};
use super::tensor::{DimSharding, Sharding};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{AxisRef, MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::{Attr, Attrs, FuncId, Module, OpId, Span, ValueDef, ValueId, names};
use smallvec::SmallVec;
use std::fmt;

/// The mesh all shardings of a module are over, once they are over one ([`super::unify`]). Nothing where the module
/// names none.
pub fn module_mesh(module: &Module) -> Result<Option<Mesh>, Diagnostic> {
    // A mesh without axes places a tensor on one device.
    let Some(decl) = module.meshes.iter().find(|m| !m.mesh.axes.is_empty()) else { return Ok(None) };
    let (mesh, span) = (&decl.mesh, decl.span);
    let mut cuts = Vec::new();
    for_each_sharding(module, &mut |sharding, _, _| {
        let axes = sharding.dims.iter().flat_map(|d| &d.axes);
        for axis in axes.chain(&sharding.replicated).chain(&sharding.unreduced) {
            if let Some((pre, size)) = axis.part
                && let Some(index) = mesh.axes.iter().position(|a| a.0 == axis.name)
            {
                cuts.extend([(index, pre), (index, pre.saturating_mul(size))]);
            }
        }
    });
    let axes = mesh.axes.iter().map(|(name, size)| (&module.strings[*name], *size));
    let built = Mesh::with_cuts(axes, &cuts).and_then(|m| match &mesh.device_ids {
        Some(ids) => m.with_device_ids(ids.clone()),
        None => Ok(m),
    });
    built.map(Some).map_err(|e| match e {
        MeshError::Cuts(axis, one, other) => bad_cut(module, &decl.mesh, &axis, (one, other), span),
        error => mesh_error(&module.strings[decl.name], &error, span),
    })
}

/// A mesh that cannot be.
pub(super) fn mesh_error(name: &str, error: &MeshError, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new("mesh", span, format!("the mesh `@{name}` cannot be: {error}"));
    match error {
        MeshError::BadSize(axis, _) => diagnostic.axis(axis).fix("give the axis a size of 1 or more"),
        MeshError::Duplicate(axis) => diagnostic.axis(axis).fix("give each axis a name of its own"),
        MeshError::TooManyDevices(_) => diagnostic.fix("give it fewer devices"),
        MeshError::Cuts(axis, ..) | MeshError::BadPart(axis, ..) => {
            diagnostic.axis(axis).fix("cut the axis where its factors are")
        }
        MeshError::DeviceCount(_, devices) => {
            diagnostic.fix(format!("list each of the devices 0 to {} once", devices - 1))
        }
        MeshError::NotPermutation => diagnostic.fix("list each device once, from 0 on"),
    }
}

/// A part that an axis does not have, or two that do not go together, told of the tensor that has it.
fn bad_cut(module: &Module, mesh: &MeshAttr, axis: &str, cuts: (i64, i64), declared: Span) -> Diagnostic {
    let size = mesh.axes.iter().find(|a| module.strings[a.0] == *axis).map_or(1, |a| a.1);
    let (mut nowhere, mut overlaps) = (None, None);
    for_each_sharding(module, &mut |sharding, about, span| {
        for (d, dim) in sharding.dims.iter().enumerate() {
            for part in dim.axes.iter().filter(|a| module.strings[a.name] == *axis) {
                let Some((pre, own)) = part.part else { continue };
                let end = pre.saturating_mul(own);
                if size % end.max(1) != 0 {
                    nowhere.get_or_insert((about, d, span, part.part));
                } else if [pre, end].iter().any(|cut| *cut == cuts.0 || *cut == cuts.1) {
                    overlaps = Some((about, d, span, None));
                }
            }
        }
    });
    let Some((about, dim, span, part)) = nowhere.or(overlaps) else {
        let message = format!("the axis \"{axis}\" is cut at {} and at {}", cuts.0, cuts.1);
        return Diagnostic::new("sharding", declared, message)
            .axis(axis)
            .fix("cut the axis where its factors are");
    };
    let name = about.name(module);
    let (message, fix) = match part {
        Some((pre, own)) => (
            format!("cannot be: {}", MeshError::BadPart(axis.to_string(), size, pre, own)),
            "cut the axis where its factors are",
        ),
        None => (
            format!(
                "is split over a part of the axis \"{axis}\" that overlaps another: the axis is cut at {} and at {}",
                cuts.0, cuts.1
            ),
            "take parts of which one divides the other",
        ),
    };
    let message = format!("dimension {dim} of `{name}` {message}");
    Diagnostic::new("sharding", span, message).value(name).dimension(dim).axis(axis).fix(fix)
}

/// What a sharding in the attributes of a module is about.
#[derive(Clone, Copy)]
enum About {
    Argument(FuncId, usize),
    Result(usize),
    Op(OpId, usize),
}

impl About {
    fn name(self, module: &Module) -> String {
        match self {
            About::Argument(func, n) => match module.funcs[func].body {
                Some(body) => module.value_name(module.regions[body].args.at(n)),
                None => format!("argument {n}"),
            },
            About::Result(n) => format!("result {n}"),
            About::Op(op, n) => match module.ops[op].results.iter().nth(n) {
                Some(value) => module.value_name(value),
                None => module.op(op).def().name.to_string(),
            },
        }
    }
}

/// Calls `f` with every sharding in the attributes of a module, what it is about, and where it stands.
fn for_each_sharding(module: &Module, f: &mut dyn FnMut(&TensorSharding, About, Span)) {
    let mut attrs = |attrs: &Attrs, about: &dyn Fn(usize) -> About, span: Span| {
        for (_, attr) in attrs.iter() {
            if let Attr::Sdy(sdy) = attr {
                match &**sdy {
                    SdyAttr::Sharding(s) => f(s, about(0), span),
                    SdyAttr::PerValue(list) => {
                        list.iter().enumerate().for_each(|(n, s)| f(s, about(n), span));
                    }
                    _ => {}
                }
            }
        }
    };
    for (id, func) in module.funcs.enumerate() {
        for (n, list) in func.arg_attrs.iter().enumerate() {
            attrs(list, &|_| About::Argument(id, n), func.span);
        }
        for (n, list) in func.result_attrs.iter().enumerate() {
            attrs(list, &|_| About::Result(n), func.span);
        }
    }
    for (id, op) in module.ops.enumerate() {
        attrs(&op.attrs, &|n| About::Op(id, n), op.span);
    }
}

/// Calls `f` with every sharding in the attributes of a module.
pub(super) fn for_each_sharding_mut(module: &mut Module, f: &mut dyn FnMut(&mut TensorSharding)) {
    let mut attrs = |attrs: &mut Attrs| {
        let names: Vec<_> =
            attrs.iter().filter(|(_, a)| matches!(a, Attr::Sdy(_))).map(|(n, _)| *n).collect();
        for name in names {
            let Some(Attr::Sdy(mut sdy)) = attrs.get(name).cloned() else { continue };
            match &mut *sdy {
                SdyAttr::Sharding(s) => f(s),
                SdyAttr::PerValue(list) => list.iter_mut().for_each(&mut *f),
                _ => continue,
            }
            attrs.set(name, Attr::Sdy(sdy));
        }
    };
    for func in module.funcs.ids() {
        let func = &mut module.funcs[func];
        func.arg_attrs.iter_mut().chain(&mut func.result_attrs).for_each(&mut attrs);
    }
    for op in module.ops.ids() {
        attrs(&mut module.ops[op].attrs);
    }
}

/// What is being annotated, for messages.
pub struct Subject<'a> {
    /// The tensor's name.
    pub name: &'a str,
    /// Where the annotation stands.
    pub span: Span,
    /// How many dimensions the tensor has.
    pub rank: usize,
}

/// A sharding of Shardy's, over the mesh.
pub fn from_sdy(
    module: &Module,
    mesh: &Mesh,
    sharding: &TensorSharding,
    subject: &Subject<'_>,
) -> Result<Sharding, Diagnostic> {
    let error =
        |message: String| Diagnostic::new("sharding", subject.span, message).value(subject.name.to_string());
    if let MeshRef::Symbol(name) = sharding.mesh {
        let Some(decl) = module.meshes.iter().find(|m| m.name == name) else {
            let name = &module.strings[name];
            return Err(
                error(format!("the mesh `@{name}` is not declared")).fix("declare it with `sdy.mesh`")
            );
        };
        if let Some(&[device]) = decl.mesh.device_ids.as_deref()
            && decl.mesh.axes.is_empty()
        {
            return Ok(Sharding { device: Some(device), ..Sharding::replicated(subject.rank) });
        }
    }
    if sharding.dims.len() != subject.rank {
        return Err(error(format!(
            "`{}` has {} dimensions, but its sharding has {}",
            subject.name,
            subject.rank,
            sharding.dims.len()
        ))
        .fix("give the sharding one entry per dimension"));
    }
    let mut used: SmallVec<[(Atom, Part); 8]> = SmallVec::new();
    let mut atoms_of = |axes: &[AxisRef], part: Part| -> Result<AtomList, Diagnostic> {
        let error = |message: String, axis: &str| {
            let error = error(format!("{part} of `{}` {message}", subject.name)).axis(axis);
            if let Part::Dimension(dim) = part { error.dimension(dim) } else { error }
        };
        let mut list = AtomList::new();
        for axis in axes {
            let name = &module.strings[axis.name];
            let Some(index) = mesh.axis(name) else {
                let known: Vec<_> = mesh.axes().iter().map(|a| format!("\"{}\"", a.name)).collect();
                let message = format!("is split over the axis \"{name}\", which the mesh does not have");
                return Err(error(message, name).fix(format!("the axes are {}", known.join(", "))));
            };
            let atoms = mesh.atoms_of(AxisPart { axis: index, part: axis.part }).map_err(|e| {
                error(format!("cannot be: {e}"), name).fix("cut the axis where its factors are")
            })?;
            for atom in atoms {
                if let Some((_, before)) = used.iter().find(|(a, _)| *a == atom) {
                    let what = match axis.part {
                        Some((pre, size)) => format!("the part \"{name}\":({pre}){size}"),
                        None => format!("the axis \"{name}\""),
                    };
                    let message = format!("has {what}, some or all of which {before} has already");
                    return Err(error(message, name).fix("use each axis, and each part of one, once"));
                }
                used.push((atom, part));
                list.push(atom);
            }
        }
        Ok(list)
    };
    let mut result = Sharding::default();
    for (d, dim) in sharding.dims.iter().enumerate() {
        let atoms = atoms_of(&dim.axes, Part::Dimension(d))?;
        let priority = u32::try_from(dim.priority.unwrap_or(0)).unwrap_or(u32::MAX);
        result.dims.push(DimSharding { atoms, open: dim.open, priority });
    }
    result.replicated = atoms_of(&sharding.replicated, Part::Replicated)?.into_iter().collect();
    result.unreduced = atoms_of(&sharding.unreduced, Part::Unreduced)?.into_iter().collect();
    Ok(result)
}

/// A part of a sharding that has axes.
#[derive(Clone, Copy)]
enum Part {
    Dimension(usize),
    Replicated,
    Unreduced,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Dimension(dim) => write!(f, "dimension {dim}"),
            Part::Replicated => f.write_str("the replicated set"),
            Part::Unreduced => f.write_str("the unreduced set"),
        }
    }
}

/// The sharding in the attributes of an argument or a result of a function.
pub fn boundary_sharding(attrs: &Attrs) -> Option<&TensorSharding> {
    match attrs.get(names::SDY_SHARDING)? {
        Attr::Sdy(sdy) => match &**sdy {
            SdyAttr::Sharding(sharding) => Some(sharding),
            _ => None,
        },
        _ => None,
    }
}

/// The sharding of the n-th result of an operation, as its attribute gives it.
pub fn result_sharding(attrs: &Attrs, n: usize) -> Option<&TensorSharding> {
    match attrs.get(names::SDY_SHARDING)? {
        Attr::Sdy(sdy) => match &**sdy {
            SdyAttr::PerValue(list) => list.get(n),
            SdyAttr::Sharding(sharding) if n == 0 => Some(sharding),
            _ => None,
        },
        _ => None,
    }
}

/// What the program says of a value where it is made: the constraint, the attribute of the op, or that of the function's
/// argument.
pub fn value_sharding(module: &Module, value: ValueId) -> Option<&TensorSharding> {
    match module.values[value].def {
        ValueDef::Result(op, n) => match module.ops[op].attrs.get(names::SHARDING) {
            Some(Attr::Sdy(sdy)) => match &**sdy {
                SdyAttr::Sharding(sharding) => Some(sharding),
                _ => None,
            },
            _ => result_sharding(&module.ops[op].attrs, n as usize),
        },
        ValueDef::Arg(region, n) => {
            let func = module.funcs.iter().find(|f| f.body == Some(region))?;
            func.arg_attrs.get(n as usize).and_then(boundary_sharding)
        }
    }
}
