//! Chosen paths, and random paths run on every device.

use super::super::harness::{Random, for_each_shard_index, noisy_shard, run_body};
use super::super::layout::{DimLayout, Layout, Partial};
use super::super::pattern::Positions;
use super::*;
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, AtomSet};
use crate::value::Tensor;
use std::fmt::Write;

impl Step {
    /// In words.
    fn text(&self, mesh: &Mesh) -> String {
        let list = |atoms: &[Atom]| axes(mesh, atoms);
        let side = |ends: &step::Ends| {
            let each = ends.iter().map(|(dim, atoms, _)| format!("{dim} {}", list(atoms)));
            each.collect::<Vec<_>>().join(", ")
        };
        match self {
            Step::Gather { dim, atoms, .. } => format!("gather {dim} {}", list(atoms)),
            Step::Slice { dim, atoms, .. } => format!("slice {dim} {}", list(atoms)),
            Step::Assemble(ends) => format!("assemble {}", side(ends)),
            Step::AllToAll { from, to } => match (&from[..], &to[..]) {
                ([(from, atoms, _)], [(to, ..)]) => format!("all-to-all {from}->{to} {}", list(atoms)),
                _ => format!("all-to-all {} -> {}", side(from), side(to)),
            },
            Step::Permute { atoms, .. } => {
                let dims: Vec<String> = atoms.iter().map(|a| list(a)).collect();
                format!("permute [{}]", dims.join(", "))
            }
            Step::Reblock { dim, block } => format!("reblock {dim} {block}"),
            Step::ReduceScatter { dim, atoms, .. } => format!("reduce-scatter {dim} {}", list(atoms)),
            Step::AllReduce { atoms, .. } => format!("all-reduce {}", list(atoms)),
            Step::Mask { atoms, .. } => {
                let atoms: AtomList = atoms.iter().collect();
                format!("mask {}", list(&atoms))
            }
            Step::Blank(_) => "blank".to_string(),
        }
    }
}

/// Atoms as axes: `x+y:(1)2`.
fn axes(mesh: &Mesh, atoms: &[Atom]) -> String {
    let mut text = String::new();
    for part in mesh.parts(atoms) {
        let separator = if text.is_empty() { "" } else { "+" };
        let name = &mesh.axes()[part.axis].name;
        let _ = write!(text, "{separator}{name}");
        if let Some((pre, size)) = part.part {
            let _ = write!(text, ":({pre}){size}");
        }
    }
    if text.is_empty() { "_".to_string() } else { text }
}

/// A layout in words: per dimension axes joined by `+`, `_` for none, `/` and a block where it is not canonical; then
/// `add`, `xor`, … and the axes over which it is partial.
fn layout(mesh: &Mesh, shape: &[i64], text: &str) -> Layout {
    let atoms = |axes: &str| -> AtomList {
        let names = axes.split('+').filter(|a| *a != "_");
        names.flat_map(|name| mesh.axes()[mesh.axis(name).unwrap()].atoms()).collect()
    };
    let mut words = text.split_whitespace();
    let dims = words.by_ref().take(shape.len()).zip(shape).map(|(word, &size)| {
        let (axes, block) = word.split_once('/').map_or((word, None), |(a, b)| (a, b.parse().ok()));
        let canonical = DimLayout::canonical(mesh, size, atoms(axes));
        DimLayout { block: block.unwrap_or(canonical.block), ..canonical }
    });
    let dims = dims.collect();
    let partial = words.next().map(|name| {
        let combine = Combine::ALL.into_iter().find(|c| c.name() == name).unwrap();
        Partial { combine, atoms: atoms(words.next().unwrap()).into_iter().collect() }
    });
    Layout { dims, partial }
}

fn paths(mesh: &Mesh) -> PathCache {
    PathCache::new(mesh.clone(), Prices::default())
}

/// What is wrong with the path between two layouts.
fn check(axes: &[(&str, i64)], shape: &[i64], from: &str, to: &str, steps: &str) -> Option<String> {
    let mesh = Mesh::new(axes.iter().copied()).unwrap();
    let ty = TensorType::new(Elem::Int(32), shape.iter().copied());
    let (from_layout, to_layout) = (layout(&mesh, shape, from), layout(&mesh, shape, to));
    let path = Planner::new(&paths(&mesh)).plan(&ty, &from_layout, &to_layout);
    let found: Vec<String> = path.steps.iter().map(|s| s.text(&mesh)).collect();
    let found = found.join("; ");
    (found != steps).then(|| format!("{from} -> {to} of {shape:?}: {found}, not {steps}"))
}

#[test]
fn paths_that_are_chosen() {
    const XY: &[(&str, i64)] = &[("x", 2), ("y", 4)];
    const EVEN: &[(&str, i64)] = &[("x", 4), ("y", 4)];
    const P3: &[(&str, i64)] = &[("x", 4), ("y", 2)];
    const CUBE: &[(&str, i64)] = &[("a", 2), ("b", 2), ("c", 2)];
    const THIRDS: &[(&str, i64)] = &[("x", 5), ("y", 2)];
    let wrong = [
        // One step.
        check(XY, &[64, 64], "x y", "x y", ""),
        check(XY, &[64, 64], "_ _", "x y", "slice 0 x; slice 1 y"),
        check(XY, &[64, 64], "x+y _", "x _", "gather 0 y"),
        check(XY, &[64, 64], "x y", "_ _", "gather 0 x; gather 1 y"),
        check(XY, &[64, 64], "x _", "_ x", "all-to-all 0->1 x"),
        check(XY, &[64, 64], "x+y _", "x y", "all-to-all 0->1 y"),
        check(XY, &[0, 64], "x _", "_ y", "blank"),
        // Shards change places.
        check(EVEN, &[64, 64], "x _", "y _", "permute [y, _]"),
        check(P3, &[64, 64], "x+y _", "y+x _", "permute [y+x, _]"),
        check(CUBE, &[64, 64, 64], "a b c", "c a b", "permute [c, a, b]"),
        check(EVEN, &[64, 64], "x y", "y x", "permute [y, x]"),
        // Several steps.
        check(P3, &[16, 16, 16], "y _ x", "_ x+y _", "all-to-all 0 y, 2 x -> 1 x+y"),
        check(P3, &[8, 8, 8, 8], "_ x y _", "y _ _ x", "all-to-all 1 x, 2 y -> 0 y, 3 x"),
        check(P3, &[8, 8, 8], "x+y _ _", "_ y x", "all-to-all 0 x+y -> 1 y, 2 x"),
        check(XY, &[64, 64], "x _", "_ y", "slice 1 y; gather 0 x"),
        check(XY, &[64, 64], "x _", "y x", "slice 0 y; permute [y+x, _]; all-to-all 0->1 x"),
        // Uneven.
        check(&[("x", 2), ("y", 5)], &[12, 16], "x+y _", "x _", "gather 0 y; reblock 0 6"),
        check(XY, &[10, 64], "x _", "x+y _", "reblock 0 8; slice 0 y"),
        check(XY, &[10, 7], "x _", "_ x", "all-to-all 0->1 x"),
        check(XY, &[3, 64], "y/2 _", "y _", "reblock 0 1"),
        check(
            &[("x", 2), ("y", 3)],
            &[100, 64],
            "x _",
            "y _",
            "reblock 0 51; slice 0 y; permute [y+x, _]; gather 0 x",
        ),
        // Less is sent in larger temporaries, as long as they are small.
        check(THIRDS, &[8, 3, 256], "_ y _", "_ x+y _", "reblock 1 5; slice 1 x; permute [_, x+y, _]"),
        check(THIRDS, &[8, 3, 1 << 18], "_ y _", "_ x+y _", "gather 1 y; slice 1 x+y"),
        // Padding is not sent where there is a way around it.
        check(XY, &[6, 3], "x y", "_ _", "gather 1 y; gather 0 x"),
        check(XY, &[1, 64], "x+y _", "_ _", "assemble 0 x+y"),
        check(XY, &[1, 1, 64], "x y _", "_ _ _", "assemble 0 x, 1 y"),
        check(&[("x", 8)], &[60], "x/12", "_", "reblock 0 8; gather 0 x"),
        // Partial values.
        check(XY, &[64, 64], "_ _ add x", "_ _", "all-reduce x"),
        check(XY, &[64, 64], "_ _ add x", "x _", "reduce-scatter 0 x"),
        check(XY, &[64, 64], "_ _ add x+y", "x _", "reduce-scatter 0 x; all-reduce y"),
        check(XY, &[64, 64], "_ _ add x", "_ y", "slice 1 y; all-reduce x"),
        check(XY, &[64, 64], "_ _ add x+y", "x y", "reduce-scatter 0 x; reduce-scatter 1 y"),
        check(XY, &[63, 64], "_ _ add x", "x _", "reduce-scatter 0 x"),
        check(XY, &[64, 64], "_ _ add x", "_ _ add x+y", "mask y"),
        check(XY, &[64, 64], "_ _ add x+y", "_ _ add y", "all-reduce x"),
        check(XY, &[64, 64], "x _ add y", "x _ maximum y", "all-reduce y; mask y"),
        check(XY, &[64, 64], "_ _ xor y", "_ _", "reduce-scatter 0 y; gather 0 y"),
        check(XY, &[], "xor y", "", "all-reduce y"),
    ];
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn combined(combine: Combine, a: i64, b: i64) -> i64 {
    let (a, b) = (a as i32, b as i32);
    i64::from(match combine {
        Combine::Add | Combine::Region => a.wrapping_add(b),
        Combine::Multiply => a.wrapping_mul(b),
        Combine::Maximum => a.max(b),
        Combine::Minimum => a.min(b),
        Combine::And => a & b,
        Combine::Or => a | b,
        Combine::Xor => a ^ b,
    })
}

impl Random {
    /// A layout of any kind.
    fn layout(&mut self, mesh: &Mesh, shape: &[i64]) -> Layout {
        let mut result = Layout::replicated(shape);
        let mut atoms: Vec<Atom> = mesh.all_atoms().iter().collect();
        (1..atoms.len()).for_each(|i| atoms.swap(i, self.below(i as i64 + 1) as usize));
        // Mostly whole axes in order, as people write them.
        if self.below(2) == 0 {
            atoms.sort();
        }
        let mut partial = AtomSet::EMPTY;
        for atom in atoms {
            match self.below(shape.len() as i64 * 2 + 2) as usize {
                0 => partial.insert(atom),
                n if n <= shape.len() * 2 && n > 0 => result.dims[(n - 1) / 2].atoms.push(atom),
                _ => {}
            }
        }
        for (dim, &size) in result.dims.iter_mut().zip(shape) {
            if !dim.atoms.is_empty() {
                *dim = DimLayout::canonical(mesh, size, dim.atoms.clone());
                dim.block += if self.below(3) == 0 { self.below(4) } else { 0 };
            }
        }
        let combines = [Combine::Add, Combine::Multiply, Combine::Maximum, Combine::Xor, Combine::And];
        let combine = combines[self.below(5) as usize];
        result.partial = (!partial.is_empty()).then_some(Partial { combine, atoms: partial });
        result
    }
}

/// The whole tensors that are combined along the partial atoms of a layout: one for each coordinate.
fn read_parts(mesh: &Mesh, layout: &Layout, ty: &TensorType, shards: &[Tensor]) -> Vec<Vec<i64>> {
    let atoms: AtomList = layout.partial_atoms().iter().collect();
    let positions = Positions::new(mesh);
    let mut parts = vec![vec![None; ty.count()]; mesh.size_of(atoms.iter().copied()) as usize];
    for (position, shard) in shards.iter().enumerate() {
        assert_eq!(*shard.ty(), layout.local(ty));
        let part = &mut parts[positions.coordinate(position as i64, &atoms) as usize];
        let values = shard.to_i64s();
        for_each_shard_index(mesh, layout, ty, position as i64, |at, global| {
            if let Some(global) = global {
                // Devices along free atoms hold the same.
                assert_eq!(*part[global].get_or_insert(values[at]), values[at], "position {position}");
            }
        });
    }
    parts.into_iter().map(|part| part.into_iter().map(Option::unwrap).collect()).collect()
}

fn combine_all(layout: &Layout, parts: &[Vec<i64>]) -> Vec<i64> {
    let combine = layout.partial.map_or(Combine::Add, |p| p.combine);
    let (first, rest) = parts.split_first().unwrap();
    rest.iter().fold(first.clone(), |all, part| {
        all.iter().zip(part).map(|(a, b)| combined(combine, *a, *b)).collect()
    })
}

fn random_path(seed: u64) {
    let mut random = Random(seed);
    let mesh = random.mesh(24);
    let rank = random.below(4) as usize;
    let shape: Vec<i64> =
        (0..rank).map(|_| [0, 1, 2, 3, 4, 5, 6, 8, 10, 12][random.below(10) as usize]).collect();
    let shape: Vec<i64> = shape.iter().map(|n| if random.below(3) > 0 { (*n).max(1) } else { *n }).collect();
    let ty = TensorType::new(Elem::Int(32), shape.iter().copied());
    let (from, to) = (random.layout(&mesh, &shape), random.layout(&mesh, &shape));
    let atoms: AtomList = from.partial_atoms().iter().collect();
    let count = mesh.size_of(atoms.iter().copied());
    let parts: Vec<Vec<i64>> =
        (0..count).map(|_| (0..ty.count()).map(|_| random.below(200) - 100).collect()).collect();
    let positions = Positions::new(&mesh);
    let shards: Vec<Tensor> = (0..mesh.device_count())
        .map(|p| {
            let part = &parts[positions.coordinate(p, &atoms) as usize];
            noisy_shard(&mesh, &from, &ty, part, p, &mut random)
        })
        .collect();
    let path = Planner::new(&paths(&mesh)).plan(&ty, &from, &to);
    let said = || path.steps.iter().map(|s| s.text(&mesh)).collect::<Vec<_>>().join("; ");
    let ran = run_body(&mesh, &shards, |emit, value| apply(emit, value, &ty, &path));
    let found = combine_all(&to, &read_parts(&mesh, &to, &ty, &ran.results));
    assert_eq!(
        found,
        combine_all(&from, &parts),
        "seed {seed}: {mesh:?} {ty} {from:?} -> {to:?}: {}",
        said()
    );
    assert_eq!(ran.ring_bytes(&mesh), path.ring_bytes, "seed {seed}: {}", said());
    let bound = bound::Bound::new(&mesh, Prices::default(), &ty, &to).of(&from);
    assert!(ty.count() == 0 || bound <= path.cost, "seed {seed}: {bound} of {}: {}", path.cost, said());
}

#[test]
fn random_paths_arrive() {
    let seeds = std::env::var("PARTITA_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(400);
    (0..seeds).for_each(random_path);
}

/// Planning time, by hand: `cargo test --release -p partita --lib planning_time -- --ignored --nocapture`.
#[test]
#[ignore = "it measures"]
fn planning_time() {
    let mesh = Mesh::new([("x", 8), ("y", 8), ("z", 4)]).unwrap();
    let shape = [64, 96, 128];
    let ty = TensorType::new(Elem::F32, shape);
    let ends = [
        ("_ _ _", "x y _"),
        ("x y _", "_ _ _"),
        ("_ _ _ add x", "x _ _"),
        ("x _ _", "_ x _"),
        ("x _ _", "y _ _"),
        ("x+y _ _", "y x _"),
        ("x y z", "z x y"),
        ("x y _ add z", "y z x"),
        ("x+y _ z", "z y+x _"),
        ("x/9 y z", "z/17 x y"),
    ];
    for (from, to) in ends {
        let (a, b) = (layout(&mesh, &shape, from), layout(&mesh, &shape, to));
        let rounds = 20;
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            std::hint::black_box(Planner::new(&paths(&mesh)).plan(&ty, &a, &b));
        }
        let each = start.elapsed() / rounds;
        let paths = paths(&mesh);
        let mut planner = Planner::new(&paths);
        planner.plan(&ty, &a, &b);
        let start = std::time::Instant::now();
        for _ in 0..1000 {
            std::hint::black_box(planner.plan(&ty, &a, &b));
        }
        let again = start.elapsed() / 1000;
        let path = planner.plan(&ty, &a, &b);
        let said: Vec<String> = path.steps.iter().map(|s| s.text(&mesh)).collect();
        println!("{from} -> {to}: {each:?}, again {again:?}, {} bytes: {}", path.ring_bytes, said.join("; "));
    }
    let mesh = Mesh::new([("x", 2), ("y", 4), ("z", 3)]).unwrap();
    for scrambled in [false, true] {
        let (mut times, mut cost, mut replicated) = (Vec::new(), 0, 0);
        for seed in 0..2000 {
            let mut random = Random(seed);
            let mut ends = || loop {
                let layout = random.layout(&mesh, &shape);
                let ordered = layout.dims.iter().all(|d| d.atoms.is_sorted());
                if scrambled || ordered {
                    return layout;
                }
            };
            let (a, b) = (ends(), ends());
            let start = std::time::Instant::now();
            let path = Planner::new(&paths(&mesh)).plan(&ty, &a, &b);
            times.push(start.elapsed());
            cost += path.cost;
            replicated += u64::from(path.replicates);
        }
        times.sort();
        let [half, most, all] = [1000, 1800, 1999].map(|place| times[place]);
        println!(
            "random -> random: half below {half:?}, 9 of 10 below {most:?}, all below {all:?}; {cost}, {replicated}"
        );
    }
}
