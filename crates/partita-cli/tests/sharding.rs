//! The commands that complete shardings and say why they are as they are.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

const LAYER: &str = "\
func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = func.call @act(%0) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
func.func private @act(%arg0: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
";

const SHARDING: [&str; 4] = ["--mesh", "data=2,model=4", "--shard", "arg1=_,model"];

fn partita(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    fs::write(folder.path().join("layer.mlir"), LAYER).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(args)
        .current_dir(folder.path())
        .output()
        .expect("the command runs")
}

fn stdout(args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let all: Vec<&str> = args.iter().chain(&SHARDING).copied().collect();
    let output = partita(&folder, &all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn failure(args: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let output = partita(&folder, args);
    assert_eq!(output.status.code(), Some(code));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    json["error"].clone()
}

#[test]
fn propagate_prints_the_program_in_either_notation() {
    let sdy = stdout(&["propagate", "layer.mlir"]);
    assert!(sdy.contains(r#"sdy.mesh @mesh = <["data"=2, "model"=4]>"#), "{sdy}");
    assert!(
        sdy.contains(r#"-> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})"#),
        "{sdy}"
    );
    let mhlo = stdout(&["propagate", "layer.mlir", "--notation", "mhlo"]);
    assert!(mhlo.contains("mhlo.num_partitions = 8"), "{mhlo}");
    let tiles = r#"mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}""#;
    assert!(mhlo.contains(tiles), "{mhlo}");
}

#[test]
fn propagate_gives_all_shardings_as_json() {
    let json: Value = serde_json::from_str(&stdout(&["propagate", "layer.mlir", "--json"])).expect("JSON");
    assert_eq!(json["devices"], 8);
    assert_eq!(json["mesh"], serde_json::json!([["data", 2], ["model", 4]]));
    assert_eq!(json["shardings"]["arguments"][1], r#"<@mesh, [{}, {"model"}]>"#);
    assert_eq!(json["shardings"]["results"][0], r#"<@mesh, [{}, {"model"}]>"#);
    let values = json["shardings"]["values"].as_array().expect("a list");
    assert!(values.iter().any(|v| v["value"] == "@act:%0"), "{values:?}");
    assert!(json["timing_us"]["propagate"].is_number());
}

#[test]
fn explain_gives_the_way_back_to_the_annotation() {
    let text = stdout(&["explain", "layer.mlir", "@act:%0"]);
    for part in [
        r#"@act:%0: <@mesh, [{}, {"model"}]>"#,
        r#"dimension 1, axis "model":"#,
        "@act:%0 dimension 1: through stablehlo.tanh (line 7)",
        "%0 dimension 1: through stablehlo.dot_general (line 2)",
        "rule ([",
        "%arg1 dimension 1: annotated in the program",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let json: Value =
        serde_json::from_str(&stdout(&["explain", "layer.mlir", "@act:%0", "--json"])).expect("JSON");
    assert_eq!(json["chains"][0]["hops"][2]["value"], "%arg1");
    assert_eq!(json["chains"][0]["hops"][2]["annotation"], true);
}

#[test]
fn conflicts_are_told_with_both_sides() {
    let text = stdout(&["explain", "layer.mlir", "%0", "--shard", "result0=_,data"]);
    assert!(text.contains("conflicts on the way:"), "{text}");
    assert!(text.contains(r#"over "model""#) && text.contains(r#"over "data""#), "{text}");
}

#[test]
fn errors_name_tensor_dimension_axis_and_fix() {
    let bad = ["propagate", "layer.mlir", "--json", "--mesh", "model=4", "--shard", "arg1=_,modle"];
    let error = failure(&bad, 1);
    assert_eq!(error["value"], "%arg1");
    assert_eq!(error["dimension"], 1);
    assert_eq!(error["axis"], "modle");
    assert_eq!(error["fix"], "the axes are \"model\"");
    for (mesh, message) in [
        ("x=1048577", "the mesh has 1048577 devices, more than the 1048576 that one may have"),
        ("x=1048576,y=9223372036854775807", "the mesh has more devices than can be counted"),
    ] {
        let error = failure(&["partition", "layer.mlir", "--json", "--mesh", mesh], 1);
        assert_eq!(
            (&error["message"], &error["fix"]),
            (&message.into(), &"give a mesh of fewer devices".into())
        );
    }
    let meshless = ["propagate", "layer.mlir", "--json", "--shard", "arg1=_,model"];
    assert_eq!(failure(&meshless, 1)["message"], "the program names no mesh");
    let nowhere = ["explain", "layer.mlir", "%9", "--json", "--mesh", "x=2"];
    assert_eq!(failure(&nowhere, 1)["message"], "the program has no value `%9`");
    failure(&["propagate", "layer.mlir", "--json", "--boundary", "shut"], 2);
}

#[test]
fn a_plan_says_all_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = r#"{"mesh": [["data", 2], ["model", 4]], "arguments": {"arg1": "_,model"}, "results": {"result0": "data,model"},
        "constraints": [{"value": "@act:%0", "spec": "data,model", "location": "model.py:3"}]}"#;
    fs::write(folder.path().join("plan.json"), plan).expect("a file");
    let output = partita(&folder, &["propagate", "layer.mlir", "--plan", "plan.json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(r#"sdy.mesh @mesh = <["data"=2, "model"=4]>"#), "{text}");
    assert!(
        text.contains(r#"%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}"#),
        "{text}"
    );
    let explained = partita(&folder, &["explain", "layer.mlir", "@act:%0", "--plan", "plan.json"]);
    assert!(
        String::from_utf8_lossy(&explained.stdout).starts_with(r#"@act:%0: <@mesh, [{"data"}, {"model"}]>"#)
    );
    // The mesh of the command line is taken instead, and other shardings are added.
    let more = [
        "propagate",
        "layer.mlir",
        "--plan",
        "plan.json",
        "--mesh",
        "data=4,model=2",
        "--shard",
        "arg0=data,_",
    ];
    let text = String::from_utf8(partita(&folder, &more).stdout).expect("text");
    assert!(text.contains(r#"<["data"=4, "model"=2]>"#), "{text}");
}

#[test]
fn a_bad_plan_is_told_with_what_is_wrong_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for (plan, message) in [
        (
            r#"{"mesh": [["x", 2]], "arguments": {"w": "x"}}"#,
            "`w` in the plan (`w`: `x`) matches no argument",
        ),
        (
            r#"{"mesh": [["x", 2]], "arguments": {"arg0": "x"}}"#,
            "`%arg0` in the plan (`arg0`: `x`) has 2 dimensions, but 1 entries are given",
        ),
        (
            r#"{"mesh": [["x", 2]], "results": {"arg0": "x,_"}}"#,
            "`arg0` in the plan (`arg0`: `x,_`) matches no result",
        ),
        (
            r#"{"mesh": [["x", 2]], "constraints": [{"value": "%0", "spec": "_,y"}]}"#,
            "in the plan (`%0`: `_,y`): dimension 1 of `%0` is split over the axis \"y\", which the mesh does not have",
        ),
        (r#"{"mesh": [["x", 0]]}"#, "the axis \"x\" of the plan's mesh has the size 0"),
        (r#"{"mesh": ["x"]}"#, "`mesh` is no list of axes in the plan `plan.json`"),
        (r#"{"argument": {}}"#, "`argument` is no field in the plan `plan.json`"),
        (
            r#"{"constraints": [{"value": "%0"}]}"#,
            "`constraints` is no list of values with a `spec` in the plan `plan.json`",
        ),
    ] {
        fs::write(folder.path().join("plan.json"), plan).expect("a file");
        let output = partita(&folder, &["propagate", "layer.mlir", "--json", "--plan", "plan.json"]);
        assert_eq!(output.status.code(), Some(1), "{plan}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["error"]["message"], message);
        assert!(json["error"]["fix"].is_string(), "{plan}");
    }
}

#[test]
fn every_bad_sharding_names_tensor_dimension_axis_and_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |mesh: &str, sharding: &str| {
        format!(
            "sdy.mesh @m = <{mesh}>\nfunc.func @main(%arg0: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, {sharding}>}}) {{ return }}\n"
        )
    };
    let (tensor, none) = (Value::from("%arg0"), Value::Null);
    for (what, mesh, sharding, value, dimension, axis) in [
        ("an unknown axis", r#"["x"=4]"#, r#"[{}, {"y"}]"#, &tensor, Value::from(1), Value::from("y")),
        ("an axis used twice", r#"["x"=4]"#, r#"[{"x"}, {"x"}]"#, &tensor, Value::from(1), Value::from("x")),
        (
            "overlapping parts",
            r#"["x"=8]"#,
            r#"[{"x":(1)4}, {"x":(2)4}]"#,
            &tensor,
            Value::from(1),
            Value::from("x"),
        ),
        (
            "a part there is not",
            r#"["x"=4]"#,
            r#"[{"x":(4)4}, {}]"#,
            &tensor,
            Value::from(0),
            Value::from("x"),
        ),
        (
            "parts that cross",
            r#"["x"=6]"#,
            r#"[{"x":(1)2}, {"x":(3)2}]"#,
            &tensor,
            Value::from(1),
            Value::from("x"),
        ),
        ("the wrong rank", r#"["x"=4]"#, r#"[{"x"}]"#, &tensor, none.clone(), none.clone()),
        (
            "device ids that do not fit",
            r#"["x"=4], device_ids=[0, 1]"#,
            r#"[{"x"}, {}]"#,
            &none,
            none.clone(),
            none.clone(),
        ),
        (
            "device ids twice",
            r#"["x"=2], device_ids=[1, 1]"#,
            r#"[{"x"}, {}]"#,
            &none,
            none.clone(),
            none.clone(),
        ),
    ] {
        fs::write(folder.path().join("bad.mlir"), program(mesh, sharding)).expect("a file");
        let output = partita(&folder, &["propagate", "bad.mlir", "--json"]);
        assert_eq!(output.status.code(), Some(1), "{what}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let error = &json["error"];
        assert_eq!(
            (&error["value"], &error["dimension"], &error["axis"]),
            (value, &dimension, &axis),
            "{what}: {error}"
        );
        assert!(error["fix"].is_string() && error["line"].is_number(), "{what}: {error}");
    }
}
