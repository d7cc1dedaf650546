//! Regions written for one device of a mesh, on a machine that is not partitioned.

use crate::ir::sdy::{MeshAttr, MeshRef, SdyAttr};
use crate::ir::{Attr, Module, OpRef, Sym, names};

/// Says why a manual region cannot run on one device: its axes have more than one.
pub(super) fn check_manual_region(op: OpRef<'_>) -> Result<(), String> {
    let axes: &[Sym] = match op.attr(names::MANUAL_AXES) {
        Some(Attr::Sdy(attr)) => match &**attr {
            SdyAttr::ManualAxes(axes) => axes,
            _ => &[],
        },
        _ => &[],
    };
    let Some(mesh) = mesh(op) else { return Ok(()) };
    for (axis, size) in mesh.axes.iter().filter(|(axis, _)| axes.contains(axis)) {
        if *size != 1 {
            let name = &op.module.strings[*axis];
            return Err(format!(
                "its body runs on each of the {size} devices along the axis \"{name}\": partition the program to run it"
            ));
        }
    }
    Ok(())
}

/// The mesh of the shardings, which is the same for all.
fn mesh(op: OpRef<'_>) -> Option<&MeshAttr> {
    let shardings = [names::IN_SHARDINGS, names::OUT_SHARDINGS].into_iter().filter_map(|name| op.attr(name));
    let first = shardings.filter_map(|attr| match attr {
        Attr::Sdy(attr) => match &**attr {
            SdyAttr::PerValue(list) => list.first(),
            _ => None,
        },
        _ => None,
    });
    first.map(|sharding| &sharding.mesh).next().and_then(|mesh| resolve(op.module, mesh))
}

fn resolve<'m>(module: &'m Module, mesh: &'m MeshRef) -> Option<&'m MeshAttr> {
    match mesh {
        MeshRef::Inline(mesh) => Some(mesh),
        MeshRef::Symbol(name) => module.meshes.iter().find(|decl| decl.name == *name).map(|decl| &decl.mesh),
    }
}
