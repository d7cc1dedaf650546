//! Runs of a split dimension, random ones on every device and those of common windows.

use super::fetch::{Wanted, fetch, fetch_price};
use super::harness::{Ran, Random, noisy_shard, run_body};
use super::layout::{DimLayout, Layout};
use super::pattern::Positions;
use crate::ir::{Elem, TensorType};
use crate::ops::OpKind;
use crate::sharding::{AtomList, Mesh};
use crate::value::Tensor;

/// Fetches along dimension 0 of a tensor of two columns, checks what every device gets, and gives the program.
fn run(mesh: &Mesh, dim: &DimLayout, size: i64, wanted: Wanted, said: &str) -> Ran {
    let columns = 2;
    let ty = TensorType::new(Elem::Int(32), [size, columns]);
    let layout =
        Layout { dims: [dim.clone(), DimLayout::whole(columns)].into_iter().collect(), partial: None };
    let elements: Vec<i64> = (0..size * columns).map(|i| 100 + i).collect();
    let mut random = Random(7);
    let shards: Vec<Tensor> = (0..mesh.device_count())
        .map(|p| noisy_shard(mesh, &layout, &ty, &elements, p, &mut random))
        .collect();
    let ran = run_body(mesh, &shards, |emit, value| fetch(emit, value, 0, dim, size, wanted));
    for (position, result) in ran.results.iter().enumerate() {
        assert_eq!(result.shape(), [wanted.length, columns], "{said}");
        let c = Positions::new(mesh).coordinate(position as i64, &dim.atoms);
        for (i, value) in result.to_i64s().into_iter().enumerate() {
            let place = c * wanted.stride + wanted.offset + i as i64 / columns;
            if (0..size).contains(&place) {
                let right = elements[(place * columns) as usize + i % columns as usize];
                assert_eq!(value, right, "index {place} at coordinate {c}: {said}");
            }
        }
    }
    let price = fetch_price(mesh, Elem::Int(32), columns as u64, dim, size, wanted);
    assert_eq!(price.ring_bytes, ran.ring_bytes(mesh), "{said}");
    assert_eq!(price.collectives, ran.collectives.len() as u64, "{said}");
    ran
}

#[test]
fn random_runs_arrive() {
    let seeds = std::env::var("PARTITA_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(400);
    for seed in 0..seeds {
        let mut random = Random(seed);
        let mesh = random.mesh(12);
        let atoms: AtomList = mesh.all_atoms().iter().filter(|_| random.below(4) > 0).collect();
        let size = random.below(14);
        let mut dim = DimLayout::canonical(&mesh, size, atoms);
        if !dim.atoms.is_empty() && random.below(3) == 0 {
            dim.block += random.below(4);
        }
        let wanted = Wanted {
            stride: match random.below(3) {
                0 => dim.block,
                1 => dim.block + random.below(5) - 2,
                _ => random.below(4 * dim.block + 3) - 2 * dim.block - 1,
            },
            offset: random.below(2 * size + 9) - size - 4,
            length: random.below(2 * size + 3),
        };
        run(&mesh, &dim, size, wanted, &format!("seed {seed}: {mesh:?} {dim:?} of {size}, {wanted:?}"));
    }
}

/// How many collectives of a kind, and the bytes that each device sends in all.
fn cost_of(size: i64, wanted: Wanted, kind: OpKind) -> (usize, u64) {
    let mesh = Mesh::new([("x", 8)]).unwrap();
    let dim = DimLayout::canonical(&mesh, size, mesh.all_atoms().iter().collect());
    let ran = run(&mesh, &dim, size, wanted, &format!("{wanted:?} of {size}"));
    let count = ran.collectives.iter().filter(|c| ran.module.ops[c.op].kind == kind).count();
    assert_eq!(count, ran.collectives.len());
    (count, ran.ring_bytes(&mesh))
}

#[test]
fn windows_move_only_their_halo() {
    // Rows are of 8 bytes, and of 8 devices 7 have a neighbour on a side.
    let wanted = |stride, offset, length| Wanted { stride, offset, length };
    // A window of three: one row from each side.
    assert_eq!(cost_of(64, wanted(8, -1, 10), OpKind::CollectivePermute), (2, 14));
    // A shift by one row.
    assert_eq!(cost_of(64, wanted(8, -1, 8), OpKind::CollectivePermute), (1, 7));
    // A halo wider than a shard: two hops from one side.
    assert_eq!(cost_of(64, wanted(8, -12, 20), OpKind::CollectivePermute), (2, 8 * 7 + 4 * 6));
    // Blocks of 7 of 50 rows, now blocks of 8: half of what the neediest takes to those that need some, the rest to those that need more.
    assert_eq!(cost_of(50, wanted(8, 0, 8), OpKind::CollectivePermute), (2, 3 * 7 + 3 * 3));
    // Backwards: every shard goes to the other side, at once; where blocks are uneven, a part of one more.
    assert_eq!(cost_of(64, wanted(-8, 56, 8), OpKind::CollectivePermute), (1, 64));
    assert_eq!(cost_of(62, wanted(-8, 54, 8), OpKind::CollectivePermute), (2, 64 + 2 * 7));
    // Everything, everywhere.
    assert_eq!(cost_of(64, wanted(0, 0, 64), OpKind::AllGather), (1, 8 * 56));
}
