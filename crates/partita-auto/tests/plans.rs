//! What the search finds for a small training step: layers of two products, each with a residual, and plain gradient descent.

use partita::device::{BUILT_IN, read};
use partita::equal::verify;
use partita::inline::{Inlined, inline};
use partita::interpret::RunOptions;
use partita::ir::Module;
use partita::partition::partition_at;
use partita::propagate::propagate;
use partita::sharding::apply::{Options, prepare};
use partita::sharding::spec::{MeshSpec, ShardSpec};
use partita_auto::{
    Analysis, Assignment, ClassId, Cost, Estimator, Event, Found, Judge, Layers, Limits, Machine, Role,
    Scene, Space, Store, Subject, Tactic, fixed, plan, search,
};

/// So many layers `x + tanh(x w) v`, and the gradients of the sum of squares by every `w` and `v`.
fn training_step(layers: usize) -> String {
    let (x, w, v, h) = ("tensor<8x16xf32>", "tensor<16x64xf32>", "tensor<64x16xf32>", "tensor<8x64xf32>");
    let arguments: Vec<String> = (0..layers)
        .map(|n| {
            let (a, b) = (2 * n, 2 * n + 1);
            format!(
                "%w{n}: {w} {{tf.aliasing_output = {a} : i32}}, %v{n}: {v} {{tf.aliasing_output = {b} : i32}}"
            )
        })
        .collect();
    let mut body = String::new();
    let mut line = |text: String| body += &format!("  {text}\n");
    let dot = |a: &str, b: &str, dims: &str, types: [&str; 3]| {
        let [ta, tb, tc] = types;
        format!("stablehlo.dot_general {a}, {b}, contracting_dims = {dims} : ({ta}, {tb}) -> {tc}")
    };
    for n in 0..layers {
        let from = if n == 0 { "%x".to_string() } else { format!("%x{n}") };
        line(format!("%h{n} = {}", dot(&from, &format!("%w{n}"), "[1] x [0]", [x, w, h])));
        line(format!("%t{n} = stablehlo.tanh %h{n} : {h}"));
        line(format!("%y{n} = {}", dot(&format!("%t{n}"), &format!("%v{n}"), "[1] x [0]", [h, v, x])));
        line(format!("%x{} = stablehlo.add {from}, %y{n} : {x}", n + 1));
    }
    line(format!("%g{layers} = stablehlo.add %x{layers}, %x{layers} : {x}"));
    for n in (0..layers).rev() {
        let (from, g) = (if n == 0 { "%x".to_string() } else { format!("%x{n}") }, format!("%g{}", n + 1));
        line(format!("%gv{n} = {}", dot(&format!("%t{n}"), &g, "[0] x [0]", [h, x, v])));
        line(format!("%gt{n} = {}", dot(&g, &format!("%v{n}"), "[1] x [1]", [x, v, h])));
        line(format!("%gw{n} = {}", dot(&from, &format!("%gt{n}"), "[0] x [0]", [x, h, w])));
        line(format!("%gx{n} = {}", dot(&format!("%gt{n}"), &format!("%w{n}"), "[1] x [1]", [h, w, x])));
        line(format!("%g{n} = stablehlo.add {g}, %gx{n} : {x}"));
        line(format!("%nw{n} = stablehlo.subtract %w{n}, %gw{n} : {w}"));
        line(format!("%nv{n} = stablehlo.subtract %v{n}, %gv{n} : {v}"));
    }
    let results: Vec<String> = (0..layers).map(|n| format!("%nw{n}, %nv{n}")).collect();
    let types = vec![format!("{w}, {v}"); layers].join(", ");
    format!(
        "func.func @main({}, %x: {x}) -> ({types}) {{\n{body}  return {} : {types}\n}}",
        arguments.join(", "),
        results.join(", ")
    )
}

/// The same with the data first.
fn data_first(text: &str) -> String {
    let data = "%x: tensor<8x16xf32>";
    text.replace(&format!(", {data})"), ")").replace("@main(", &format!("@main({data}, "))
}

/// The same with results in memory of their own.
fn not_donating(text: &str) -> String {
    text.replace("tf.aliasing_output", "test.aliasing_output")
}

fn parsed(text: &str) -> Module {
    partita::text::parse(text).unwrap_or_else(|e| panic!("{e:?}"))
}

fn imported(module: &Module, options: &Options) -> (Inlined, partita::sharding::Mesh) {
    let main = module.func_named("main").expect("main");
    let mut program = inline(module, main).unwrap_or_else(|e| panic!("{e:?}"));
    let mesh = prepare(module, &mut program, options).unwrap_or_else(|e| panic!("{e:?}"));
    (program, mesh)
}

/// A program on a mesh. The program stays for as long as the tests run.
fn on_mesh(module: &Module, options: &Options) -> Subject<'static> {
    let (program, mesh) = imported(module, options);
    Subject::new(Box::leak(Box::new(program)), mesh).unwrap_or_else(|e| panic!("{e:?}"))
}

fn options(mesh: &str) -> Options {
    Options { mesh: Some(MeshSpec::parse(mesh).expect("a mesh")), ..Options::default() }
}

fn machine(subject: &Subject<'_>, memory: u64) -> Machine {
    let profile = read(BUILT_IN[0].1).expect("a profile");
    Machine { memory, ..Machine::new(&profile, &subject.mesh).expect("it fits") }
}

fn found(subject: &Subject<'_>, memory: u64, seed: u64, tactics: &[&str]) -> Found {
    let space = Space::new(subject, true);
    let machine = machine(subject, memory);
    let mut estimator = Estimator::new(subject, &space, machine.clone());
    let judge = Judge::new(subject, &space, &machine);
    let limits = Limits { seed, judgements: Some(3), ..Limits::default() };
    let mut start = fixed(subject, &space);
    for tactic in tactics {
        let tactic = Tactic::parse(tactic).expect("a tactic");
        start = tactic.apply(subject, &space, &mut estimator, &start).expect("it applies");
    }
    search(&judge, &mut estimator, &start, &limits, &mut |_| true).expect("a plan")
}

#[test]
fn the_space_does_not_grow_with_depth() {
    for layers in [2, 6] {
        let subject = on_mesh(&parsed(&training_step(layers)), &options("data=2,model=4"));
        let space = Space::new(&subject, true);
        let mut sizes: Vec<(i64, usize)> =
            space.decisions().iter().map(|c| (space.class(*c).size, space.class(*c).groups)).collect();
        sizes.sort_unstable();
        // The batch, the width between the layers, and the width inside each.
        assert_eq!(sizes, [(8, 1), (16, 1), (64, layers)]);
        assert_eq!(space.roles[0], Role::Parameter);
        assert_eq!(space.roles[2 * layers], Role::Data);
    }
}

#[test]
fn parameters_are_known_where_nothing_is_donated() {
    let subject = on_mesh(&parsed(&not_donating(&training_step(2))), &options("data=2,model=4"));
    let space = Space::new(&subject, true);
    assert_eq!(space.roles, [[Role::Parameter; 4].as_slice(), &[Role::Data]].concat());
    let found = found(&subject, 1 << 30, 0, &["megatron:model"]);
    // What replaces a parameter lies as the parameter does.
    let best = &found.plans[0];
    assert_eq!(best.results[..], best.arguments[..4]);
    assert!(best.arguments[0].1.dims.iter().any(|dim| !dim.atoms.is_empty()));
}

#[test]
fn a_few_layers_tell_what_all_of_them_cost() {
    few_layers_tell(&training_step(16));
    few_layers_tell(&not_donating(&training_step(16)));
    few_layers_tell(&updated_at_the_end(&training_step(16)));
}

/// The same with parameters brought up to date behind everything else, in an order that does not repeat.
fn updated_at_the_end(text: &str) -> String {
    let is_update = |line: &&str| line.trim_start().starts_with("%n");
    let (mut updates, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(is_update);
    updates.sort_by_key(|line| line.bytes().fold(7u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte)));
    let (before, end) = rest.split_at(rest.len() - 2);
    [before, &updates, end].concat().join("\n")
}

fn few_layers_tell(text: &str) {
    let (program, mesh) = imported(&parsed(text), &options("data=2,model=4"));
    let layers = Layers::find(&program).expect("layers");
    let read = |layers| Analysis::new(&program, layers, mesh.clone(), true).expect("it can be read");
    let (few, all) = (read(Some(&layers)), read(None));
    assert!(few.subject.module().ops.len() < all.subject.module().ops.len() / 3);
    // There is as much to decide, of as much.
    let classes = |space: &Space| {
        let class = |id: &ClassId| {
            let class = space.class(*id);
            (class.size, class.groups, class.tensors, class.bytes)
        };
        space.decisions().iter().map(class).collect::<Vec<_>>()
    };
    assert_eq!(classes(&few.space), classes(&all.space));
    let machine = machine(&few.subject, 1 << 30);
    let judge = Judge::new(&few.subject, &few.space, &machine).by_layers(few.shorter.as_ref());
    let mut quick = Estimator::new(&few.subject, &few.space, machine.clone());
    let mut quick_of_all = Estimator::new(&all.subject, &all.space, machine.clone());
    let decisions = few.space.decisions().into_iter().zip(all.space.decisions());
    for (class, class_of_all, axis) in decisions.flat_map(|(few, all)| [(few, all, 0), (few, all, 1)]) {
        let plan = |class| Assignment { split: vec![(class, axis)], ..Assignment::new(2) };
        let (plan, plan_of_all) =
            (plan(class).canonical(&few.space), plan(class_of_all).canonical(&all.space));
        let (estimate, of_all) = (quick.estimate(&plan), quick_of_all.estimate(&plan_of_all));
        assert!((estimate.compute / of_all.compute - 1.0).abs() < 1e-6, "{estimate:?} {of_all:?}");
        assert!((estimate.communication - of_all.communication).abs() <= 1e-6 * of_all.communication);
        assert!((estimate.memory as f64 / of_all.memory as f64 - 1.0).abs() < 0.1, "{estimate:?} {of_all:?}");
        let cuts = quick.cuts(&plan);
        let all = judge.judge_whole(&plan, &cuts, false).expect("it can be partitioned");
        let few = judge.judge(&plan, &cuts, false).expect("it can be partitioned");
        assert!(few.by_layers && !all.by_layers);
        assert_eq!((&few.arguments, &few.results), (&all.arguments, &all.results));
        let counts = |cost: &Cost| (cost.ring_bytes, cost.collectives, cost.executions, cost.memory);
        assert_eq!(counts(&few.cost), counts(&all.cost));
        assert!((few.cost.seconds / all.cost.seconds - 1.0).abs() < 1e-6, "{:?} {:?}", few.cost, all.cost);
    }
}

#[test]
fn results_may_take_the_memory_of_another_layer() {
    let mut text = training_step(16);
    // The result of one layer takes the memory of another, as where arguments are in an order of their own.
    let given_to = |argument: usize| 2 * (5 * (argument / 2) % 16) + argument % 2;
    for argument in 0..32 {
        let old = format!("tf.aliasing_output = {argument} : i32");
        text = text.replacen(&old, &format!("tf.aliasing_output = new {} : i32", given_to(argument)), 1);
    }
    let (program, mesh) = imported(&parsed(&text.replace("new ", "")), &options("data=2,model=4"));
    let layers = Layers::find(&program).expect("layers");
    let few = Analysis::new(&program, Some(&layers), mesh, true).expect("it can be read");
    assert_eq!(few.space.roles.iter().filter(|role| **role != Role::Parameter).count(), 1);
    let machine = machine(&few.subject, 1 << 30);
    let judge = Judge::new(&few.subject, &few.space, &machine).by_layers(few.shorter.as_ref());
    let class = few.space.decisions().into_iter().find(|class| few.space.class(*class).size == 64);
    let plan = Assignment { split: vec![(class.expect("the width inside layers"), 1)], ..Assignment::new(2) };
    let cuts = Estimator::new(&few.subject, &few.space, machine.clone()).cuts(&plan);
    let judged = judge.judge(&plan, &cuts, false).expect("it can be partitioned");
    assert!(judged.by_layers);
    for (argument, sharding) in judged.arguments.iter().filter(|(n, _)| *n < 32) {
        assert!(judged.results.contains(&(given_to(*argument), sharding.clone())));
    }
}

#[test]
fn layers_that_are_annotated_otherwise_are_not_taken_for_others() {
    let sharding = "mhlo.sharding = \"{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}\"";
    let layers = |text: &str| Layers::find(&imported(&parsed(text), &options("data=2,model=4")).0).is_some();
    let step = training_step(16);
    assert!(layers(&step));
    assert!(!layers(
        &step.replace("%w5: tensor<16x64xf32> {", &format!("%w5: tensor<16x64xf32> {{{sharding}, "))
    ));
    // The same of a result.
    let results = "-> (".to_string() + &"tensor<16x64xf32>, tensor<64x16xf32>, ".repeat(5);
    assert!(!layers(&step.replace(
        &format!("{results}tensor<16x64xf32>"),
        &format!("{results}tensor<16x64xf32> {{{sharding}}}")
    )));
}

#[test]
fn a_layer_that_reads_from_elsewhere_is_not_taken_for_others() {
    // One of the layers in the middle reads what goes into the first.
    let step =
        training_step(16).replace("%h7 = stablehlo.dot_general %x7,", "%h7 = stablehlo.dot_general %x,");
    assert!(Layers::find(&imported(&parsed(&step), &options("data=2,model=4")).0).is_none());
}

#[test]
fn nothing_costs_less_than_the_bound_of_what_it_extends() {
    let subject = on_mesh(&parsed(&training_step(2)), &options("data=2,model=4"));
    let space = Space::new(&subject, true);
    let mut estimator = Estimator::new(&subject, &space, machine(&subject, 1 << 30));
    let pairs: Vec<_> = space.decisions().into_iter().flat_map(|class| [(class, 0), (class, 1)]).collect();
    let plan = |set: usize| {
        let split = pairs.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, pair)| *pair);
        Assignment { split: split.collect(), ..Assignment::new(2) }.canonical(&space)
    };
    let plans: Vec<Assignment> = (0..1 << pairs.len()).map(plan).collect();
    let graph = estimator.strategy_graph(&Assignment::new(2), 1.0, 1.0, 1 << 20).expect("it is small");
    let mut relaxation = graph.relaxation();
    let bounds: Vec<f64> = plans.iter().map(|plan| relaxation.bound(&estimator.cuts(plan))).collect();
    // Plans are choices in the graph, in which operations may do better than the quick judge has it.
    for (plan, bound) in plans.iter().zip(&bounds) {
        let (cost, estimate) = (graph.cost_of(&estimator.cuts(plan)), estimator.estimate(plan));
        let cost = cost.expect("it is a choice");
        assert!(*bound <= cost * (1.0 + 1e-9), "{plan:?}: {bound} > {cost}");
        assert!(cost <= (estimate.compute + estimate.communication) * (1.0 + 1e-9), "{plan:?}: {cost}");
    }
    for further in &plans {
        for store in [Store::Whole, Store::State, Store::Parameters] {
            let stored = Assignment { store: vec![store, Store::Whole], ..further.clone() };
            let estimate = estimator.estimate(&stored);
            let seconds = estimate.compute + estimate.communication;
            for (plan, bound) in plans.iter().zip(&bounds).filter(|(plan, _)| further.extends(plan, &space)) {
                assert!(*bound <= seconds * (1.0 + 1e-9), "{plan:?} to {stored:?}: {bound} > {seconds}");
            }
        }
    }
    // It says something: what the best plan costs is not far above the bound of all.
    let least = plans.iter().map(|plan| estimator.estimate(plan)).map(|e| e.compute + e.communication);
    let least = least.fold(f64::INFINITY, f64::min);
    assert!(bounds[0] > 0.5 * least, "{} of {least}", bounds[0]);
}

#[test]
fn what_fits_is_not_split_for_nothing() {
    let subject = on_mesh(&parsed(&training_step(2)), &options("data=2,model=4"));
    assert_eq!(found(&subject, 1 << 30, 0, &[]).plans[0].assignment, Assignment::new(2));
}

#[test]
fn a_bound_is_known_where_nothing_fits() {
    let subject = on_mesh(&parsed(&training_step(2)), &options("data=2,model=4"));
    let space = Space::new(&subject, true);
    let [roomy, tight] = [1 << 30, 100].map(|memory| {
        let machine = machine(&subject, memory);
        let mut estimator = Estimator::new(&subject, &space, machine.clone());
        let judge = Judge::new(&subject, &space, &machine);
        let found = search(&judge, &mut estimator, &Assignment::new(2), &Limits::default(), &mut |_| true);
        found.expect("a plan").graph.expect("a small graph")
    });
    assert!(roomy.cost.is_some_and(|cost| cost >= roomy.lower_bound));
    assert_eq!((tight.cost, tight.lower_bound), (None, roomy.lower_bound));
}

#[test]
fn plans_fit_and_compute_the_same() {
    let module = parsed(&training_step(3));
    let subject = on_mesh(&module, &options("data=2,model=4"));
    // All of it takes some 50 KB.
    for (memory, tactics) in [
        (30_000, &[][..]),
        (16_000, &[]),
        (30_000, &["data:data", "megatron:model"]),
        (30_000, &["fsdp:data"]),
    ] {
        let found = found(&subject, memory, 0, tactics);
        let best = &found.plans[0];
        assert!(best.cost.memory <= memory, "{tactics:?}: {:?}", best.cost);
        let mut options = Options::default();
        plan(&subject, &module, best).add_to(&mut options).expect("a plan that is read back");
        let (program, mesh) = imported(&module, &options);
        let shardings = propagate(&program, mesh).unwrap_or_else(|e| panic!("{e:?}"));
        let prices = machine(&subject, memory).prices;
        let mut partitioned = partition_at(&program, &shardings, prices).expect("it is partitioned");
        // The plan that is written down gives the program that was judged.
        let sent = partita::ledger::Ledger::new(&partitioned, &program).total();
        assert_eq!((sent.ring_bytes, sent.count), (best.cost.ring_bytes, best.cost.collectives));
        partitioned.expand();
        let verdict = verify(&program.module, &partitioned, 0, &mut RunOptions::default()).expect("it runs");
        assert!(verdict.ok(), "{:?}", best.assignment);
    }
}

#[test]
fn a_seed_gives_one_plan_and_annotations_are_kept() {
    let module = parsed(&training_step(2));
    let mut options = options("data=2,model=4");
    options.shards.push(ShardSpec::parse("x=data,_").expect("a sharding"));
    let subject = on_mesh(&module, &options);
    let plans = [7, 7].map(|seed| found(&subject, 12_000, seed, &[]).plans[0].assignment.clone());
    assert_eq!(plans[0], plans[1]);
    let space = Space::new(&subject, true);
    let batch = fixed(&subject, &space).split;
    assert_eq!(batch.len(), 1);
    assert!(plans[0].split.contains(&batch[0]));
}

/// What a ranker sees when nothing is decided yet.
fn first_scene(text: &str) -> Scene {
    let subject = on_mesh(&parsed(text), &options("data=2,model=4"));
    let (space, machine) = (Space::new(&subject, true), machine(&subject, 30_000));
    let mut estimator = Estimator::new(&subject, &space, machine.clone());
    let judge = Judge::new(&subject, &space, &machine);
    let limits = Limits { judgements: Some(1), lessons: 1, ..Limits::default() };
    let mut scene = None;
    let mut watch = |event: Event<'_>| {
        if let Event::Learned(lessons) = event {
            scene = lessons.plans.first().map(|lesson| lesson.scene.clone());
        }
        true
    };
    search(&judge, &mut estimator, &Assignment::new(2), &limits, &mut watch).expect("a plan");
    scene.expect("a scene")
}

#[test]
fn a_ranker_sees_no_names_and_no_order() {
    let text = training_step(2);
    let sorted = |text: &str| {
        let mut moves: Vec<_> = first_scene(text).moves.into_iter().map(|(_, features)| features).collect();
        moves.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        moves
    };
    let here = sorted(&text);
    assert!(here.len() > 4 && here.iter().flatten().all(|n| n.is_finite() && n.abs() <= 4.0));
    assert_eq!(here, sorted(&data_first(&text)));
    assert_eq!(here, sorted(&text.replace("%w", "%zz")));
}

#[test]
fn a_ranker_only_orders() {
    let subject = on_mesh(&parsed(&training_step(2)), &options("data=2,model=4"));
    let (space, machine) = (Space::new(&subject, true), machine(&subject, 12_000));
    let judge = Judge::new(&subject, &space, &machine);
    let [with, without] = [true, false].map(|ranker| {
        let mut estimator = Estimator::new(&subject, &space, machine.clone());
        let limits = Limits { ranker, ..Limits::default() };
        search(&judge, &mut estimator, &Assignment::new(2), &limits, &mut |_| true).expect("a plan")
    });
    assert_eq!(with.stop.name(), "exhausted");
    assert_eq!((with.stop, with.estimates), (without.stop, without.estimates));
    assert_eq!(with.plans[0].assignment, without.plans[0].assignment);
}
