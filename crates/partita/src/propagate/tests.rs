//! Single mechanisms on small programs.

use super::*;
use crate::ops::rule::Rule;
use crate::sharding::Atom;
use crate::sharding::import::module_mesh;
use crate::test_programs::{parse, program};

fn run(text: &str) -> (Inlined, Propagated) {
    let module = parse(text);
    let mesh = module_mesh(&module).unwrap_or_else(|e| panic!("{e}")).expect("a mesh");
    let program = program(&module);
    let result = propagate(&program, mesh).unwrap_or_else(|e| panic!("{e:?}"));
    (program, result)
}

pub(super) fn show_slot(result: &Propagated, slot: Option<SlotId>) -> String {
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
