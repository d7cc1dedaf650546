//! Manual regions: what their attributes say of the mesh, of their axes, and of the shards of values at their borders.

use super::atoms::AtomList;
use super::import::{Subject, from_sdy};
use super::mesh::{AtomSet, Mesh};
use super::tensor::Sharding;
use crate::ir::sdy::{MeshAttr, MeshRef, SdyAttr, TensorSharding};
use crate::ir::{Attr, OpRef, Sym, ValueId, names};
use smallvec::SmallVec;
use std::iter;

/// The atoms of a manual region's axes.
pub fn manual_atoms(mesh: &Mesh, op: OpRef<'_>) -> AtomSet {
    let known = manual_axes(op).iter().filter_map(|name| mesh.axis(&op.module.strings[*name]));
    known.flat_map(|axis| mesh.axes()[axis].atoms()).collect()
}

/// The axes along which a manual region is local.
pub fn manual_axes(op: OpRef<'_>) -> &[Sym] {
    let Some(Attr::Sdy(sdy)) = op.attr(names::MANUAL_AXES) else { return &[] };
    match &**sdy {
        SdyAttr::ManualAxes(axes) => axes,
        _ => &[],
    }
}

/// The mesh that the shardings of a manual region are over; nothing where it has none.
pub fn region_mesh(op: OpRef<'_>) -> Result<Option<Mesh>, String> {
    let shardings = || in_shardings(op).iter().chain(out_shardings(op));
    let Some(mesh) = shardings().find_map(|s| resolve(op, &s.mesh)).filter(|m| !m.axes.is_empty()) else {
        return Ok(None);
    };
    let axes = shardings().flat_map(|s| s.dims.iter().flat_map(|d| &d.axes));
    let mut cuts = Vec::new();
    for axis in axes {
        if let (Some((pre, size)), Some(index)) = (axis.part, mesh.axes.iter().position(|a| a.0 == axis.name))
        {
            cuts.extend([(index, pre), (index, pre.saturating_mul(size))]);
        }
    }
    let axes = mesh.axes.iter().map(|(name, size)| (&op.module.strings[*name], *size));
    let built = Mesh::with_cuts(axes, &cuts).and_then(|built| match &mesh.device_ids {
        Some(ids) => built.with_device_ids(ids.clone()),
        None => Ok(built),
    });
    built.map(Some).map_err(|error| format!("its mesh cannot be: {error}"))
}

fn resolve<'m>(op: OpRef<'m>, mesh: &'m MeshRef) -> Option<&'m MeshAttr> {
    match mesh {
        MeshRef::Inline(mesh) => Some(mesh),
        MeshRef::Symbol(name) => op.module.meshes.iter().find(|m| m.name == *name).map(|m| &m.mesh),
    }
}

fn in_shardings(op: OpRef<'_>) -> &[TensorSharding] {
    list(op, names::IN_SHARDINGS)
}

fn out_shardings(op: OpRef<'_>) -> &[TensorSharding] {
    list(op, names::OUT_SHARDINGS)
}

fn list(op: OpRef<'_>, name: Sym) -> &[TensorSharding] {
    let Some(Attr::Sdy(sdy)) = op.attr(name) else { return &[] };
    match &**sdy {
        SdyAttr::PerValue(list) => list,
        _ => &[],
    }
}

/// How a dimension is split at the border of a manual region.
pub struct BorderDim {
    /// The manual atoms, which are gone inside.
    pub manual: AtomList,
    /// The atoms behind them, which split what is left.
    pub free: AtomList,
    /// The size of the dimension inside.
    pub size: i64,
}

/// Why a value cannot cross the border of a manual region, and what can be done about it.
pub struct BorderError {
    /// What is wrong.
    pub message: String,
    /// A way out.
    pub fix: &'static str,
}

/// How the dimensions of a tensor are split where it crosses the border of a manual region.
pub fn border(
    mesh: &Mesh,
    manual: AtomSet,
    sharding: &Sharding,
    global: &[i64],
    local: &[i64],
) -> Result<SmallVec<[BorderDim; 4]>, BorderError> {
    let error = |message: String, fix: &'static str| Err(BorderError { message, fix });
    if !sharding.unreduced.is_empty() {
        return error(
            "it is unreduced at the border of a manual region, which is not supported".into(),
            "reduce it with a collective inside of the region",
        );
    }
    let mut dims = SmallVec::new();
    for ((d, dim), &size) in sharding.dims.iter().enumerate().zip(global) {
        let head = dim.atoms.iter().take_while(|a| manual.contains(**a)).count();
        let (own, free) = dim.atoms.split_at(head);
        if free.iter().any(|a| manual.contains(*a)) {
            let message =
                format!("its dimension {d} is split over a manual axis behind one that is not manual");
            return error(message, "name the manual axes first");
        }
        let parts = mesh.size_of(own.iter().copied());
        if size % parts != 0 {
            let message = format!(
                "its dimension {d} has {size} indices, which the {parts} devices along its manual axes do not divide"
            );
            return error(message, "pad the dimension to a multiple of the devices");
        }
        dims.push(BorderDim {
            manual: own.iter().copied().collect(),
            free: free.iter().copied().collect(),
            size: size / parts,
        });
    }
    if !dims.iter().map(|d: &BorderDim| &d.size).eq(local) {
        let sizes: Vec<i64> = dims.iter().map(|d| d.size).collect();
        let message =
            format!("a shard of it along the manual axes has the shape {sizes:?}, inside it has {local:?}");
        return error(message, "give both sides of the region the shapes that their shardings ask for");
    }
    Ok(dims)
}

/// The shardings of a manual region's operands and results over its mesh, as the region has them.
pub fn border_shardings(op: OpRef<'_>, mesh: &Mesh) -> Result<[Vec<Sharding>; 2], String> {
    let read = |values: &mut dyn Iterator<Item = ValueId>, list: &[TensorSharding]| {
        iter::zip(values, list)
            .map(|(value, sharding)| {
                let name = op.module.value_name(value);
                let rank = op.module.tensor_type(value).map_or(0, |ty| ty.rank());
                let subject = Subject { name: &name, span: op.op().span, rank };
                from_sdy(op.module, mesh, sharding, &subject).map_err(|error| error.message)
            })
            .collect::<Result<Vec<Sharding>, String>>()
    };
    Ok([
        read(&mut op.operands().iter().copied(), in_shardings(op))?,
        read(&mut op.results(), out_shardings(op))?,
    ])
}
