//! `mesh_split` of the GSPMD paper: which dimension of a device mesh splits each dimension of a tensor.

use super::gspmd::{ArraySharding, Devices, Subgroup, TileKind, Tiles};
use crate::diagnostic::Diagnostic;
use crate::ir::{Attr, Module, Span, ValueDef, ValueId, names};

/// An array of device numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceMesh {
    /// Its sizes.
    pub shape: Vec<i64>,
    /// The devices, row-major.
    pub devices: Vec<i64>,
}

impl DeviceMesh {
    /// The devices 0, 1, 2, … in a shape.
    pub fn iota(shape: impl Into<Vec<i64>>) -> DeviceMesh {
        let shape = shape.into();
        let count = shape.iter().product();
        DeviceMesh { shape, devices: (0..count).collect() }
    }
}

/// Splits a value: `dims_mapping` gives for each dimension of the tensor the dimension of the mesh it is split over, or
/// nothing. Dimensions of the mesh that are not named hold copies. The annotation is written on the value in tiles.
pub fn mesh_split(
    module: &mut Module,
    value: ValueId,
    device_mesh: &DeviceMesh,
    dims_mapping: &[Option<usize>],
) -> Result<(), Diagnostic> {
    let name = module.value_name(value);
    let error = |message: String| Diagnostic::new("sharding", Span::default(), message).value(name.clone());
    let rank = module.tensor_type(value).map_or(0, |t| t.rank());
    if dims_mapping.len() != rank {
        let message = format!("`{name}` has {rank} dimensions, but {} are mapped", dims_mapping.len());
        return Err(error(message).fix("map each dimension; to nothing where it is not split"));
    }
    let sharding = tiles(device_mesh, dims_mapping).map_err(error)?;
    let text = module.strings.intern(&sharding.to_string());
    match module.values[value].def {
        ValueDef::Result(op, _) if module.ops[op].results.len() == 1 => {
            module.ops[op].attrs.set(names::MHLO_SHARDING, Attr::Str(text));
        }
        ValueDef::Arg(region, n) => {
            let Some(func) = module.funcs.ids().find(|f| module.funcs[*f].body == Some(region)) else {
                let message =
                    format!("`{name}` is an argument inside an operation and has no annotation of its own");
                return Err(error(message).fix("split the operand or the result of the operation"));
            };
            module.funcs[func].arg_attrs[n as usize].set(names::MHLO_SHARDING, Attr::Str(text));
        }
        ValueDef::Result(..) => {
            let message = format!("`{name}` is one of several results");
            return Err(error(message).fix("split each of them with its own annotation"));
        }
    }
    Ok(())
}

/// The sharding: the mesh transposed so that its mapped dimensions come in the order of the tensor's, and the others
/// as one group of copies.
fn tiles(mesh: &DeviceMesh, dims_mapping: &[Option<usize>]) -> Result<ArraySharding, String> {
    let rank = mesh.shape.len();
    if mesh.shape.iter().product::<i64>() != mesh.devices.len() as i64 {
        return Err(format!("the device mesh has {} devices for its shape", mesh.devices.len()));
    }
    let mut permutation: Vec<usize> = dims_mapping.iter().flatten().copied().collect();
    for (i, dim) in permutation.iter().enumerate() {
        if *dim >= rank {
            return Err(format!("the mesh has no dimension {dim}: it has {rank}"));
        }
        if permutation[..i].contains(dim) {
            return Err(format!("the dimension {dim} of the mesh splits two dimensions of the tensor"));
        }
    }
    let rest: Vec<usize> = (0..rank).filter(|d| !permutation.contains(d)).collect();
    permutation.extend(&rest);
    let mut grid: Vec<i64> = dims_mapping.iter().map(|d| d.map_or(1, |d| mesh.shape[d])).collect();
    let mut subgroups = Vec::new();
    if grid.iter().all(|size| *size == 1) {
        return Ok(ArraySharding { kind: TileKind::Replicated, group: None, metadata: None });
    }
    if !rest.is_empty() {
        grid.push(rest.iter().map(|d| mesh.shape[*d]).product());
        subgroups.push(Subgroup::Replicated);
    }
    let devices = Devices::List(transposed(mesh, &permutation));
    Ok(ArraySharding {
        kind: TileKind::Tiled(Tiles { grid, devices, subgroups }),
        group: None,
        metadata: None,
    })
}

fn transposed(mesh: &DeviceMesh, permutation: &[usize]) -> Vec<i64> {
    let strides: Vec<i64> = (0..mesh.shape.len()).map(|d| mesh.shape[d + 1..].iter().product()).collect();
    let mut positions = vec![0i64];
    for &dim in permutation {
        let (size, stride) = (mesh.shape[dim], strides[dim]);
        positions = positions.iter().flat_map(|p| (0..size).map(move |i| p + i * stride)).collect();
    }
    positions.into_iter().map(|p| mesh.devices[p as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_transposes_the_mesh() {
        let mesh = DeviceMesh::iota([2, 3]);
        let text = |mapping: &[Option<usize>]| tiles(&mesh, mapping).map(|t| t.to_string());
        assert_eq!(text(&[Some(0), Some(1)]).unwrap(), "{devices=[2,3]0,1,2,3,4,5}");
        assert_eq!(text(&[Some(1), None, Some(0)]).unwrap(), "{devices=[3,1,2]0,3,1,4,2,5}");
        assert_eq!(text(&[None, Some(1)]).unwrap(), "{devices=[1,3,2]0,3,1,4,2,5 last_tile_dim_replicate}");
        assert_eq!(text(&[None]).unwrap(), "{replicated}");
        assert!(text(&[Some(0), Some(0)]).is_err());
        assert!(text(&[Some(2)]).is_err());
    }

    #[test]
    fn the_annotation_stands_on_the_value() {
        let mut module = crate::text::parse("func.func @main(%arg0: tensor<4x6xf32>) { return }").unwrap();
        let arg = module.values.ids().next().unwrap();
        let mesh = DeviceMesh::iota([2, 2]);
        mesh_split(&mut module, arg, &mesh, &[Some(1), None]).unwrap();
        let text = crate::text::print::print(&module);
        assert!(
            text.contains(r#"mhlo.sharding = "{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}""#),
            "{text}"
        );
        assert!(mesh_split(&mut module, arg, &mesh, &[None]).is_err());
    }
}
