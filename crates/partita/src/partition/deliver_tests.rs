//! Runs that are handed out, checked on every device against what all devices have.

use super::deliver::{deliver, deliver_price};
use super::fetch::Wanted;
use super::harness::{Random, run_body};
use super::layout::DimLayout;
use super::pattern::Positions;
use crate::ir::{Elem, TensorType};
use crate::sharding::AtomList;
use crate::value::{Scalar, Tensor};

#[test]
fn random_runs_are_added_up() {
    let seeds = std::env::var("PARTITA_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(400);
    for seed in 0..seeds {
        let mut random = Random(seed);
        let mesh = random.mesh(12);
        let atoms: AtomList = mesh.all_atoms().iter().filter(|_| random.below(4) > 0).collect();
        let size = 1 + random.below(13);
        let dim = DimLayout::canonical(&mesh, size, atoms);
        let run = Wanted {
            stride: if random.below(2) == 0 { dim.block } else { random.below(2 * dim.block + 2) },
            offset: random.below(9) - 4,
            length: 1 + random.below(size + 3),
        };
        let said = format!("seed {seed}: {mesh:?} {dim:?} of {size}, {run:?}");
        // A device adds to the indices of its run that are in the dimension, in two columns.
        let positions = Positions::new(&mesh);
        let ty = TensorType::new(Elem::Int(32), [run.length, 2]);
        let mut right =
            vec![vec![0; 2 * (dim.block * dim.parts(&mesh)) as usize]; mesh.device_count() as usize];
        let group = |p: i64| -> Vec<i64> {
            let others: AtomList = mesh.all_atoms().iter().filter(|a| !dim.atoms.contains(a)).collect();
            let same = |q: &i64| positions.coordinate(*q, &others) == positions.coordinate(p, &others);
            (0..mesh.device_count()).filter(same).collect()
        };
        let mut runs = Vec::new();
        for p in 0..mesh.device_count() {
            let start = positions.coordinate(p, &dim.atoms) * run.stride + run.offset;
            let added: Vec<i64> = (0..run.length * 2)
                .map(|i| if (0..size).contains(&(start + i / 2)) { 1 + random.below(1000) } else { 0 })
                .collect();
            for (i, value) in added.iter().enumerate().filter(|(_, v)| **v != 0) {
                let at = (start * 2 + i as i64) as usize;
                group(p).into_iter().for_each(|q| right[q as usize][at] += value);
            }
            runs.push(Tensor::from_fn(ty.clone(), |i| Scalar::Int(added[i])));
        }
        let ran = run_body(&mesh, &runs, |emit, value| deliver(emit, value, 0, &dim, size, run));
        for (p, shard) in ran.results.iter().enumerate() {
            let start = (positions.coordinate(p as i64, &dim.atoms) * dim.block * 2) as usize;
            assert_eq!(shard.to_i64s(), right[p][start..start + (dim.block * 2) as usize], "{said}");
        }
        let price = deliver_price(&mesh, Elem::Int(32), 2, &dim, size, run);
        assert_eq!(price.ring_bytes, ran.ring_bytes(&mesh), "{said}");
        assert_eq!(price.collectives, ran.collectives.len() as u64, "{said}");
    }
}
