//! Shardings as the program writes them, to shardings over one mesh of atoms.

use super::mesh::{AtomSet, AxisPart, Mesh, MeshError};
use super::tensor::{DimSharding, Sharding};
use crate::diagnostic::Diagnostic;
use crate::ir::sdy::{AxisRef, MeshRef, SdyAttr, TensorSharding};
use crate::ir::{Attr, Attrs, Module, Span, ValueDef, ValueId, names};

/// The mesh all shardings of a module are over, once they are over one ([`super::unify`]). Nothing where the module
/// names none.
pub fn module_mesh(module: &Module) -> Result<Option<Mesh>, Diagnostic> {
    // A mesh without axes places a tensor on one device.
    let Some(decl) = module.meshes.iter().find(|m| !m.mesh.axes.is_empty()) else { return Ok(None) };
    let (mesh, span) = (&decl.mesh, decl.span);
    let mut cuts = Vec::new();
    for_each_sharding(module, &mut |sharding, _| {
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
    built.map(Some).map_err(|e| mesh_error(&e, span))
}

fn mesh_error(error: &MeshError, span: Span) -> Diagnostic {
    Diagnostic::new("mesh", span, error.to_string())
}

/// Calls `f` with every sharding in the attributes of a module, and where it stands.
fn for_each_sharding(module: &Module, f: &mut dyn FnMut(&TensorSharding, Span)) {
    let mut attrs = |attrs: &Attrs, span: Span| {
        for (_, attr) in attrs.iter() {
            if let Attr::Sdy(sdy) = attr {
                match &**sdy {
                    SdyAttr::Sharding(s) => f(s, span),
                    SdyAttr::PerValue(list) => list.iter().for_each(|s| f(s, span)),
                    _ => {}
                }
            }
        }
    };
    for func in module.funcs.iter() {
        func.arg_attrs.iter().chain(&func.result_attrs).for_each(|a| attrs(a, func.span));
    }
    for op in module.ops.iter() {
        attrs(&op.attrs, op.span);
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
    let mut seen = AtomSet::EMPTY;
    let mut atoms_of = |axes: &[AxisRef],
                        dim: Option<usize>,
                        place: &str|
     -> Result<Vec<super::Atom>, Diagnostic> {
        let error = |message: String, axis: &str| {
            let error = error(message).axis(axis);
            match dim {
                Some(dim) => error.dimension(dim),
                None => error,
            }
        };
        let mut list = Vec::new();
        for axis in axes {
            let name = &module.strings[axis.name];
            let Some(index) = mesh.axis(name) else {
                let known: Vec<_> = mesh.axes().iter().map(|a| format!("\"{}\"", a.name)).collect();
                return Err(error(
                    format!(
                        "{place} of `{}` is split over the axis \"{name}\", which the mesh does not have",
                        subject.name
                    ),
                    name,
                )
                .fix(format!("the axes are {}", known.join(", "))));
            };
            let part = AxisPart { axis: index, part: axis.part };
            let atoms = mesh.atoms_of(part).map_err(|e| {
                error(format!("{place} of `{}`: {e}", subject.name), name)
                    .fix("cut the axis where its factors are")
            })?;
            for atom in atoms {
                if seen.contains(atom) {
                    let message =
                        format!("the axis \"{name}\" is used twice in the sharding of `{}`", subject.name);
                    return Err(error(message, name).fix("an axis can split one dimension only"));
                }
                seen.insert(atom);
                list.push(atom);
            }
        }
        Ok(list)
    };
    let mut result = Sharding::default();
    for (d, dim) in sharding.dims.iter().enumerate() {
        let atoms = atoms_of(&dim.axes, Some(d), &format!("dimension {d}"))?;
        let priority = u32::try_from(dim.priority.unwrap_or(0)).unwrap_or(u32::MAX);
        result.dims.push(DimSharding { atoms: atoms.into_iter().collect(), open: dim.open, priority });
    }
    result.replicated = atoms_of(&sharding.replicated, None, "the replicated set")?.into_iter().collect();
    result.unreduced = atoms_of(&sharding.unreduced, None, "the unreduced set")?.into_iter().collect();
    Ok(result)
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
