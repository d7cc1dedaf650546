//! One mesh for all shardings of a program.
//!
//! A program may bring several meshes, tile shardings that name no axes at all, and explicit lists of devices. All of
//! them are grids of devices; written in digits of the device number they can be compared. The common mesh has the
//! axes of the first named mesh, or where only tiles are given one axis per factor of the coarsest factorisation
//! that every sharding can be written in.

use super::digits::{Digit, deal, digits_of, list_digits, list_of};
use super::gspmd::Devices;
use super::order;
use std::fmt;

/// Axes over devices, as a program declares them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedGrid {
    /// Names and sizes, major to minor.
    pub axes: Vec<(String, i64)>,
    /// The device at each position, where it is not simply the position.
    pub device_ids: Option<Vec<i64>>,
}

impl NamedGrid {
    /// How many devices; nothing where they cannot be counted.
    pub fn device_count(&self) -> Option<i64> {
        self.axes.iter().try_fold(1i64, |n, (_, size)| n.checked_mul(*size)).filter(|n| *n > 0)
    }

    fn devices(&self) -> Devices {
        match &self.device_ids {
            Some(ids) => Devices::List(ids.clone()),
            None => {
                let shape: Vec<i64> = self.axes.iter().map(|a| a.1).collect();
                Devices::Iota { permutation: (0..shape.len()).collect(), shape }
            }
        }
    }
}

/// Why shardings do not go together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommonError {
    /// A grid of this many devices beside one of that many.
    Count(i64, i64),
    /// The devices stand in an order that is no reordering of digits of the other.
    Order,
    /// A dimension or axis ends inside an axis without dividing it.
    Factor,
}

impl fmt::Display for CommonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommonError::Count(own, common) => {
                write!(f, "it is over {own} devices, other shardings are over {common}")
            }
            CommonError::Order => f.write_str("its devices stand in an order that no mesh of the others has"),
            CommonError::Factor => f.write_str("its factors do not divide the axes of the others"),
        }
    }
}

/// An axis of the common mesh by its position, and `(pre, size)` where it is a part.
pub type Part = (usize, Option<(i64, i64)>);

/// The mesh that all shardings of a program are written over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommonMesh {
    grid: NamedGrid,
    /// The position of each device, where it is not simply its number.
    positions: Option<Vec<i64>>,
    /// Whether the axes have names of the program's own.
    pub named: bool,
}

impl CommonMesh {
    /// A mesh with the axes of a named one.
    pub fn over(grid: NamedGrid) -> CommonMesh {
        let positions = grid.device_ids.as_deref().map(inverse);
        CommonMesh { grid, positions, named: true }
    }

    /// The axes `m0`, `m1`, … of the coarsest factorisation for tile shardings: for each its devices and the sizes
    /// of its grid, without trailing dimensions along which everything is replicated. Gives the number of the first
    /// that does not go together with those before.
    pub fn of_tiles(count: i64, tiles: &[(&Devices, &[i64])]) -> Result<CommonMesh, (usize, CommonError)> {
        let plain = CommonMesh::of_tiles_in_order(count, tiles, None, CommonMesh::digits);
        if plain.is_ok() {
            return plain;
        }
        let order = order::common_order(count, tiles);
        let ordered =
            order.map(|order| CommonMesh::of_tiles_in_order(count, tiles, Some(order), CommonMesh::digits));
        match ordered {
            Some(Ok(mesh)) => Ok(mesh),
            // No mesh has all of them: what contradicts the numbers of the devices keeps an order of its own.
            _ => CommonMesh::of_tiles_in_order(count, tiles, None, |mesh, devices, grid| {
                mesh.digits_in_any_order(devices, grid).map(|(digits, _)| digits)
            }),
        }
    }

    fn of_tiles_in_order(
        count: i64,
        tiles: &[(&Devices, &[i64])],
        order: Option<Vec<i64>>,
        digits: impl Fn(&CommonMesh, &Devices, &[i64]) -> Result<Vec<Vec<Digit>>, CommonError>,
    ) -> Result<CommonMesh, (usize, CommonError)> {
        let whole = NamedGrid { axes: vec![(String::new(), count)], device_ids: order };
        let mut mesh = CommonMesh { named: false, ..CommonMesh::over(whole) };
        let mut cuts = vec![1, count];
        for (n, (devices, grid)) in tiles.iter().enumerate() {
            let dims = digits(&mesh, devices, grid).map_err(|e| (n, e))?;
            cuts.extend(dims.iter().take(grid.len()).flatten().flat_map(|d| [d.stride, d.end()]));
            cuts.sort_unstable();
            cuts.dedup();
            if cuts.windows(2).any(|pair| pair[1] % pair[0] != 0) {
                return Err((n, CommonError::Factor));
            }
        }
        let sizes = cuts.windows(2).rev().map(|pair| pair[1] / pair[0]);
        mesh.grid.axes = sizes.enumerate().map(|(i, size)| (format!("m{i}"), size)).collect();
        if mesh.grid.axes.is_empty() {
            mesh.grid.axes.push(("m0".to_string(), 1));
        }
        Ok(mesh)
    }

    /// Axes and device order.
    pub fn grid(&self) -> &NamedGrid {
        &self.grid
    }

    /// The digits of the position in this mesh that each dimension of a grid of devices runs through. The grid may
    /// leave out trailing dimensions; the digits left over are then those of one more dimension.
    fn digits(&self, devices: &Devices, grid: &[i64]) -> Result<Vec<Vec<Digit>>, CommonError> {
        let own = devices.count();
        let count = self.grid.device_count().unwrap_or(1);
        if own != count {
            return Err(CommonError::Count(own, count));
        }
        let covered: i64 = grid.iter().product();
        let digits = match (&self.positions, devices) {
            (None, iota @ Devices::Iota { .. }) => digits_of(iota),
            (positions, devices) => {
                let mut list = list_of(devices);
                if let Some(positions) = positions {
                    list = mapped(&list, positions);
                }
                // Which of the devices that hold the same comes first makes no difference.
                list.chunks_mut((count / covered.max(1)).max(1) as usize).for_each(<[i64]>::sort_unstable);
                list_digits(&list)
            }
        };
        let digits = digits.ok_or(CommonError::Order)?;
        let mut sizes = grid.to_vec();
        if covered < count {
            sizes.push(count / covered);
        }
        deal(&digits, &sizes).ok_or(CommonError::Factor)
    }

    /// The same, but devices in an order that contradicts the mesh are taken as if they stood in the order of the mesh; and whether they
    /// are.
    fn digits_in_any_order(
        &self,
        devices: &Devices,
        grid: &[i64],
    ) -> Result<(Vec<Vec<Digit>>, bool), CommonError> {
        match self.digits(devices, grid) {
            Err(CommonError::Order) if order::is_permutation(&list_of(devices)) => {
                Ok((self.digits(&self.grid.devices(), grid)?, true))
            }
            digits => Ok((digits?, false)),
        }
    }

    /// As [`parts`](Self::parts), but devices in an order that contradicts the mesh are taken as if they stood in the order of the
    /// mesh; and whether they are.
    pub fn parts_in_any_order(
        &self,
        devices: &Devices,
        grid: &[i64],
    ) -> Result<(Vec<Vec<Part>>, bool), CommonError> {
        let (mut dims, other) = self.digits_in_any_order(devices, grid)?;
        dims.truncate(grid.len());
        let parts: Result<_, _> = dims.iter().map(|digits| self.parts_of(digits)).collect();
        Ok((parts?, other))
    }

    /// The axes that each dimension of a grid of devices is split over, major to minor.
    pub fn parts(&self, devices: &Devices, grid: &[i64]) -> Result<Vec<Vec<Part>>, CommonError> {
        let mut dims = self.digits(devices, grid)?;
        dims.truncate(grid.len());
        dims.iter().map(|digits| self.parts_of(digits)).collect()
    }

    /// The parts of this mesh that each axis of another is made of.
    pub fn axes_of(&self, other: &NamedGrid) -> Result<Vec<Vec<Part>>, CommonError> {
        let sizes: Vec<i64> = other.axes.iter().map(|a| a.1).collect();
        self.parts(&other.devices(), &sizes)
    }

    /// The parts of this mesh that a part of an axis of another is made of, given those of the whole axis.
    pub fn part_of(&self, whole: &[Part], pre: i64, size: i64) -> Result<Vec<Part>, CommonError> {
        let mut digits = Vec::new();
        for &(axis, part) in whole {
            let (_, length, stride) = self.axis(axis);
            let (before, own) = part.unwrap_or((1, length));
            digits.push(Digit { size: own, stride: stride * length / (before * own) });
        }
        let total: i64 = digits.iter().map(|d| d.size).product();
        if pre < 1 || size < 1 || total % (pre * size) != 0 {
            return Err(CommonError::Factor);
        }
        let dealt = deal(&digits, &[pre, size, total / (pre * size)]).ok_or(CommonError::Factor)?;
        self.parts_of(&dealt[1])
    }

    /// Name, size and stride of an axis.
    fn axis(&self, n: usize) -> (&str, i64, i64) {
        let (name, size) = &self.grid.axes[n];
        (name, *size, self.grid.axes[n + 1..].iter().map(|a| a.1).product())
    }

    fn parts_of(&self, digits: &[Digit]) -> Result<Vec<Part>, CommonError> {
        let mut parts: Vec<Part> = Vec::new();
        for digit in digits {
            for axis in 0..self.grid.axes.len() {
                let (_, size, stride) = self.axis(axis);
                let (low, high) = (digit.stride.max(stride), digit.end().min(stride * size));
                if high <= low {
                    continue;
                }
                if high % low != 0 || stride * size % high != 0 || low % stride != 0 {
                    return Err(CommonError::Factor);
                }
                let whole = high / low == size;
                let mut part = (stride * size / high, high / low);
                // Neighbouring parts of one axis are one part.
                if let Some((last, Some((pre, own)))) = parts.last().copied()
                    && last == axis
                    && pre * own == part.0
                {
                    part = (pre, own * part.1);
                    parts.pop();
                }
                parts.push((axis, (!whole && part.1 != size).then_some(part)));
            }
        }
        Ok(parts)
    }
}

/// Where each number of a permutation stands; numbers that are none are left out.
fn inverse(ids: &[i64]) -> Vec<i64> {
    let mut positions = vec![-1; ids.len()];
    for (position, id) in ids.iter().enumerate() {
        if let Some(slot) = usize::try_from(*id).ok().and_then(|id| positions.get_mut(id)) {
            *slot = position as i64;
        }
    }
    positions
}

fn mapped(list: &[i64], positions: &[i64]) -> Vec<i64> {
    let position = |id: &i64| usize::try_from(*id).ok().and_then(|id| positions.get(id)).copied();
    list.iter().map(|id| position(id).unwrap_or(-1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iota(shape: &[i64], permutation: &[usize]) -> Devices {
        Devices::Iota { shape: shape.to_vec(), permutation: permutation.to_vec() }
    }

    fn sizes(mesh: &CommonMesh) -> Vec<i64> {
        mesh.grid.axes.iter().map(|a| a.1).collect()
    }

    #[test]
    fn the_coarsest_factorisation_is_found() {
        let plain = iota(&[8], &[0]);
        let turned = iota(&[2, 4], &[1, 0]);
        let mesh = CommonMesh::of_tiles(8, &[(&plain, &[8])]).unwrap();
        assert_eq!(sizes(&mesh), [8]);
        let mesh = CommonMesh::of_tiles(8, &[(&plain, &[2]), (&turned, &[1, 4])]).unwrap();
        assert_eq!(sizes(&mesh), [2, 4]);
        assert_eq!(mesh.parts(&turned, &[1, 4]).unwrap(), [vec![], vec![(1, None)]]);
        let mesh = CommonMesh::of_tiles(8, &[(&plain, &[2, 4]), (&turned, &[2, 4])]).unwrap();
        assert_eq!(sizes(&mesh), [2, 2, 2]);
        assert_eq!(mesh.parts(&turned, &[2, 4]).unwrap(), [vec![(1, None)], vec![(2, None), (0, None)]]);
    }

    #[test]
    fn one_explicit_order_becomes_the_order_of_the_mesh() {
        let odd = Devices::List(vec![0, 1, 3, 2]);
        let turned = Devices::List(vec![0, 3, 1, 2]);
        let mesh = CommonMesh::of_tiles(4, &[(&odd, &[2, 2]), (&turned, &[2, 2])]).unwrap();
        assert_eq!(mesh.grid.device_ids.as_deref(), Some(&[0, 1, 3, 2][..]));
        assert_eq!(mesh.parts(&turned, &[2, 2]).unwrap(), [vec![(1, None)], vec![(0, None)]]);
        // Where there is none the numbers of the devices are, and what contradicts them is written as if it did not.
        let plain = iota(&[4], &[0]);
        let mesh = CommonMesh::of_tiles(4, &[(&odd, &[2, 2]), (&plain, &[4])]).unwrap();
        assert_eq!(mesh.grid.device_ids, None);
        assert_eq!(mesh.parts(&odd, &[2, 2]), Err(CommonError::Order));
        let parts = mesh.parts_in_any_order(&odd, &[2, 2]).unwrap();
        assert_eq!(parts, (vec![vec![(0, None)], vec![(1, None)]], true));
        // Each of the two counts one digit of the device number backwards.
        let (low, high) = (Devices::List(vec![1, 3, 0, 2]), Devices::List(vec![2, 3, 0, 1]));
        let mesh = CommonMesh::of_tiles(4, &[(&low, &[2]), (&high, &[2])]).unwrap();
        assert_eq!(mesh.grid.device_ids.as_deref(), Some(&[3, 1, 2, 0][..]));
        assert_eq!(mesh.parts(&low, &[2]).unwrap(), [vec![(0, None)]]);
        assert_eq!(mesh.parts(&high, &[2]).unwrap(), [vec![(1, None)]]);
    }

    #[test]
    fn factors_that_do_not_divide_are_refused() {
        let plain = iota(&[6], &[0]);
        let error = CommonMesh::of_tiles(6, &[(&plain, &[2, 3]), (&plain, &[3, 2])]).unwrap_err();
        assert_eq!(error, (1, CommonError::Factor));
    }

    #[test]
    fn another_mesh_is_made_of_parts_of_axes() {
        let grid = |axes: &[(&str, i64)]| NamedGrid {
            axes: axes.iter().map(|(n, s)| (n.to_string(), *s)).collect(),
            device_ids: None,
        };
        let mesh = CommonMesh::over(grid(&[("x", 2), ("y", 4)]));
        let parts = mesh.axes_of(&grid(&[("a", 4), ("b", 2)])).unwrap();
        assert_eq!(parts, [vec![(0, None), (1, Some((1, 2)))], vec![(1, Some((2, 2)))]]);
        assert_eq!(mesh.part_of(&parts[0], 2, 2).unwrap(), [(1, Some((1, 2)))]);
        assert_eq!(mesh.axes_of(&grid(&[("a", 16)])), Err(CommonError::Count(16, 8)));
        let single = CommonMesh::over(grid(&[("z", 8)]));
        assert_eq!(single.axes_of(&grid(&[("a", 8)])).unwrap(), [vec![(0, None)]]);
    }
}
