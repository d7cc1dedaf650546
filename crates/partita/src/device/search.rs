//! The best place for a mesh on a network.

use super::network::{Exchange, Shape};
use super::placement::Placement;
use super::profile::Profile;
use super::topology::{Links, Side};
use crate::diagnostic::Diagnostic;
use crate::sharding::{Atom, Mesh};

/// The most placements that are tried.
const MOST_TRIED: usize = 20_000;

/// A collective, and how often it runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Traffic {
    /// The collective.
    pub exchange: Exchange,
    /// How often.
    pub times: f64,
}

/// Lays a mesh onto the network of a profile so that collectives take the least time; where none are given, so that each axis
/// gathers fast. `lengths` are those of the sides of the network, where the user says them: as many as devices were rented
/// in; they are as compact as can be otherwise.
pub fn place(
    mesh: &Mesh,
    profile: &Profile,
    lengths: Option<&[i64]>,
    traffic: &[Traffic],
) -> Result<Placement, Diagnostic> {
    let misfit = || Placement::misfit(mesh, profile, lengths);
    let sides = profile.sides();
    let lengths = match lengths {
        Some(given) => {
            let fits = given.iter().zip(&sides).all(|(n, side)| (1..=side.most).contains(n));
            let product = given.iter().try_fold(1i64, |product, n| product.checked_mul(*n));
            if given.len() != sides.len() || !fits || product != Some(mesh.device_count()) {
                return Err(misfit());
            }
            given.to_vec()
        }
        None => compact(profile, mesh.device_count()).ok_or_else(misfit)?,
    };
    let usual: Vec<Traffic>;
    let traffic = if traffic.is_empty() {
        usual = mesh.axes().iter().map(|axis| one_gather(axis.atoms())).collect();
        &usual
    } else {
        traffic
    };
    let mut search =
        Search { mesh, profile, sides: &sides, lengths: &lengths, traffic, tried: 0, best: None };
    let atoms: Vec<Atom> = mesh.all_atoms().iter().collect();
    search.assign(&atoms, &mut vec![0; atoms.len()], &mut vec![1; lengths.len()]);
    let (_, atoms) = search.best.ok_or_else(misfit)?;
    Ok(Placement { lengths, atoms })
}

fn one_gather(atoms: impl Iterator<Item = Atom>) -> Traffic {
    const BYTES: u64 = 1 << 26;
    Traffic { exchange: Exchange { shape: Shape::Gather, atoms: atoms.collect(), bytes: BYTES }, times: 1.0 }
}

/// The lengths of the sides that so many devices take: inner levels are filled first, and tori are as near to cubes as they can be.
fn compact(profile: &Profile, devices: i64) -> Option<Vec<i64>> {
    let mut lengths = Vec::new();
    let mut rest = devices;
    for (n, level) in profile.levels.iter().enumerate() {
        let outer: i64 = profile.levels[n + 1..]
            .iter()
            .flat_map(|l| l.links.sides())
            .fold(1, |product, side| product.saturating_mul(*side));
        let most = level.links.sides().iter().fold(1i64, |product, side| product.saturating_mul(*side));
        let divisors = (1..=most.min(rest)).rev().filter(|d| rest % d == 0 && rest / d <= outer);
        let (count, sides) = divisors.into_iter().find_map(|d| Some((d, most_compact(&level.links, d)?)))?;
        lengths.extend(sides);
        rest /= count;
    }
    (rest == 1).then_some(lengths)
}

/// The sides of so many units, with the least sum.
fn most_compact(links: &Links, units: i64) -> Option<Vec<i64>> {
    fn go(most: &[i64], units: i64) -> Option<Vec<i64>> {
        let Some((&first, rest)) = most.split_first() else { return (units == 1).then(Vec::new) };
        let mut best: Option<Vec<i64>> = None;
        for length in (1..=first.min(units)).filter(|n| units % n == 0) {
            let Some(mut sides) = go(rest, units / length) else { continue };
            sides.insert(0, length);
            if best.as_ref().is_none_or(|b| sides.iter().sum::<i64>() < b.iter().sum()) {
                best = Some(sides);
            }
        }
        best
    }
    go(links.sides(), units)
}

struct Search<'s> {
    mesh: &'s Mesh,
    profile: &'s Profile,
    sides: &'s [Side],
    lengths: &'s [i64],
    traffic: &'s [Traffic],
    tried: usize,
    best: Option<(f64, Vec<Vec<Atom>>)>,
}

impl Search<'_> {
    /// Tries all sides for the minor-most atoms that are left; `chosen` has those of all atoms, `filled` what lies along sides.
    fn assign(&mut self, left: &[Atom], chosen: &mut Vec<usize>, filled: &mut Vec<i64>) {
        if self.tried >= MOST_TRIED {
            return;
        }
        let Some((&atom, rest)) = left.split_last() else { return self.try_orders(chosen) };
        let size = self.mesh.atom_size(atom);
        let axis = self.mesh.atom_axis(atom);
        // Atoms of one size are alike: the minor ones take the inner sides.
        let alike = (usize::from(atom.0) + 1..chosen.len()).find(|n| {
            self.mesh.atom_axis(Atom(*n as u8)) == axis && self.mesh.atom_size(Atom(*n as u8)) == size
        });
        let first = alike.map_or(0, |n| chosen[n]);
        for side in first..self.sides.len() {
            if self.lengths[side] % (filled[side] * size) != 0 {
                continue;
            }
            filled[side] *= size;
            chosen[usize::from(atom.0)] = side;
            self.assign(rest, chosen, filled);
            filled[side] /= size;
        }
    }

    /// Axes along one side may lie in any order: as the mesh has them, or the last one outermost.
    fn try_orders(&mut self, chosen: &[usize]) {
        let axes = 0..self.mesh.axes().len();
        for reversed in [false, true] {
            self.tried += 1;
            let mut atoms = vec![Vec::new(); self.sides.len()];
            let mut put = |axis: usize| {
                for atom in self.mesh.axes()[axis].atoms() {
                    atoms[chosen[usize::from(atom.0)]].push(atom);
                }
            };
            if reversed {
                axes.clone().rev().for_each(&mut put)
            } else {
                axes.clone().for_each(&mut put)
            }
            let placement = Placement { lengths: self.lengths.to_vec(), atoms };
            let seconds: f64 = self
                .traffic
                .iter()
                .map(|t| t.times * placement.seconds(self.mesh, self.profile, &t.exchange))
                .sum();
            if self.best.as_ref().is_none_or(|(best, _)| seconds < *best) {
                self.best = Some((seconds, placement.atoms));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{built_in, read};

    fn profile(name: &str) -> Profile {
        read(built_in(name).unwrap()).unwrap()
    }

    fn mesh(axes: &[(&str, i64)]) -> Mesh {
        Mesh::new(axes.iter().map(|(n, s)| (n.to_string(), *s))).unwrap()
    }

    #[test]
    fn slices_are_compact() {
        assert_eq!(compact(&profile("tpu-v4"), 1024), Some(vec![8, 8, 16]));
        assert_eq!(compact(&profile("tpu-v3"), 128), Some(vec![2, 8, 8]));
        assert_eq!(compact(&profile("h100"), 12), Some(vec![6, 2]));
        assert_eq!(compact(&profile("tpu-v5e"), 512), Some(vec![16, 16, 2]));
        assert_eq!(compact(&profile("tpu-v4"), 17), None);
    }

    #[test]
    fn the_axis_that_sends_most_lies_inside_of_a_host() {
        let (profile, mesh) = (profile("h100"), mesh(&[("a", 8), ("b", 8)]));
        for axis in 0..2 {
            let busy = Traffic { times: 100.0, ..one_gather(mesh.axes()[axis].atoms()) };
            let idle = one_gather(mesh.axes()[1 - axis].atoms());
            let placement = place(&mesh, &profile, None, &[busy, idle]).unwrap();
            assert_eq!(placement.atoms[0], mesh.axes()[axis].atoms().collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_best_place_is_no_slower_than_one_that_was_said() {
        let (profile, mesh) = (profile("tpu-v4"), mesh(&[("x", 8), ("y", 64)]));
        let traffic: Vec<Traffic> = mesh.axes().iter().map(|axis| one_gather(axis.atoms())).collect();
        let best = place(&mesh, &profile, None, &traffic).unwrap();
        assert_eq!(best.lengths, [8, 8, 8]);
        let axes = [("x".to_string(), vec![0]), ("y".to_string(), vec![1, 2])];
        let mut said = Placement::explicit(&mesh, &profile, &axes).unwrap();
        // Sides are filled one after the other: `y` takes all of the second and what is left of the third.
        assert_eq!(said.lengths, [8, 16, 4]);
        said.lengths = vec![8, 8, 8];
        let last = said.atoms[1].pop().unwrap();
        said.atoms[2].insert(0, last);
        let seconds = |placement: &Placement| -> f64 {
            traffic.iter().map(|t| placement.seconds(&mesh, &profile, &t.exchange)).sum()
        };
        assert!(seconds(&best) <= seconds(&said));
    }

    #[test]
    fn a_mesh_that_does_not_fit_is_refused_with_the_numbers() {
        let (v4, large) = (profile("tpu-v4"), mesh(&[("x", 8192)]));
        let said = place(&large, &v4, None, &[]).unwrap_err().to_string();
        assert!(
            said.contains("x=8192") && said.contains("16x16x16") && said.contains("4096 devices at most"),
            "{said}"
        );
        let said = place(&mesh(&[("x", 8)]), &v4, Some(&[4, 4, 1]), &[]).unwrap_err().to_string();
        assert!(said.contains("x=8 of 8 devices") && said.contains("4x4x1"), "{said}");
    }
}
