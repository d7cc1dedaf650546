//! Shardings over a mesh, in the tile notation.

use super::digits::{Digit, expand, list_digits, merged};
use super::gspmd::{Devices, Subgroup, TileKind, Tiles};
use super::mesh::{Atom, AtomSet, Mesh};
use super::tensor::Sharding;

/// The digit of the position in the mesh that an atom stands for.
fn digit(mesh: &Mesh, atom: Atom) -> Digit {
    let below = mesh.all_atoms().iter().filter(|a| *a > atom);
    Digit { size: mesh.atom_size(atom), stride: mesh.size_of(below) }
}

/// The grid of tiles that a sharding is. Atoms of `manual` become a manual subgroup.
pub fn to_tiles(mesh: &Mesh, sharding: &Sharding, manual: AtomSet) -> TileKind {
    if let Some(device) = sharding.device {
        return TileKind::Maximal(device);
    }
    let used = sharding.used().union(manual);
    let unreduced = sharding.unreduced.minus(used);
    let rest = mesh.all_atoms().minus(used).minus(unreduced);
    let size = |atoms: AtomSet| mesh.size_of(atoms.iter());
    if size(used) == 1 && size(unreduced) == 1 {
        return TileKind::Replicated;
    }
    if size(used) == 1 && size(rest) == 1 {
        return TileKind::Unreduced;
    }
    let mut grid: Vec<i64> = sharding.dims.iter().map(|d| mesh.size_of(d.atoms.iter().copied())).collect();
    let mut order: Vec<Atom> = sharding.dims.iter().flat_map(|d| d.atoms.iter().copied()).collect();
    let mut subgroups = Vec::new();
    for (kind, atoms) in
        [(Subgroup::Manual, manual), (Subgroup::Unreduced, unreduced), (Subgroup::Replicated, rest)]
    {
        if size(atoms) > 1 {
            subgroups.push(kind);
            grid.push(size(atoms));
            order.extend(atoms.iter());
        }
    }
    let digits = merged(order.into_iter().map(|a| digit(mesh, a)));
    let devices = match mesh.device_ids() {
        Some(ids) => {
            let id = |position: i64| ids[position as usize];
            let list: Vec<i64> = expand(&digits).into_iter().map(id).collect();
            list_digits(&list).map_or(Devices::List(list), |digits| iota(&digits))
        }
        None => iota(&digits),
    };
    TileKind::Tiled(Tiles { grid, devices, subgroups })
}

/// Digits as an iota that is reshaped and transposed.
fn iota(digits: &[Digit]) -> Devices {
    let mut sorted: Vec<Digit> = digits.to_vec();
    sorted.sort_by_key(|d| std::cmp::Reverse(d.stride));
    let place = |digit: &Digit| sorted.iter().position(|d| d == digit).unwrap_or_default();
    let permutation = digits.iter().map(place).collect();
    Devices::Iota { shape: sorted.iter().map(|d| d.size).collect(), permutation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharding::DimSharding;

    fn sharding(dims: &[&[u8]], unreduced: &[u8]) -> Sharding {
        let dim = |atoms: &&[u8]| DimSharding {
            atoms: atoms.iter().map(|a| Atom(*a)).collect(),
            ..DimSharding::default()
        };
        Sharding {
            dims: dims.iter().map(dim).collect(),
            unreduced: unreduced.iter().map(|a| Atom(*a)).collect(),
            ..Sharding::default()
        }
    }

    fn text(mesh: &Mesh, sharding: &Sharding) -> String {
        to_tiles(mesh, sharding, AtomSet::EMPTY).to_string()
    }

    #[test]
    fn shardings_are_written_as_tiles() {
        let mesh = Mesh::new([("x", 2), ("y", 4)]).unwrap();
        assert_eq!(text(&mesh, &sharding(&[&[0], &[1, 2]], &[])), "devices=[2,4]<=[8]");
        assert_eq!(
            text(&mesh, &sharding(&[&[1, 2], &[]], &[])),
            "devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate"
        );
        assert_eq!(
            text(&mesh, &sharding(&[&[2]], &[0])),
            "devices=[2,2,2]<=[4,2]T(1,0) last_tile_dims={unreduced, replicated}"
        );
        assert_eq!(text(&mesh, &sharding(&[&[], &[]], &[])), "replicated");
        assert_eq!(text(&mesh, &sharding(&[&[]], &[0, 1, 2])), "unreduced");
        let mesh = Mesh::new([("x", 4)]).unwrap().with_device_ids(vec![0, 1, 3, 2]).unwrap();
        assert_eq!(text(&mesh, &sharding(&[&[0], &[1]], &[])), "devices=[2,2]0,1,3,2");
    }
}
