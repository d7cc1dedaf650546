//! What must hold of every result, on all programs at hand with random annotations.

use super::tests::show_slot;
use super::*;
use crate::inline::inline;
use crate::ir::{Module, OpId, RegionId, ValueDef, ValueName};
use crate::sharding::import::module_mesh;
use crate::sharding::{Atom, AtomSet};
use crate::test_programs::{Random, annotated_examples, corpora, examples, parse, program};
use std::collections::BTreeMap;

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
            let sharding = random_sharding(random, mesh, graph.slots[slot].rank());
            graph.slots[slot].annotate(&sharding, 0);
            given.push((slot, sharding));
        }
    }
    given
}

fn check_slots(graph: &Graph) {
    for slot in graph.slots.iter() {
        let mut seen = AtomSet::EMPTY;
        for (d, atoms) in slot.dims().enumerate() {
            assert_eq!(atoms.len(), slot.reasons(d).len(), "a reason for each atom");
            for &atom in atoms {
                assert!(!seen.contains(atom), "an atom splits one dimension only");
                seen.insert(atom);
            }
        }
        assert_eq!(seen, slot.used);
    }
}

/// Asserts that slots lie as they are annotated: closed dimensions exactly so, open ones perhaps split further.
fn check_given(graph: &Graph, given: &[(SlotId, Sharding)]) {
    for (slot, sharding) in given {
        let slot = &graph.slots[*slot];
        assert_eq!(slot.annotation.as_deref(), Some(sharding));
        for (now, dim) in slot.dims().zip(&sharding.dims) {
            assert!(now.starts_with(&dim.atoms), "{sharding:?}");
            assert!(dim.open || now.len() == dim.atoms.len(), "{sharding:?}");
        }
        assert!(slot.used.intersection(sharding.replicated).is_empty());
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
            check_given(&graph, &given);
            assert!(schedule::is_fixed_point(&mesh, &mut graph), "{}", path.display());
        }
    }
}

#[test]
fn another_annotation_changes_no_annotation() {
    let mut random = Random(11);
    for (_, module) in examples() {
        let program = program(&module);
        for mesh in meshes() {
            let build = || Graph::build(&program, &mesh, &CallRules::default()).expect("a graph");
            let given = annotate(&mut random, &mesh, &mut build());
            // One after the other, and each time all of those before must hold.
            for count in 1..=given.len() {
                let mut graph = build();
                for (slot, sharding) in &given[..count] {
                    graph.slots[*slot].annotate(sharding, 0);
                }
                schedule::run(&mesh, &mut graph);
                check_given(&graph, &given[..count]);
            }
        }
    }
}

#[test]
fn random_shardings_of_any_program_reach_a_fixed_point() {
    let mut random = Random(3);
    for (path, module) in corpora() {
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
    let needs = |op: OpId| module.within(op).flat_map(|op| module.operands(op));
    while !waiting.is_empty() {
        // Any of the next few that are ready.
        let window = waiting.len().min(12);
        let from = random.below(window);
        let ready = |op: OpId| {
            needs(op).all(|v| match module.values[*v].def {
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

/// The shardings of a program, by the names of values.
fn by_name(program: &Inlined, found: &Propagated) -> BTreeMap<String, String> {
    let name = |value| program.module.value_name(value);
    let sharding = |value| show_slot(found, found.graph.value_slot(value));
    program.module.values.ids().map(|value| (name(value), sharding(value))).collect()
}

/// Gives every value a name that no other has, as far as results of one operation can.
fn name_apart(module: &mut Module) {
    for value in module.values.ids() {
        let first = match module.values[value].def {
            ValueDef::Result(op, _) => module.ops[op].results.at(0),
            ValueDef::Arg(..) => value,
        };
        module.values[value].name = ValueName::Number(first.index() as u32);
    }
}

#[test]
fn order_names_and_hashes_change_nothing() {
    let mut random = Random(7);
    for (path, module) in annotated_examples() {
        let mesh = module_mesh(&module).expect("a mesh").expect("a mesh");
        let mut program = program(&module);
        let complete = |p: &Inlined| propagate(p, mesh.clone()).unwrap_or_else(|e| panic!("{e:?}"));
        name_apart(&mut program.module);
        let before = complete(&program);
        let regions: Vec<RegionId> = program.module.regions.ids().collect();
        for region in regions {
            program.module.regions[region].ops = shuffled(&mut random, &program.module, region);
        }
        // Read from the text in its new order, everything has other ids, and with them other hashes.
        let names = by_name(&program, &before);
        let read = parse(&crate::text::print::print(&program.module));
        let read = self::program(&read);
        let mut compared = 0;
        for (name, sharding) in by_name(&read, &complete(&read)) {
            // Short forms leave out the names of some arguments of regions.
            let Some(known) = names.get(&name) else { continue };
            assert_eq!(known, &sharding, "{}: {name}", path.display());
            compared += 1;
        }
        assert!(compared > names.len() / 2);
        for value in program.module.values.ids() {
            program.module.values[value].name = ValueName::None;
        }
        let after = complete(&program);
        for value in program.module.values.ids() {
            let (a, b) = (before.graph.value_slot(value), after.graph.value_slot(value));
            assert_eq!(show_slot(&before, a), show_slot(&after, b), "{}: {value:?}", path.display());
        }
    }
}
