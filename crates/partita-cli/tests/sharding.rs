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
    let meshless = ["propagate", "layer.mlir", "--json", "--shard", "arg1=_,model"];
    assert_eq!(failure(&meshless, 1)["message"], "the program names no mesh");
    let nowhere = ["explain", "layer.mlir", "%9", "--json", "--mesh", "x=2"];
    assert_eq!(failure(&nowhere, 1)["message"], "the program has no value `%9`");
    failure(&["propagate", "layer.mlir", "--json", "--boundary", "shut"], 2);
}
