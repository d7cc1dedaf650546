//! Device meshes with named axes.
//!
//! Inside Partita an axis is a product of *atoms*: its prime factors, major to minor. A sub-axis such as
//! `"x":(2)4` is then a run of atoms, a set of axes is a bit set, and no code besides this file does arithmetic
//! on sub-axes. Where the text of a program cuts an axis, the atoms respect the cuts.

use std::fmt;

/// An atom of a mesh: a prime factor of one axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Atom(pub u8);

/// The most devices that a mesh may have: groups of devices are written out in the end.
pub const MAX_DEVICES: i64 = 1 << 20;

/// The most atoms a mesh may have, enough for two thousand million devices: a set of atoms is one word, a list a few.
pub const MAX_ATOMS: usize = 31;

/// A set of atoms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AtomSet(u32);

impl AtomSet {
    /// No atoms.
    pub const EMPTY: AtomSet = AtomSet(0);

    /// Whether an atom is in the set.
    pub fn contains(self, atom: Atom) -> bool {
        self.0 >> atom.0 & 1 == 1
    }

    /// Adds an atom.
    pub fn insert(&mut self, atom: Atom) {
        self.0 |= 1 << atom.0;
    }

    /// Takes an atom out.
    pub fn remove(&mut self, atom: Atom) {
        self.0 &= !(1 << atom.0);
    }

    /// All atoms of either set.
    pub fn union(self, other: AtomSet) -> AtomSet {
        AtomSet(self.0 | other.0)
    }

    /// The atoms of both sets.
    pub fn intersection(self, other: AtomSet) -> AtomSet {
        AtomSet(self.0 & other.0)
    }

    /// The atoms of this set that are not in the other.
    pub fn minus(self, other: AtomSet) -> AtomSet {
        AtomSet(self.0 & !other.0)
    }

    /// Whether it has no atoms.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The atoms in order.
    pub fn iter(self) -> impl Iterator<Item = Atom> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = rest.trailing_zeros();
            // Takes the lowest bit away.
            rest &= rest.checked_sub(1)?;
            Some(Atom(first as u8))
        })
    }
}

impl FromIterator<Atom> for AtomSet {
    fn from_iter<T: IntoIterator<Item = Atom>>(iter: T) -> Self {
        let mut set = AtomSet::EMPTY;
        iter.into_iter().for_each(|a| set.insert(a));
        set
    }
}

impl fmt::Debug for AtomSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A named axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// How many devices along it.
    pub size: i64,
    first_atom: u8,
    atom_count: u8,
}

impl Axis {
    /// The atoms of the axis, major to minor.
    pub fn atoms(&self) -> impl DoubleEndedIterator<Item = Atom> + use<> {
        (self.first_atom..self.first_atom + self.atom_count).map(Atom)
    }
}

/// A mesh of devices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mesh {
    axes: Vec<Axis>,
    /// Axis and size of each atom.
    atoms: Vec<(u16, i64)>,
    device_ids: Option<Vec<i64>>,
}

/// A whole axis or a part of one, as the text names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AxisPart {
    /// Which axis of the mesh.
    pub axis: usize,
    /// `:(pre)size`; nothing for the whole axis.
    pub part: Option<(i64, i64)>,
}

/// Why a mesh or a part of an axis cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeshError {
    /// An axis of size zero or less.
    BadSize(String, i64),
    /// Two axes have one name.
    Duplicate(String),
    /// There are more devices than a mesh may have; nothing where they cannot be counted.
    TooManyDevices(Option<i64>),
    /// Two parts of an axis cut it in ways that do not go together: the axis and the two cuts.
    Cuts(String, i64, i64),
    /// The part is not one of the axis: axis, its size, pre-size and size of the part.
    BadPart(String, i64, i64, i64),
    /// There are more or fewer device ids than devices: ids, devices.
    DeviceCount(usize, i64),
    /// The device ids are not a permutation of 0, 1, …
    NotPermutation,
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshError::BadSize(name, size) => write!(f, "the axis \"{name}\" has the size {size}"),
            MeshError::Duplicate(name) => write!(f, "the axis \"{name}\" is named twice"),
            MeshError::TooManyDevices(Some(count)) => {
                write!(f, "the mesh has {count} devices, more than the {MAX_DEVICES} that one may have")
            }
            MeshError::TooManyDevices(None) => f.write_str("the mesh has more devices than can be counted"),
            MeshError::Cuts(name, a, b) => {
                write!(f, "the axis \"{name}\" is cut at {a} and at {b}: one must divide the other")
            }
            MeshError::BadPart(name, axis, pre, size) => {
                write!(f, "the axis \"{name}\" of size {axis} has no part ({pre}){size}")
            }
            MeshError::DeviceCount(ids, devices) => {
                write!(f, "{ids} device ids for a mesh of {devices} devices")
            }
            MeshError::NotPermutation => f.write_str("the device ids are not a permutation of 0, 1, …"),
        }
    }
}

impl std::error::Error for MeshError {}

impl Mesh {
    /// A mesh with these axes, major to minor.
    pub fn new(axes: impl IntoIterator<Item = (impl Into<String>, i64)>) -> Result<Mesh, MeshError> {
        Mesh::with_cuts(axes, &[])
    }

    /// A mesh whose atoms respect cuts: (axis, product of the sizes before the cut).
    pub fn with_cuts(
        axes: impl IntoIterator<Item = (impl Into<String>, i64)>,
        cuts: &[(usize, i64)],
    ) -> Result<Mesh, MeshError> {
        let mut mesh = Mesh::default();
        let mut total = 1i64;
        for (index, (name, size)) in axes.into_iter().enumerate() {
            let name = name.into();
            if size < 1 {
                return Err(MeshError::BadSize(name, size));
            }
            if mesh.axes.iter().any(|a| a.name == name) {
                return Err(MeshError::Duplicate(name));
            }
            total = total.checked_mul(size).ok_or(MeshError::TooManyDevices(None))?;
            if total > MAX_DEVICES {
                return Err(MeshError::TooManyDevices(Some(total)));
            }
            let mut points: Vec<i64> = cuts.iter().filter(|c| c.0 == index).map(|c| c.1).collect();
            points.extend([1, size]);
            points.sort_unstable();
            points.dedup();
            let first = mesh.atoms.len();
            for pair in points.windows(2) {
                if pair[1] > size || pair[1] % pair[0] != 0 {
                    return Err(MeshError::Cuts(name, pair[0], pair[1]));
                }
                mesh.atoms.extend(prime_factors(pair[1] / pair[0]).map(|p| (index as u16, p)));
            }
            debug_assert!(mesh.atoms.len() <= MAX_ATOMS, "a mesh of so few devices has few prime factors");
            let atom_count = (mesh.atoms.len() - first) as u8;
            mesh.axes.push(Axis { name, size, first_atom: first as u8, atom_count });
        }
        Ok(mesh)
    }

    /// The same mesh over devices in another order: the id at each position, row-major.
    pub fn with_device_ids(mut self, ids: Vec<i64>) -> Result<Mesh, MeshError> {
        if ids.len() as i64 != self.device_count() {
            return Err(MeshError::DeviceCount(ids.len(), self.device_count()));
        }
        let mut seen = vec![false; ids.len()];
        for &id in &ids {
            match usize::try_from(id).ok().and_then(|i| seen.get_mut(i)) {
                Some(slot) if !*slot => *slot = true,
                _ => return Err(MeshError::NotPermutation),
            }
        }
        let plain = ids.iter().enumerate().all(|(i, id)| i as i64 == *id);
        self.device_ids = (!plain).then_some(ids);
        Ok(self)
    }

    /// The axes, major to minor.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The device at each position, where it is not simply the position.
    pub fn device_ids(&self) -> Option<&[i64]> {
        self.device_ids.as_deref()
    }

    /// How many devices.
    pub fn device_count(&self) -> i64 {
        self.axes.iter().map(|a| a.size).product()
    }

    /// The axis with this name.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|a| a.name == name)
    }

    /// How many atoms.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// All atoms.
    pub fn all_atoms(&self) -> AtomSet {
        (0..self.atoms.len() as u8).map(Atom).collect()
    }

    /// The size of an atom.
    pub fn atom_size(&self, atom: Atom) -> i64 {
        self.atoms[usize::from(atom.0)].1
    }

    /// The axis an atom belongs to.
    pub fn atom_axis(&self, atom: Atom) -> usize {
        usize::from(self.atoms[usize::from(atom.0)].0)
    }

    /// How many devices a list of atoms stands for.
    pub fn size_of(&self, atoms: impl IntoIterator<Item = Atom>) -> i64 {
        atoms.into_iter().map(|a| self.atom_size(a)).product()
    }

    /// The atoms of an axis or a part of one, major to minor.
    pub fn atoms_of(&self, part: AxisPart) -> Result<impl Iterator<Item = Atom> + use<>, MeshError> {
        let axis = &self.axes[part.axis];
        let (pre, size) = part.part.unwrap_or((1, axis.size));
        let bad = || MeshError::BadPart(axis.name.clone(), axis.size, pre, size);
        let mut before = 1;
        let mut atoms = axis.atoms().skip_while(|a| {
            let skip = before < pre;
            if skip {
                before *= self.atom_size(*a);
            }
            skip
        });
        let mut found = Vec::new();
        let mut covered = 1;
        while covered < size {
            let Some(atom) = atoms.next() else { return Err(bad()) };
            covered *= self.atom_size(atom);
            found.push(atom);
        }
        drop(atoms);
        if before != pre || covered != size || pre < 1 || size < 1 {
            return Err(bad());
        }
        Ok(found.into_iter())
    }

    /// How the text names a list of atoms: runs of one axis are joined.
    pub fn parts(&self, atoms: &[Atom]) -> Vec<AxisPart> {
        let mut parts = Vec::new();
        let mut i = 0;
        while i < atoms.len() {
            let axis_index = self.atom_axis(atoms[i]);
            let axis = &self.axes[axis_index];
            let mut end = i + 1;
            while end < atoms.len()
                && atoms[end].0 == atoms[end - 1].0 + 1
                && self.atom_axis(atoms[end]) == axis_index
            {
                end += 1;
            }
            let pre = self.size_of(axis.atoms().take_while(|a| *a < atoms[i]));
            let size = self.size_of(atoms[i..end].iter().copied());
            let part = (size != axis.size).then_some((pre, size));
            parts.push(AxisPart { axis: axis_index, part });
            i = end;
        }
        parts
    }
}

/// The prime factors of a number in ascending order.
pub(super) fn prime_factors(mut n: i64) -> impl Iterator<Item = i64> {
    let mut p = 2;
    std::iter::from_fn(move || {
        while n > 1 {
            if n % p == 0 {
                n /= p;
                return Some(p);
            }
            // Past the root what is left is prime.
            p = if p.saturating_mul(p) > n { n } else { p + 1 };
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_products_of_primes() {
        let mesh = Mesh::new([("x", 12), ("y", 1), ("z", 7)]).unwrap();
        assert_eq!(mesh.device_count(), 84);
        let sizes: Vec<i64> = mesh.all_atoms().iter().map(|a| mesh.atom_size(a)).collect();
        assert_eq!(sizes, [2, 2, 3, 7]);
        assert_eq!(mesh.axes()[1].atoms().count(), 0);
    }

    #[test]
    fn parts_of_axes_are_runs_of_atoms() {
        let mesh = Mesh::new([("x", 8), ("y", 2)]).unwrap();
        let part = |pre, size| AxisPart { axis: 0, part: Some((pre, size)) };
        let atoms: Vec<Atom> = mesh.atoms_of(part(2, 4)).unwrap().collect();
        assert_eq!(atoms, [Atom(1), Atom(2)]);
        assert_eq!(mesh.parts(&atoms), [part(2, 4)]);
        let whole: Vec<Atom> = mesh.atoms_of(AxisPart { axis: 0, part: None }).unwrap().collect();
        assert_eq!(mesh.parts(&whole), [AxisPart { axis: 0, part: None }]);
        assert!(mesh.atoms_of(part(3, 2)).is_err());
        assert!(mesh.atoms_of(part(2, 16)).is_err());
    }

    #[test]
    fn cuts_decide_the_order_of_factors() {
        let mesh = Mesh::with_cuts([("x", 6)], &[(0, 3)]).unwrap();
        let sizes: Vec<i64> = mesh.all_atoms().iter().map(|a| mesh.atom_size(a)).collect();
        assert_eq!(sizes, [3, 2]);
        assert_eq!(Mesh::with_cuts([("x", 6)], &[(0, 2), (0, 3)]), Err(MeshError::Cuts("x".into(), 2, 3)));
    }

    #[test]
    fn device_ids_are_a_permutation() {
        let mesh = || Mesh::new([("x", 4)]).unwrap();
        assert_eq!(mesh().with_device_ids(vec![0, 1, 2, 3]).unwrap().device_ids(), None);
        assert_eq!(mesh().with_device_ids(vec![3, 1, 2, 0]).unwrap().device_ids(), Some(&[3, 1, 2, 0][..]));
        assert_eq!(mesh().with_device_ids(vec![0, 1, 2]), Err(MeshError::DeviceCount(3, 4)));
        assert_eq!(mesh().with_device_ids(vec![0, 1, 2, 2]), Err(MeshError::NotPermutation));
    }
}
