//! Random meshes and shardings, as text.

use crate::rng::Rng;
use std::fmt::Write;

/// More devices than this make a program slow to run and find nothing new.
const MAX_DEVICES: usize = 16;

/// A mesh of one to three axes.
pub(super) struct RandomMesh {
    /// Sizes; the axes are called `x`, `y` and `z`.
    pub(super) sizes: Vec<usize>,
    /// The axes that the region being made is local in: nothing inside is split along them.
    pub(super) manual: Vec<usize>,
    /// For each axis, how it is cut where a sharding uses a part of it: sizes, major to minor. One program cuts an axis in
    /// one way only (2·3 or 3·2, not both), as the compiler asks.
    cuts: Vec<Vec<usize>>,
    devices: Option<Vec<usize>>,
}

const AXIS_NAMES: [&str; 3] = ["x", "y", "z"];

impl RandomMesh {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let mut sizes: Vec<usize> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let size = *rng.pick(&[1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8]);
            if sizes.iter().product::<usize>() * size <= MAX_DEVICES {
                sizes.push(size);
            }
        }
        let cuts = sizes.iter().map(|&size| cut(rng, size)).collect();
        let count = sizes.iter().product();
        let devices = rng.chance(25).then(|| rng.permutation(count));
        RandomMesh { sizes, manual: Vec::new(), cuts, devices }
    }

    /// `sdy.mesh @mesh = <…>`.
    pub(super) fn declaration(&self) -> String {
        let axes = self.sizes.iter().zip(AXIS_NAMES).map(|(size, name)| format!("\"{name}\"={size}"));
        let mut text = format!("sdy.mesh @mesh = <[{}]", axes.collect::<Vec<_>>().join(", "));
        if let Some(devices) = &self.devices {
            let _ = write!(text, ", device_ids={devices:?}");
        }
        text + ">"
    }

    /// A sharding of a tensor of this rank: `<@mesh, [{"x"}, {?}]>`.
    pub(super) fn sharding(&self, rng: &mut Rng, rank: usize) -> String {
        // Each axis, whole or in parts, goes to some dimension or to none.
        let mut dims: Vec<Vec<(usize, String)>> = vec![Vec::new(); rank];
        let free: Vec<usize> = (0..self.sizes.len()).filter(|axis| !self.manual.contains(axis)).collect();
        let mut unused = vec![true; self.sizes.len()];
        let spread = *rng.pick(&[30, 60, 90]);
        for axis in rng.permutation(free.len()).into_iter().map(|n| free[n]) {
            for part in self.parts(rng, axis) {
                if rank == 0 || !rng.chance(spread) {
                    continue;
                }
                let dim = &mut dims[rng.below(rank)];
                // Two parts of one axis side by side would have to be written as one.
                if dim.last().is_none_or(|(last, _)| *last != axis) {
                    dim.push((axis, part));
                    unused[axis] = false;
                }
            }
        }
        let open = *rng.pick(&[0, 30, 100]);
        let mut text = String::from("<@mesh, [");
        for (n, dim) in dims.iter().enumerate() {
            let mut items: Vec<&str> = dim.iter().map(|(_, part)| part.as_str()).collect();
            let is_empty = items.is_empty();
            if rng.chance(open) {
                items.push("?");
            }
            let priority = if !is_empty && rng.chance(8) { "p1" } else { "" };
            let comma = if n > 0 { ", " } else { "" };
            let _ = write!(text, "{comma}{{{}}}{priority}", items.join(", "));
        }
        text.push(']');
        let kept: Vec<String> = free
            .into_iter()
            .filter(|&axis| unused[axis] && rng.chance(12))
            .map(|axis| format!("\"{}\"", AXIS_NAMES[axis]))
            .collect();
        if !kept.is_empty() {
            let _ = write!(text, ", replicated={{{}}}", kept.join(", "));
        }
        text + ">"
    }

    /// Some of the axes.
    pub(super) fn some_axes(&self, rng: &mut Rng) -> Vec<usize> {
        (0..self.sizes.len()).filter(|_| rng.chance(65)).collect()
    }

    /// `"x", "z"`.
    pub(super) fn axis_names(&self, axes: &[usize]) -> String {
        axes.iter().map(|&axis| format!("\"{}\"", AXIS_NAMES[axis])).collect::<Vec<_>>().join(", ")
    }

    /// The sharding at the border of a region that is local in these axes.
    pub(super) fn manual_sharding(&self, dims: &[Vec<usize>], open: bool) -> String {
        let dim = |axes: &Vec<usize>| {
            let comma = if axes.is_empty() || !open { "" } else { ", " };
            format!("{{{}{comma}{}}}", self.axis_names(axes), if open { "?" } else { "" })
        };
        format!("<@mesh, [{}]>", dims.iter().map(dim).collect::<Vec<_>>().join(", "))
    }

    /// The devices that differ in nothing but their places along some axes, in the order of these places; all groups of them.
    pub(super) fn groups(&self, axes: &[usize]) -> Vec<Vec<usize>> {
        let count: usize = self.sizes.iter().product();
        let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
        for position in 0..count {
            // The position with the places along the axes taken as zero tells the groups apart.
            let (mut key, mut stride) = (position, 1);
            for axis in (0..self.sizes.len()).rev() {
                let place = position / stride % self.sizes[axis];
                key -= if axes.contains(&axis) { place * stride } else { 0 };
                stride *= self.sizes[axis];
            }
            let device = self.devices.as_ref().map_or(position, |devices| devices[position]);
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, group)) => group.push(device),
                None => groups.push((key, vec![device])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// An axis as a sharding uses it: whole, or in the parts it is cut into.
    fn parts(&self, rng: &mut Rng, axis: usize) -> Vec<String> {
        let name = AXIS_NAMES[axis];
        let cuts = &self.cuts[axis];
        if cuts.len() < 2 || rng.chance(75) {
            return vec![format!("\"{name}\"")];
        }
        let mut before = 1;
        let mut parts = Vec::new();
        for size in cuts {
            parts.push(format!("\"{name}\":({before}){size}"));
            before *= size;
        }
        parts
    }
}

/// A way to cut an axis.
fn cut(rng: &mut Rng, size: usize) -> Vec<usize> {
    match size {
        4 => vec![2, 2],
        6 => rng.pick(&[vec![2, 3], vec![3, 2]]).clone(),
        8 => rng.pick(&[vec![2, 4], vec![4, 2], vec![2, 2, 2]]).clone(),
        _ => vec![size],
    }
}
