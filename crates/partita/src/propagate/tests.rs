//! What must hold of every result, on the example programs with random annotations, and single mechanisms on small
//! programs.

use super::*;
use crate::inline::inline;
use crate::ir::{Module, OpId, RegionId, ValueDef, ValueName};
use crate::ops::rule::Rule;
use crate::sharding::import::module_mesh;
use crate::sharding::{Atom, AtomSet};
use std::path::PathBuf;

/// A small generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn parse(text: &str) -> Module {
    crate::text::parse(text).unwrap_or_else(|e| panic!("{e:?}"))
}

fn program(module: &Module) -> Inlined {
    let entry = module.func_named("main").unwrap_or_else(|| module.funcs.ids().next().expect("a function"));
    inline(module, entry).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> (Inlined, Propagated) {
    let module = parse(text);
    let mesh = module_mesh(&module).unwrap_or_else(|e| panic!("{e}")).expect("a mesh");
    let program = program(&module);
    let result = propagate(&program, mesh).unwrap_or_else(|e| panic!("{e:?}"));
    (program, result)
}

fn show_slot(result: &Propagated, slot: Option<SlotId>) -> String {
    let Some(slot) = slot else { return "-".into() };
    let dims = result.sharding(slot).dims;
    let axes = |atoms: &[Atom]| {
        let parts = result.mesh.parts(atoms);
        parts.iter().map(|p| result.mesh.axes()[p.axis].name.clone()).collect::<Vec<_>>().join(",")
    };
    format!("[{}]", dims.iter().map(|d| format!("{{{}}}", axes(&d.atoms))).collect::<Vec<_>>().join(", "))
}

/// The shardings of arguments, of the results of ops by name of the op, and of results.
fn show(text: &str, ops: &[&str]) -> Vec<String> {
    let (program, result) = run(text);
    let module = &program.module;
    let body = module.funcs.iter().next().and_then(|f| f.body).expect("a body");
    let mut lines = Vec::new();
    for arg in module.regions[body].args.iter() {
        lines.push(show_slot(&result, result.graph.value_slot(arg)));
    }
    for (id, op) in module.ops.enumerate() {
        if ops.contains(&module.op(id).def().name) {
            lines.extend(op.results.iter().map(|v| show_slot(&result, result.graph.value_slot(v))));
        }
    }
    lines.extend(result.graph.result_slots().iter().map(|s| show_slot(&result, *s)));
    lines
}

/// The example programs without annotations.
fn examples() -> Vec<(PathBuf, Module)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tiny");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the examples")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|p| p.to_string_lossy().ends_with(".none.sdy.mlir"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let module = parse(&text);
            (path, module)
        })
        .collect()
}

fn meshes() -> Vec<Mesh> {
    let mesh = |axes: &[(&str, i64)]| Mesh::new(axes.iter().copied()).expect("a mesh");
    vec![
        mesh(&[("a", 2), ("b", 4)]),
        mesh(&[("a", 1), ("b", 3), ("c", 2)]),
        mesh(&[("a", 5), ("b", 6), ("c", 1)]),
        mesh(&[("a", 3), ("b", 8), ("c", 7), ("d", 2)]),
    ]
}

fn random_sharding(random: &mut Random, mesh: &Mesh, rank: usize) -> Sharding {
    let mut sharding = Sharding::default();
    let mut free: Vec<Atom> = mesh.all_atoms().iter().collect();
    for _ in 0..rank {
        let mut dim = DimSharding { open: random.below(2) == 0, ..DimSharding::default() };
        while !free.is_empty() && random.below(3) == 0 {
            dim.atoms.push(free.swap_remove(random.below(free.len())));
        }
        dim.priority = random.below(6).saturating_sub(3) as u32;
        sharding.dims.push(dim);
    }
    if random.below(8) == 0 {
        sharding.replicated = free.iter().copied().take(1).collect();
    }
    sharding
}

/// Annotates some slots; gives them.
fn annotate(random: &mut Random, mesh: &Mesh, graph: &mut Graph) -> Vec<(SlotId, Sharding)> {
    let mut given = Vec::new();
    for _ in 0..1 + random.below(12) {
        let slot = SlotId::from_index(random.below(graph.slots.len()));
        if graph.slots[slot].annotation.is_none() {
            let sharding = random_sharding(random, mesh, graph.slots[slot].dims.len());
            graph.slots[slot].annotate(&sharding, 0);
            given.push((slot, sharding));
        }
    }
    given
}

fn check_slots(graph: &Graph) {
    for slot in graph.slots.iter() {
        let mut seen = AtomSet::EMPTY;
        for (d, atoms) in slot.dims.iter().enumerate() {
            assert_eq!(atoms.len(), slot.reasons(d).len(), "a reason for each atom");
            for &atom in atoms {
                assert!(!seen.contains(atom), "an atom splits one dimension only");
                seen.insert(atom);
            }
        }
        assert_eq!(seen, slot.used);
    }
}

#[test]
fn annotations_stay_and_the_result_is_a_fixed_point() {
    let mut random = Random(1);
    for (path, module) in examples() {
        let program = program(&module);
        for mesh in meshes() {
            let mut graph = Graph::build(&program, &mesh, &CallRules::default()).expect("a graph");
            let given = annotate(&mut random, &mesh, &mut graph);
            schedule::run(&mesh, &mut graph);
            check_slots(&graph);
            for (slot, sharding) in given {
                for (d, dim) in sharding.dims.iter().enumerate() {
                    let now = &graph.slots[slot].dims[d];
                    assert!(now.starts_with(&dim.atoms), "{}: {sharding:?}", path.display());
                    assert!(dim.open || now.len() == dim.atoms.len(), "{}: {sharding:?}", path.display());
                }
                assert!(graph.slots[slot].used.intersection(sharding.replicated).is_empty());
            }
            assert!(schedule::is_fixed_point(&mesh, &mut graph), "{}", path.display());
        }
    }
}

/// The programs of other projects, where they are on this machine.
fn corpora() -> Vec<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut folders = vec![std::env::var_os("PARTITA_CORPUS").map_or(default, PathBuf::from)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mlir") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn random_shardings_of_any_program_reach_a_fixed_point() {
    let mut random = Random(3);
    for path in corpora() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(module) = crate::text::parse(&text) else { continue };
        for entry in module.funcs.ids() {
            let Ok(program) = inline(&module, entry) else { continue };
            let mesh = meshes().swap_remove(random.below(4));
            // What the program says itself is over another mesh: a refusal is an answer too.
            let Ok(mut graph) = Graph::build(&program, &mesh, &CallRules::default()) else { continue };
            if graph.slots.is_empty() {
                continue;
            }
            annotate(&mut random, &mesh, &mut graph);
            schedule::run(&mesh, &mut graph);
            check_slots(&graph);
            assert!(schedule::is_fixed_point(&mesh, &mut graph), "{}", path.display());
        }
    }
}

/// The operations of a region in another order that its operands allow.
fn shuffled(random: &mut Random, module: &Module, region: RegionId) -> Vec<OpId> {
    let ops = &module.regions[region].ops;
    let (last, rest) = ops.split_last().expect("a terminator");
    let mut waiting: Vec<OpId> = rest.to_vec();
    let mut done: Vec<OpId> = Vec::new();
    let mut placed = crate::ir::IdVec::<OpId, bool>::filled(true, module.ops.len());
    rest.iter().for_each(|op| placed[*op] = false);
    let needs = |op: OpId| {
        let mut values = module.operands(op).to_vec();
        let mut regions = module.regions_of(op).to_vec();
        while let Some(region) = regions.pop() {
            for &op in &module.regions[region].ops {
                values.extend_from_slice(module.operands(op));
                regions.extend(module.regions_of(op));
            }
        }
        values
    };
    while !waiting.is_empty() {
        // Any of the next few that are ready.
        let window = waiting.len().min(12);
        let from = random.below(window);
        let ready = |op: OpId| {
            needs(op).into_iter().all(|v| match module.values[v].def {
                ValueDef::Result(maker, _) => placed[maker],
                ValueDef::Arg(..) => true,
            })
        };
        let at = (0..window).map(|i| (from + i) % window).find(|i| ready(waiting[*i])).unwrap_or(0);
        let op = waiting.remove(at);
        placed[op] = true;
        done.push(op);
    }
    done.push(*last);
    done
}

#[test]
fn order_and_names_change_nothing() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tiny");
    let mut random = Random(7);
    for name in ["decoder_unrolled.megatron", "vit.mixed3", "unet3d.spatial2d", "moe.expert_model"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.sdy.mlir"))).expect("an example");
        let module = parse(&text);
        let mesh = module_mesh(&module).expect("a mesh").expect("a mesh");
        let mut program = program(&module);
        let before = propagate(&program, mesh.clone()).unwrap_or_else(|e| panic!("{e:?}"));
        let body = program.module.funcs.iter().next().and_then(|f| f.body).expect("a body");
        program.module.regions[body].ops = shuffled(&mut random, &program.module, body);
        for value in program.module.values.ids() {
            program.module.values[value].name = ValueName::None;
        }
        let after = propagate(&program, mesh).unwrap_or_else(|e| panic!("{e:?}"));
        for value in program.module.values.ids() {
            let (a, b) = (before.graph.value_slot(value), after.graph.value_slot(value));
            assert_eq!(
                show_slot(&before, a),
                show_slot(&after, b),
                "{name}: {}",
                program.module.value_name(value)
            );
        }
    }
}

#[test]
fn priorities_keep_both_axes_on_both_sides_of_a_bias() {
    // The batch goes first; the feature then finds its way through the sum.
    let text = r#"
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}]>},
                %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}p1]>},
                %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}"#;
    let lines = show(text, &["stablehlo.add", "stablehlo.broadcast_in_dim"]);
    assert_eq!(lines, ["[{x}, {}]", "[{}, {y}]", "[{y}]", "[{x}, {y}]", "[{x}, {y}]", "[{x}, {y}]"]);
}

#[test]
fn a_group_and_a_donated_argument_share_one_sharding() {
    let text = r#"
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32>, %c: tensor<4xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<8xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %1 = stablehlo.constant dense<2.0> : tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}"#;
    assert_eq!(
        show(text, &["stablehlo.constant"]),
        ["[{x}]", "[{}]", "[{y}]", "[{x}]", "[{y}]", "[{x}]", "[{y}]"]
    );
}

#[test]
fn members_of_a_group_that_are_annotated_differently_stay_so() {
    let text = r#"
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %c: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %c group_id=0 : tensor<8xf32>
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8xf32>
  return %c : tensor<8xf32>
}"#;
    assert_eq!(show(text, &[]), ["[{x}]", "[{y}]", "[{x}]", "[{x}]"]);
}

#[test]
fn a_manual_region_sees_its_free_axes_only() {
    let text = r#"
sdy.mesh @mesh = <["m"=2, "f"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"f"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"m", ?}, {?}]>] out_shardings=[<@mesh, [{"m", ?}, {?}]>] manual_axes={"m"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.abs %b : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}"#;
    let lines = show(text, &["stablehlo.abs", "sdy.manual_computation"]);
    assert_eq!(lines, ["[{m}, {f}]", "[{m}, {f}]", "[{}, {f}]", "[{m}, {f}]"]);
    let (program, result) = run(text);
    let region =
        program.module.ops.ids().find(|id| program.module.op(*id).def().name == "sdy.manual_computation");
    let inputs = result.graph.manual_inputs(region.expect("the region"));
    assert_eq!(show_slot(&result, inputs[0]), "[{m}, {f}]");
}

#[test]
fn a_constrained_carry_is_constrained_where_it_is_used() {
    let text = r#"
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.while(%i = %n, %c = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.abs %c : tensor<8xf32>
      stablehlo.return %i, %s : tensor<i32>, tensor<8xf32>
    }
  %1 = sdy.sharding_constraint %0#1 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = stablehlo.negate %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}"#;
    let lines = show(text, &["stablehlo.while", "stablehlo.abs", "stablehlo.negate"]);
    assert_eq!(lines, ["[{x}]", "-", "-", "[{x}]", "[{x}]", "[{x}]", "[{x}]", "[{x}]"]);
}

#[test]
fn a_rule_on_the_op_or_for_its_target_is_followed() {
    let text = |attr: &str| {
        format!(
            r#"
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> tensor<4x8xf32> {{
  %0 = stablehlo.custom_call @turn(%a) {{{attr}}} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}}"#
        )
    };
    assert_eq!(show(&text(""), &[]), ["[{x}, {}]", "[{}, {}]"]);
    let rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>";
    assert_eq!(show(&text(rule), &[]), ["[{x}, {}]", "[{}, {x}]"]);
    let module = parse(&text(""));
    let mesh = module_mesh(&module).expect("a mesh").expect("a mesh");
    let mut calls = CallRules::default();
    calls.add_text("turn", "([i, j])->([j, i])").expect("a rule");
    let result = propagate_with(&program(&module), mesh.clone(), &calls).expect("shardings");
    assert_eq!(show_slot(&result, result.graph.result_slots()[0]), "[{}, {x}]");
    assert!(calls.add_text("turn", "([i, j)->").is_err());
    calls.add_function("turn", Rule::whole);
    let result = propagate_with(&program(&module), mesh, &calls).expect("shardings");
    assert_eq!(show_slot(&result, result.graph.result_slots()[0]), "[{}, {}]");
}
