//! Who talks to whom in a collective, said in axes of the mesh: nothing here grows with the number of devices until a
//! pattern is written out.

use crate::sharding::{Atom, AtomList, AtomSet, Mesh};
use smallvec::SmallVec;

/// Who talks to whom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// All devices that differ along these atoms only, in the order of the atoms.
    Groups(AtomList),
    /// Each device gets what the one `by` places further along the atoms has; those at the end get nothing, or with `wrap`
    /// what is at the other end.
    Shift {
        /// The atoms, major to minor.
        atoms: AtomList,
        /// How far.
        by: i64,
        /// Around the end.
        wrap: bool,
    },
    /// As a shift, but only the devices at the coordinates from `first` up to `end` get something.
    Hop {
        /// The atoms, major to minor.
        atoms: AtomList,
        /// How far.
        by: i64,
        /// The first coordinate that gets something.
        first: i64,
        /// The coordinate behind the last one that gets something.
        end: i64,
    },
    /// Each device gets what the one has that is as far from the end of the atoms as it is from their start.
    Mirror(AtomList),
    /// Each device gets what that device has whose coordinate along the first list of each pair is its own coordinate along
    /// the second. The first lists name every atom that takes part once, and so do the second.
    Reorder(Vec<(AtomList, AtomList)>),
    /// Pairs of devices, source and target, that follow no axes.
    Devices(Box<[[i64; 2]]>),
}

impl Pattern {
    /// The atoms along which data moves.
    pub fn atoms(&self) -> AtomList {
        match self {
            Pattern::Groups(atoms)
            | Pattern::Mirror(atoms)
            | Pattern::Shift { atoms, .. }
            | Pattern::Hop { atoms, .. } => atoms.clone(),
            Pattern::Reorder(pairs) => {
                let mut atoms: AtomList = pairs.iter().flat_map(|(from, _)| from.iter().copied()).collect();
                atoms.sort();
                atoms
            }
            Pattern::Devices(_) => AtomList::new(),
        }
    }
}

impl Pattern {
    /// What part of the devices gets something from another device: how many of how many.
    pub fn moving(&self, mesh: &Mesh) -> (i64, i64) {
        match self {
            Pattern::Groups(atoms) => {
                let size = mesh.size_of(atoms.iter().copied());
                (size - 1, size)
            }
            Pattern::Shift { atoms, by, wrap } => {
                let size = mesh.size_of(atoms.iter().copied());
                match wrap {
                    true if by % size == 0 => (0, size),
                    true => (size, size),
                    false => ((size - by.abs()).max(0), size),
                }
            }
            Pattern::Hop { atoms, by, first, end } => {
                let size = mesh.size_of(atoms.iter().copied());
                (if *by == 0 { 0 } else { (end - first).max(0) }, size)
            }
            Pattern::Mirror(atoms) => {
                let size = mesh.size_of(atoms.iter().copied());
                (size - size % 2, size)
            }
            Pattern::Reorder(pairs) => {
                let size = mesh.size_of(self.atoms());
                (size - fixed_positions(mesh, pairs), size)
            }
            Pattern::Devices(pairs) => {
                let moving = pairs.iter().filter(|[source, target]| source != target).count();
                (moving as i64, mesh.device_count())
            }
        }
    }
}

/// How many positions along the atoms that take part a reordering leaves where they are.
///
/// Parts of it that have no atom in common are counted apart, so that this does not grow with the mesh.
fn fixed_positions(mesh: &Mesh, pairs: &[(AtomList, AtomList)]) -> i64 {
    let mut parts: Vec<(AtomSet, Vec<&(AtomList, AtomList)>)> = Vec::new();
    for pair in pairs {
        let mut atoms: AtomSet = pair.0.iter().chain(&pair.1).copied().collect();
        let mut members = vec![pair];
        parts.retain_mut(|(others, list)| {
            let apart = others.intersection(atoms).is_empty();
            if !apart {
                atoms = atoms.union(*others);
                members.append(list);
            }
            apart
        });
        parts.push((atoms, members));
    }
    parts.iter().map(|(atoms, members)| fixed_in_part(mesh, *atoms, members)).product()
}

fn fixed_in_part(mesh: &Mesh, atoms: AtomSet, pairs: &[&(AtomList, AtomList)]) -> i64 {
    // Digits that go round in a circle must all be equal.
    if pairs.iter().all(|(from, _)| from.len() == 1) {
        return atoms.iter().next().map_or(1, |a| mesh.atom_size(a));
    }
    let atoms: AtomList = atoms.iter().collect();
    let sizes: SmallVec<[i64; 16]> = atoms.iter().map(|a| mesh.atom_size(*a)).collect();
    let places = |list: &[Atom]| -> SmallVec<[usize; 16]> {
        list.iter().filter_map(|a| atoms.iter().position(|b| a == b)).collect()
    };
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| (places(from), places(to))).collect();
    let mut digits: SmallVec<[i64; 16]> = sizes.iter().map(|_| 0).collect();
    let mut fixed = 0;
    for _ in 0..sizes.iter().product::<i64>() {
        let coordinate = |list: &[usize]| list.iter().fold(0, |c, &place| c * sizes[place] + digits[place]);
        fixed += i64::from(pairs.iter().all(|(from, to)| coordinate(from) == coordinate(to)));
        for (digit, size) in digits.iter_mut().zip(&sizes) {
            *digit += 1;
            if digit != size {
                break;
            }
            *digit = 0;
        }
    }
    fixed
}

/// Positions in a mesh, row-major over its atoms.
pub struct Positions<'m> {
    mesh: &'m Mesh,
}

impl<'m> Positions<'m> {
    /// The positions of a mesh.
    pub fn new(mesh: &'m Mesh) -> Self {
        Positions { mesh }
    }

    /// How far apart two positions are that differ by one along an atom.
    pub fn stride(&self, atom: Atom) -> i64 {
        let minor = self.mesh.all_atoms().iter().filter(|a| *a > atom);
        self.mesh.size_of(minor)
    }

    /// The coordinate of a position along a list of atoms, major to minor.
    pub fn coordinate(&self, position: i64, atoms: &[Atom]) -> i64 {
        atoms.iter().fold(0, |index, &a| {
            let size = self.mesh.atom_size(a);
            index * size + position / self.stride(a) % size
        })
    }

    /// The position that has a coordinate along atoms and is otherwise as another.
    pub fn with_coordinate(&self, position: i64, atoms: &[Atom], coordinate: i64) -> i64 {
        let mut rest = coordinate;
        atoms.iter().rev().fold(position, |position, &a| {
            let (size, stride) = (self.mesh.atom_size(a), self.stride(a));
            let digit = rest % size;
            rest /= size;
            position + (digit - position / stride % size) * stride
        })
    }

    /// The device at a position.
    pub fn device(&self, position: i64) -> i64 {
        self.mesh.device_ids().map_or(position, |ids| ids[position as usize])
    }

    /// The groups of devices that differ along these atoms only, each in the order of the atoms.
    pub fn groups(&self, atoms: &[Atom]) -> Vec<Vec<i64>> {
        let size = self.mesh.size_of(atoms.iter().copied());
        let others: Vec<Atom> = self.mesh.all_atoms().minus(atoms.iter().copied().collect()).iter().collect();
        let mut groups = vec![vec![0; size as usize]; (self.mesh.device_count() / size) as usize];
        for position in 0..self.mesh.device_count() {
            let group = self.coordinate(position, &others) as usize;
            groups[group][self.coordinate(position, atoms) as usize] = self.device(position);
        }
        groups
    }

    /// The (source, target) devices of a permutation.
    pub fn pairs(&self, pattern: &Pattern) -> Vec<[i64; 2]> {
        let count = self.mesh.device_count();
        if let Pattern::Devices(pairs) = pattern {
            return pairs.to_vec();
        }
        let source = |target: i64| match pattern {
            Pattern::Groups(_) | Pattern::Devices(_) => None,
            Pattern::Shift { atoms, by, wrap } => {
                let size = self.mesh.size_of(atoms.iter().copied());
                let place = self.coordinate(target, atoms) + by;
                let inside = (0..size).contains(&place);
                (inside || *wrap).then(|| self.with_coordinate(target, atoms, place.rem_euclid(size)))
            }
            Pattern::Hop { atoms, by, first, end } => {
                let place = self.coordinate(target, atoms);
                (*first..*end).contains(&place).then(|| self.with_coordinate(target, atoms, place + by))
            }
            Pattern::Mirror(atoms) => {
                let last = self.mesh.size_of(atoms.iter().copied()) - 1;
                Some(self.with_coordinate(target, atoms, last - self.coordinate(target, atoms)))
            }
            Pattern::Reorder(pairs) => Some(pairs.iter().fold(target, |source, (from, to)| {
                self.with_coordinate(source, from, self.coordinate(target, to))
            })),
        };
        let pair = |target| source(target).map(|source| [self.device(source), self.device(target)]);
        (0..count).filter_map(pair).collect()
    }
}
