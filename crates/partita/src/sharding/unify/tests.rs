use super::*;
use crate::sharding::digits::{digits_of, expand};
use crate::sharding::gspmd::{Devices, Subgroup, TileKind, Tiles};
use crate::sharding::import::{self, boundary_sharding, from_sdy};
use crate::sharding::mesh::AtomSet;
use crate::sharding::tiles::to_tiles;

/// Small numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut list: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| list.swap(i, self.below(i + 1)));
        list
    }

    /// A grid of tiles over 24 devices, of the rank two, in any of the notations.
    fn tiles(&mut self) -> Tiles {
        let shapes: [&[i64]; 4] = [&[24], &[2, 12], &[2, 3, 4], &[6, 4]];
        let shape = shapes[self.below(shapes.len())].to_vec();
        let permutation = self.shuffled(shape.len());
        let grids: [&[i64]; 6] = [&[2, 12], &[1, 24], &[4, 2, 3], &[1, 6, 4], &[2, 3, 2, 2], &[1, 2, 4, 3]];
        let grid = grids[self.below(grids.len())].to_vec();
        let kinds = [Subgroup::Replicated, Subgroup::Unreduced];
        let subgroups = match grid.len() {
            2 => vec![],
            3 => vec![kinds[self.below(2)]],
            _ => vec![Subgroup::Unreduced, Subgroup::Replicated],
        };
        let mut devices = Devices::Iota { shape, permutation };
        if self.below(2) == 0 {
            devices = Devices::List(list(&devices));
        }
        if self.below(4) == 0 {
            devices = Devices::List(self.shuffled(24).into_iter().map(|d| d as i64).collect());
        }
        Tiles { grid, devices, subgroups }
    }
}

fn list(devices: &Devices) -> Vec<i64> {
    match devices {
        Devices::List(list) => list.clone(),
        iota => expand(&digits_of(iota).unwrap()),
    }
}

/// Which devices hold each tile: those that hold the same, or parts of one sum, in ascending order.
fn assignment(tiles: &Tiles) -> (Vec<i64>, Vec<i64>) {
    let mut list = list(&tiles.devices);
    let mut size = 1;
    for (group, extent) in tiles.subgroups.iter().zip(&tiles.grid[2..]).rev() {
        size *= *extent as usize;
        if *group == Subgroup::Replicated || tiles.subgroups.len() == 1 {
            list.chunks_mut(size).for_each(<[i64]>::sort_unstable);
        }
    }
    if tiles.subgroups.len() == 2 {
        // The order of the partial sums means nothing either.
        let inner = tiles.grid[3] as usize;
        for outer in list.chunks_mut(size) {
            let mut groups: Vec<Vec<i64>> = outer.chunks(inner).map(<[i64]>::to_vec).collect();
            groups.sort();
            outer.copy_from_slice(&groups.concat());
        }
    }
    (tiles.grid.clone(), list)
}

#[test]
fn every_tile_stays_on_its_device() {
    let mut numbers = Numbers(1);
    let (mut agreed, mut contradicted) = (0, 0);
    for _ in 0..2000 {
        let all = [numbers.tiles(), numbers.tiles()];
        let arg = |n: usize| format!("%arg{n}: tensor<24x24xf32> {{mhlo.sharding = \"{{{}}}\"}}", all[n]);
        let text = format!("func.func @main({}, {}) {{ return }}", arg(0), arg(1));
        let mut module = crate::text::parse(&text).unwrap();
        if let Err(errors) = unify(&mut module) {
            assert!(errors.iter().all(|e| e.message.contains("cannot be written over one mesh")));
            continue;
        }
        agreed += 1;
        let mesh = import::module_mesh(&module).unwrap().unwrap();
        let main = module.func_named("main").unwrap();
        for (n, tiles) in all.iter().enumerate() {
            let attrs = &module.funcs[main].arg_attrs[n];
            let sharding = boundary_sharding(attrs).unwrap();
            let subject = import::Subject { name: "", span: Span::default(), rank: 2 };
            let sharding = from_sdy(&module, &mesh, sharding, &subject).unwrap();
            let TileKind::Tiled(mut found) = to_tiles(&mesh, &sharding, AtomSet::EMPTY) else {
                panic!("{text}")
            };
            if let Some(Attr::I64s(own)) = attrs.get(names::PARTITA_DEVICES) {
                assert_eq!(mesh.device_ids(), None, "{text}");
                let device = |position: &i64| own[*position as usize];
                found.devices = Devices::List(list(&found.devices).iter().map(device).collect());
                contradicted += 1;
            }
            assert_eq!(assignment(&found), assignment(tiles), "{text}");
        }
    }
    assert!(agreed > 400, "only {agreed} pairs went together");
    assert!(contradicted > 100, "only {contradicted} orders contradicted the mesh");
}

fn unified(text: &str) -> String {
    let mut module = crate::text::parse(text).unwrap();
    unify(&mut module).unwrap();
    crate::verify::verify(&module).unwrap();
    crate::text::print::print(&module)
}

#[test]
fn calls_become_ops() {
    let text = unified(
        r#"func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {mhlo.sharding = "{maximal device=3}"}) {
          %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
          %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{unknown shard_as 7}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
          %2 = stablehlo.custom_call @ShardBarrierFrom(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
          return %2 : tensor<8x4xf32>
        }"#,
    );
    for part in [
        "sdy.mesh @mesh = <[\"m0\"=2, \"m1\"=2]>",
        "sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>",
        "#sdy.sharding<@maximal_mesh_3, []>",
        "sdy.sharding_constraint %arg0 <@mesh, [{\"m1\"}, {?}]>",
        "sdy.sharding_group %1 group_id=7",
        "allowed_direction=BACKWARD",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn several_meshes_become_one() {
    let text = unified(
        r#"sdy.mesh @a = <["x"=2, "y"=4]>
        sdy.mesh @b = <["p"=4, "q"=2]>
        func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@b, [{"p":(2)2, "q"}, {"p":(1)2, ?}p1]>},
          %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=8]>, [{"z"}]>},
          %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) { return }"#,
    );
    assert!(text.contains("<@a, [{\"y\"}, {\"x\", ?}p1]>"), "{text}");
    assert!(text.contains("<@a, [{\"x\", \"y\"}]>"), "{text}");
    assert!(!text.contains("@b"), "{text}");
}

#[test]
fn meshes_over_different_devices_are_refused() {
    let text = r#"sdy.mesh @a = <["x"=2]>
        sdy.mesh @b = <["x"=4]>
        func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>},
          %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) { return }"#;
    let errors = unify(&mut crate::text::parse(text).unwrap()).unwrap_err();
    assert_eq!(
        errors[0].message,
        "the mesh `@b` cannot be one with the first of the file: it is over 4 devices, other shardings are over 2"
    );
}
