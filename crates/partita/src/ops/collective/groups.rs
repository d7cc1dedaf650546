//! The groups of devices that collectives name: lists of ids, or axes of a mesh.

use crate::ir::attr::MeshAxes;
use crate::ir::sdy::{MeshAttr, MeshRef};
use crate::ir::{Attr, Module, OpRef, names};
use crate::ops::OpError;
use crate::ops::check::ensure;
use crate::value::Tensor;

/// More devices than this are refused in groups.
const MAX_DEVICES: i64 = 1 << 24;

/// Which ids groups must hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// All ids from zero on.
    EachOnce,
    /// Some of them.
    NoneTwice,
}

/// The groups of a collective as lists of ids. Short rows of the matrix are filled up with −1, which is left out.
pub(crate) fn group_ids(op: OpRef<'_>) -> Result<Vec<Vec<i64>>, OpError> {
    match op.attr(names::REPLICA_GROUPS) {
        Some(Attr::Elements(tensor)) => Ok(rows(tensor)),
        Some(Attr::MeshAxes(axes)) => mesh_groups(op.module, axes),
        _ => Err(OpError::new("it has no replica groups")),
    }
}

/// The rows of a matrix of ids.
pub(crate) fn rows(tensor: &Tensor) -> Vec<Vec<i64>> {
    let columns = tensor.shape().get(1).map_or(1, |&n| n.max(1) as usize);
    let ids: Vec<i64> = tensor.to_i64s();
    ids.chunks(columns).map(|row| row.iter().copied().filter(|&id| id != -1).collect()).collect()
}

/// Checks the groups and gives the size that all have; nothing where that is not known or not the same.
pub(super) fn verify_groups(op: OpRef<'_>, ids: Ids, same_size: bool) -> Result<Option<i64>, OpError> {
    if let Some(Attr::Elements(tensor)) = op.attr(names::REPLICA_GROUPS) {
        is_id_matrix("`replica_groups`", tensor)?;
        let filled = tensor.iter().any(|id| id.as_i64() == -1);
        ensure!(!(same_size && filled), "the groups must have one size, but some rows are filled up with -1");
    }
    if let Some(Attr::MeshAxes(axes)) = op.attr(names::REPLICA_GROUPS) {
        // Axes of a mesh name every device once; the groups themselves may be many.
        let spans = mesh_spans(op.module, axes)?;
        return Ok(Some(spans.group_size));
    }
    let groups = group_ids(op)?;
    if groups.iter().all(Vec::is_empty) {
        ensure!(
            !op.flag(names::USE_GLOBAL_DEVICE_IDS),
            "with `use_global_device_ids` the replica groups must not be empty"
        );
        return Ok(None);
    }
    let mut all: Vec<i64> = groups.iter().flatten().copied().collect();
    all.sort_unstable();
    if let Some(id) = all.first().filter(|id| **id < 0) {
        return Err(OpError::new(format!("{id} in `replica_groups` is not the id of a device")));
    }
    if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(OpError::new(format!("the id {} stands twice in `replica_groups`", pair[0])));
    }
    if ids == Ids::EachOnce
        && let Some(missing) = (0..all.len()).find(|&n| all[n] != n as i64)
    {
        let count = all.len();
        return Err(OpError::new(format!("`replica_groups` holds {count} ids, but not the id {missing}")));
    }
    let size = groups[0].len();
    Ok(groups.iter().all(|group| group.len() == size).then_some(size as i64))
}

/// Checks `source_target_pairs`, where it is given.
pub(super) fn verify_pairs(op: OpRef<'_>) -> Result<(), OpError> {
    let Some(Attr::Elements(tensor)) = op.attr(names::SOURCE_TARGET_PAIRS) else { return Ok(()) };
    is_id_matrix("`source_target_pairs`", tensor)?;
    let columns = tensor.shape()[1];
    ensure!(columns == 2, "`source_target_pairs` must have 2 columns, but it has {columns}");
    let ids = tensor.to_i64s();
    if let Some(id) = ids.iter().find(|id| **id < 0) {
        return Err(OpError::new(format!("{id} in `source_target_pairs` is not the id of a device")));
    }
    for (first, what) in [(0, "source"), (1, "target")] {
        let mut column: Vec<i64> = ids.iter().skip(first).step_by(2).copied().collect();
        column.sort_unstable();
        if let Some(pair) = column.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(OpError::new(format!("{} is the {what} of two pairs", pair[0])));
        }
    }
    Ok(())
}

fn is_id_matrix(what: &str, tensor: &Tensor) -> Result<(), OpError> {
    let ty = tensor.ty();
    let fits = ty.elem == crate::ir::Elem::Int(64) && ty.rank() == 2;
    ensure!(fits, "{what} must be a matrix of i64, but it is `{ty}`");
    let count = tensor.len();
    ensure!((count as i64) < MAX_DEVICES, "{what} has {count} ids; at most {MAX_DEVICES} are read");
    Ok(())
}

/// The mesh that axes belong to.
fn mesh_of<'m>(module: &'m Module, mesh: &'m MeshRef) -> Result<&'m MeshAttr, OpError> {
    match mesh {
        MeshRef::Inline(mesh) => Ok(mesh),
        MeshRef::Symbol(name) => {
            let found = module.meshes.iter().find(|decl| decl.name == *name).map(|decl| &decl.mesh);
            found.ok_or_else(|| OpError::new(format!("there is no mesh `@{}`", &module.strings[*name])))
        }
    }
}

/// A whole axis of a mesh, or a part of one, as it stands in the order of devices.
struct Span {
    size: i64,
    /// How far two neighbours along it are apart.
    stride: i64,
}

/// The axes of a group, checked.
struct Spans<'m> {
    mesh: &'m MeshAttr,
    /// How many devices the mesh has.
    total: i64,
    /// Major to minor.
    list: Vec<Span>,
    group_size: i64,
}

/// Checks that axes are ones of their mesh, and that no part of one is named twice.
fn mesh_spans<'m>(module: &'m Module, axes: &'m MeshAxes) -> Result<Spans<'m>, OpError> {
    let mesh = mesh_of(module, &axes.mesh)?;
    let mut total = 1i64;
    for (name, size) in &mesh.axes {
        let name = &module.strings[*name];
        ensure!(*size > 0, "the axis \"{name}\" of the mesh has the size {size}");
        total = total.saturating_mul(*size);
    }
    ensure!(total <= MAX_DEVICES, "the mesh has {total} devices; at most {MAX_DEVICES} are read");
    if let Some(ids) = &mesh.device_ids {
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        let each_once = ids.len() as i64 == total && sorted.iter().enumerate().all(|(n, id)| *id == n as i64);
        ensure!(each_once, "the mesh has {total} devices, but its ids do not name each of them once");
    }
    let mut spans: Vec<Span> = Vec::new();
    // Axis, and the products of the sizes before and up to the end of each part.
    let mut parts: Vec<(usize, i64, i64)> = Vec::new();
    for axis in &axes.axes {
        let name = &module.strings[axis.name];
        let place = mesh.axes.iter().position(|(known, _)| *known == axis.name);
        let Some(place) = place else {
            return Err(OpError::new(format!("the mesh has no axis \"{name}\"")));
        };
        let whole = mesh.axes[place].1;
        let (before, size) = axis.part.unwrap_or((1, whole));
        let fits = before > 0 && size > 0 && before.checked_mul(size).is_some_and(|n| whole % n == 0);
        ensure!(fits, "the axis \"{name}\" of size {whole} has no part ({before}){size}");
        let after = before * size;
        let apart = |other: &(usize, i64, i64)| {
            other.0 != place
                || before % other.2 == 0
                || other.1 % after == 0
                || size == 1
                || other.1 == other.2
        };
        ensure!(parts.iter().all(apart), "the axes name a part of the axis \"{name}\" twice");
        parts.push((place, before, after));
        let minor: i64 = mesh.axes[place + 1..].iter().map(|(_, size)| size).product();
        spans.push(Span { size, stride: whole / (before * size) * minor });
    }
    let group_size = spans.iter().map(|span| span.size).product();
    Ok(Spans { mesh, total, list: spans, group_size })
}

/// The groups that axes of a mesh stand for: devices that differ only along these axes, major to minor.
fn mesh_groups(module: &Module, axes: &MeshAxes) -> Result<Vec<Vec<i64>>, OpError> {
    let Spans { mesh, total, list: spans, group_size: size } = mesh_spans(module, axes)?;
    let device = |place: i64| match &mesh.device_ids {
        Some(ids) => ids.get(place as usize).copied().unwrap_or(-1),
        None => place,
    };
    // The first device of each group is the one at the start of all spans.
    let mut seen = vec![false; total as usize];
    let mut groups = Vec::with_capacity((total / size) as usize);
    for first in 0..total {
        if seen[first as usize] {
            continue;
        }
        let mut group = Vec::with_capacity(size as usize);
        for n in 0..size {
            let mut rest = n;
            let mut place = first;
            for span in spans.iter().rev() {
                place += rest % span.size * span.stride;
                rest /= span.size;
            }
            seen[place as usize] = true;
            group.push(device(place));
        }
        groups.push(group);
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::sdy::AxisRef;

    #[test]
    fn axes_of_a_mesh_are_groups() {
        let mut module = Module::new();
        let [x, y] = ["x", "y"].map(|name| module.strings.intern(name));
        let mesh = MeshAttr { axes: vec![(x, 2), (y, 4)], device_ids: None };
        let groups = |axes: &[(crate::ir::Sym, Option<(i64, i64)>)]| {
            let axes = axes.iter().map(|(name, part)| AxisRef { name: *name, part: *part }).collect();
            mesh_groups(&module, &MeshAxes { mesh: MeshRef::Inline(Box::new(mesh.clone())), axes })
        };
        assert_eq!(groups(&[(x, None)]).unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(groups(&[(y, None)]).unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(groups(&[(y, Some((1, 2)))]).unwrap(), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(groups(&[(y, Some((2, 2))), (x, None)]).unwrap(), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(groups(&[]).unwrap().len(), 8);
        assert!(groups(&[(x, None), (x, None)]).is_err());
        assert!(groups(&[(y, Some((3, 2)))]).is_err());
        assert!(groups(&[(y, Some((1, 4))), (y, Some((2, 2)))]).is_err());
        assert!(groups(&[(y, Some((2, 2))), (y, Some((1, 2)))]).is_ok());
    }
}
