//! The commands that write and run the program of one device.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A product that is summed over the axis "model", in an uneven batch.
const LAYER: &str = r#"sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
    %arg0: tensor<7x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
    %arg1: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
"#;

/// The program of one device, as others write it.
const FOREIGN: &str = r#"module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(program: &str) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("p.mlir"), program).expect("a file");
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn partita(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_partita"))
            .args(args)
            .current_dir(self.folder.path())
            .output()
            .expect("the command runs")
    }

    /// Standard output of a command that succeeds.
    #[track_caller]
    fn succeeds(&self, args: &[&str]) -> String {
        let output = self.partita(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The JSON of a command that succeeds.
    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.succeeds(&all)).expect("JSON")
    }

    /// The error of a command that fails.
    #[track_caller]
    fn fails(&self, args: &[&str], code: i32) -> Value {
        let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.partita(&all);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["error"].clone()
    }
}

#[test]
fn the_program_of_one_device_knows_its_global_arrays() {
    let place = Place::new(LAYER);
    place.succeeds(&["partition", "p.mlir", "-o", "out.mlir"]);
    let text = place.read("out.mlir");
    for part in [
        "mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32",
        r#"partita.mesh = "<[\22data\22=2, \22model\22=4]>""#,
        r#"%arg0: tensor<4x4xf32> {partita.global_type = tensor<7x16xf32>, partita.sharding = "<@mesh, [{\22data\22}, {\22model\22}]>"}"#,
        r#"-> (tensor<4x6xf32> {partita.global_type = tensor<7x6xf32>"#,
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains("sdy.") && !text.contains("mhlo.sharding"), "{text}");
}

#[test]
fn a_partitioned_program_runs_on_its_devices_from_global_arrays_to_global_arrays() {
    let place = Place::new(LAYER);
    place.succeeds(&["partition", "p.mlir", "-o", "out.mlir"]);
    let one = place.json(&["run", "p.mlir", "--seed", "3"]);
    let written = place.json(&["run", "out.mlir", "--seed", "3", "--outputs", "out.npz"]);
    let direct = place.json(&["run", "p.mlir", "--seed", "3", "--spmd"]);
    assert_eq!((&one["devices"], &written["devices"], &direct["devices"]), (&1.into(), &8.into(), &8.into()));
    assert_eq!(one["results"][0]["type"], "tensor<7x6xf32>");
    // The inputs are small exact values, so that the order of a sum does not matter.
    assert_eq!(one["results"], written["results"]);
    assert_eq!(one["results"], direct["results"]);
    assert!(place.path("out.npz").is_file());
}

#[test]
fn shardings_of_a_run_come_from_the_command_line_too() {
    let bare = LAYER.lines().skip(1).collect::<Vec<_>>().join("\n");
    let bare = bare.replace(r#" {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}"#, "");
    let bare = bare.replace(r#" {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}"#, "");
    let bare = bare.replace(r#" {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}"#, "");
    let place = Place::new(&bare);
    let run = place.json(&["run", "p.mlir", "--spmd", "--mesh", "x=3", "--shard", "arg0=x,_"]);
    assert_eq!(run["devices"], 3);
    assert_eq!(run["results"], place.json(&["run", "p.mlir"])["results"]);
    let error = place.fails(&["run", "p.mlir", "--mesh", "x=3"], 2);
    assert_eq!(error["fix"], "add `--spmd`");
}

#[test]
fn a_partitioned_program_is_not_partitioned_again() {
    let place = Place::new(LAYER);
    place.succeeds(&["partition", "p.mlir", "-o", "out.mlir"]);
    place.fails(&["run", "out.mlir", "--spmd"], 2);
}

#[test]
fn foreign_programs_of_one_device_are_refused() {
    let place = Place::new(FOREIGN);
    let error = place.fails(&["run", "p.mlir"], 1);
    assert_eq!(error["code"], "per-device");
    assert_eq!(error["line"], 3);
    assert!(error["fix"].as_str().is_some_and(|fix| fix.contains("partita.global_type")), "{error}");
}

#[test]
fn attributes_that_do_not_fit_are_refused() {
    let place = Place::new(LAYER);
    place.succeeds(&["partition", "p.mlir", "-o", "out.mlir"]);
    let text = place.read("out.mlir");
    let broken =
        text.replace("partita.global_type = tensor<7x16xf32>", "partita.global_type = tensor<9x16xf32>");
    fs::write(place.path("broken.mlir"), broken).expect("a file");
    let message = place.fails(&["run", "broken.mlir"], 1)["message"].clone();
    assert_eq!(
        message,
        "argument 0 is `tensor<4x4xf32>`, but a shard of `tensor<9x16xf32>` as its sharding has it is `tensor<5x4xf32>`"
    );
    let broken = text.replace(", partita.sharding = \"<@mesh, [{\\22model\\22}, {}]>\"", "");
    fs::write(place.path("broken.mlir"), broken).expect("a file");
    let message = place.fails(&["run", "broken.mlir"], 1)["message"].clone();
    assert_eq!(message, "argument 1 of `@main` has no `partita.global_type` and `partita.sharding`");
}

/// A loop that gathers in every step.
const LOOP: &str = r#"sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.tanh %2 : tensor<8x8xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
"#;

/// Every key that a later reader may rely on.
#[test]
fn the_ledger_is_whole_as_json() {
    let place = Place::new(LAYER);
    let json = place.json(&["partition", "p.mlir", "--verify"]);
    assert_eq!(json["devices"], 8);
    assert_eq!(json["mesh"], serde_json::json!([["data", 2], ["model", 4]]));
    assert!(json["device_order"].is_null());
    let [entry] = json["collectives"].as_array().expect("a list").as_slice() else { panic!("{json}") };
    assert_eq!(entry["kind"], "all_reduce");
    assert_eq!(entry["axes"], serde_json::json!(["model"]));
    assert_eq!((&entry["group_size"], &entry["executions"]), (&4.into(), &1.into()));
    // A shard of 4x6 floats, padding included: 96 bytes, of which a ring sends 2·3/4.
    assert_eq!((&entry["operand_bytes"], &entry["result_bytes"]), (&96.into(), &96.into()));
    assert_eq!(entry["ring_bytes"], 144);
    assert_eq!(entry["value"], "%0");
    assert!(entry["reason"].as_str().is_some_and(|r| !r.is_empty()), "{entry}");
    assert_eq!(json["totals"]["by_kind"]["all_reduce"]["count"], 1);
    assert_eq!((&json["totals"]["ring_bytes"], &json["totals"]["payload_bytes"]), (&144.into(), &96.into()));
    // Shards of 4x4, 4x6 and 4x6 floats.
    assert_eq!((&json["memory"]["arguments"], &json["memory"]["results"]), (&160.into(), &96.into()));
    assert!(json["memory"]["peak"].as_u64().is_some_and(|p| p >= 256));
    assert_eq!(json["shardings"]["results"][0], r#"<@mesh, [{"data"}, {}]>"#);
    assert_eq!(json["replicated"], serde_json::json!([]));
    let verify = &json["verify"];
    assert_eq!((&verify["ok"], &verify["exact"]), (&true.into(), &true.into()));
    assert_eq!((&verify["max_abs_error"], &verify["worst"]), (&0.0.into(), &Value::Null));
    for phase in ["parse", "propagate", "partition", "optimise", "print"] {
        assert!(json["timing_us"][phase].is_u64(), "{phase}");
    }
}

#[test]
fn the_output_names_the_value_that_a_collective_makes() {
    let place = Place::new(LAYER);
    let json = place.json(&["partition", "p.mlir", "-o", "out.mlir"]);
    let made = json["collectives"][0]["output_value"].as_str().expect("a name");
    let text = place.read("out.mlir");
    assert!(text.contains(&format!("{made} = \"stablehlo.all_reduce\"")), "{made}\n{text}");
}

#[test]
fn collectives_in_loops_count_as_often_as_they_run() {
    let place = Place::new(LOOP);
    let json = place.json(&["partition", "p.mlir", "--verify"]);
    let inside: Vec<&Value> =
        json["collectives"].as_array().expect("a list").iter().filter(|c| c["executions"] == 6).collect();
    assert!(!inside.is_empty(), "{json}");
    for entry in inside {
        let bytes = |key: &str| entry[key].as_u64().expect("a number");
        let once = match entry["kind"].as_str() {
            Some("all_reduce") => bytes("operand_bytes"),
            Some("all_gather") => bytes("result_bytes") / 2,
            _ => bytes("operand_bytes") / 2,
        };
        assert_eq!(bytes("ring_bytes"), 6 * once, "{entry}");
    }
    assert_eq!(json["verify"]["exact"], false);
    assert_eq!(json["verify"]["ok"], true);
    // A loop that nobody can count counts once.
    let place = Place::new(&LOOP.replace(
        "%n = stablehlo.constant dense<6> : tensor<i32>",
        "%n = stablehlo.add %i, %i : tensor<i32>",
    ));
    let json = place.json(&["partition", "p.mlir"]);
    let unknown = |c: &&Value| c["executions"].is_null();
    assert!(json["collectives"].as_array().expect("a list").iter().any(|c| unknown(&c)), "{json}");
}

#[test]
fn the_table_fits_the_terminal() {
    let place = Place::new(LAYER);
    let text = place.succeeds(&["partition", "p.mlir", "--verify"]);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    for part in
        ["all_reduce", "model", "1 collective, 144 B sent per device", "memory per device", "verified: equal"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn stages_are_written_as_they_are() {
    let place = Place::new(LAYER);
    for (stage, part) in [
        ("parse", r#"sdy.mesh @mesh = <["data"=2, "model"=4]>"#),
        ("import", "sdy.sharding"),
        ("propagate", r#"stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding"#),
        ("partition", "partita.mesh"),
    ] {
        let text = place.succeeds(&["partition", "p.mlir", "--dump-after", stage]);
        assert!(text.contains(part), "{stage}: {part} is missing in\n{text}");
    }
    place.fails(&["partition", "p.mlir", "--dump-after", "parse"], 2);
    place.fails(&["partition", "p.mlir", "-o", "-"], 2);
}

#[test]
fn limits_name_the_collectives_at_fault() {
    let place = Place::new(LAYER);
    place.json(&["partition", "p.mlir", "--max-bytes", "144"]);
    let error = place.fails(&["partition", "p.mlir", "-o", "out.mlir", "--max-bytes", "143"], 1);
    assert_eq!(error["code"], "max-bytes");
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.starts_with("every device sends 144 bytes, more than 143: all_reduce of `%0` over model"),
        "{message}"
    );
    assert!(!place.path("out.mlir").exists());
}

#[test]
fn arguments_and_results_keep_orders_of_devices_that_no_mesh_has_together() {
    let place = Place::new(
        r#"func.func @main(
    %plain: tensor<8x4xi32> {mhlo.sharding = "{devices=[4,1]0,1,2,3}"},
    %turned: tensor<8x4xi32> {mhlo.sharding = "{devices=[4,1]1,0,2,3}"})
    -> (tensor<8x4xi32> {mhlo.sharding = "{devices=[4,1]0,2,3,1}"}) {
  %0 = stablehlo.add %plain, %turned {mhlo.sharding = "{devices=[4,1]2,3,1,0}"} : tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}
"#,
    );
    let report = place.json(&["partition", "p.mlir", "--verify", "-o", "out.mlir"]);
    assert_eq!(report["totals"]["by_kind"]["collective_permute"]["count"], 2);
    let text = place.read("out.mlir");
    for part in [
        "%turned: tensor<2x4xi32> {partita.devices = array<i64: 1, 0, 2, 3>",
        "source_target_pairs = dense<[[1, 0], [0, 1], [2, 2], [3, 3]]>",
        "source_target_pairs = dense<[[0, 0], [1, 2], [2, 3], [3, 1]]>",
        "(tensor<2x4xi32> {partita.devices = array<i64: 0, 2, 3, 1>",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn strict_refuses_ops_that_run_whole() {
    place_with_sort().json(&["partition", "p.mlir"]);
    let error = place_with_sort().fails(&["partition", "p.mlir", "--strict"], 1);
    assert_eq!(
        (&error["code"], &error["value"], &error["line"]),
        (&"strict".into(), &"%0".into(), &4.into())
    );
    Place::new(LAYER).json(&["partition", "p.mlir", "--strict"]);
}

#[test]
fn strict_refuses_values_that_are_replicated_on_the_way() {
    let place = Place::new(
        r#"sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y"}]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"#,
    );
    place.json(&["partition", "p.mlir"]);
    let error = place.fails(&["partition", "p.mlir", "--strict"], 1);
    assert_eq!(
        (&error["code"], &error["value"], &error["line"]),
        (&"strict".into(), &"%arg0".into(), &4.into())
    );
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("goes through full replication"), "{message}");
}

/// A program whose op is split along the only dimension that it must have whole.
fn place_with_sort() -> Place {
    Place::new(
        r#"sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @unknown(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"#,
    )
}

#[test]
fn verification_keeps_its_memory_limit() {
    let place = Place::new(LAYER);
    let error = place.fails(&["partition", "p.mlir", "--verify", "--memory-limit", "100"], 1);
    assert_eq!(error["code"], "memory");
    assert!(error["message"].as_str().is_some_and(|m| m.contains("KiB")), "{error}");
}

/// Summed in order this is 3, and in two halves 0: numbers of 64 bits round too, and nothing wider shows that it is only rounding.
const CANCELS: &str = r#"sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %zeros = stablehlo.constant dense<0.0> : tensor<8xf64>
  %large = stablehlo.constant dense<[1.0e16, 1.0, 1.0, 1.0, -1.0e16, 1.0, 1.0, 1.0]> : tensor<8xf64>
  %0 = stablehlo.multiply %arg0, %zeros : tensor<8xf64>
  %1 = stablehlo.add %0, %large : tensor<8xf64>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
"#;

#[test]
fn what_differs_is_told_and_not_written() {
    let place = Place::new(CANCELS);
    for words in [false, true] {
        let mut args = vec!["partition", "p.mlir", "--verify", "-o", "out.mlir"];
        args.extend((!words).then_some("--json"));
        let output = place.partita(&args);
        assert_eq!(output.status.code(), Some(1));
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&told["schema"], &told["devices"]), (&1.into(), &2.into()));
        let verify = &told["verify"];
        assert_eq!((&verify["ok"], &verify["proof"]), (&false.into(), &Value::Null), "{verify}");
        assert_eq!((&verify["worst"]["expected"], &verify["worst"]["found"]), (&3.0.into(), &0.0.into()));
        assert!(told["timing_us"]["verify"].is_u64() && told["collectives"].is_array(), "{told}");
        assert!(!place.path("out.mlir").exists());
    }
}

/// Two sums whose parts lie on several devices, one of them times infinity: they are combined once, after they are added.
const INFINITE: &str = r#"sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %arg1: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.reduce(%arg1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<3xf32>
  %2 = stablehlo.multiply %0, %inf : tensor<3xf32>
  %3 = stablehlo.add %1, %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
"#;

#[test]
fn a_difference_that_follows_from_an_infinity_is_told_as_such() {
    let place = Place::new(INFINITE);
    let output = place.partita(&["partition", "p.mlir", "--verify", "--seed", "3"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["verify"]["ok"], false);
    assert_eq!(json["verify"]["unpromised"], true);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("follows from an infinity or a NaN"), "{told}");
}

#[test]
fn a_plan_says_what_annotations_say() {
    let plain = r#"func.func @main(%arg0: tensor<7x16xf32>, %arg1: tensor<16x6xf32>) -> tensor<7x6xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}
"#;
    let annotated = Place::new(LAYER).json(&["partition", "p.mlir", "--verify"]);
    let place = Place::new(plain);
    let plan = r#"{"mesh": [["data", 2], ["model", 4]], "arguments": {"arg0": "data,model", "arg1": "model,_"},
      "results": {"result0": "data,_"}, "constraints": [{"value": "%0", "location": "layer.py:3", "spec": "data,_"}]}"#;
    fs::write(place.path("plan.json"), plan).expect("a file");
    let planned = place.json(&["partition", "p.mlir", "--verify", "--plan", "plan.json", "-o", "out.mlir"]);
    assert_eq!(planned["verify"]["ok"], true);
    for key in ["devices", "mesh", "totals", "memory", "shardings"] {
        assert_eq!(planned[key], annotated[key], "{key}");
    }
    assert!(place.read("out.mlir").contains("partita.mesh"));
    let error = place.fails(&["partition", "p.mlir", "--plan", "none.json"], 1);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("none.json")), "{error}");
}

/// A chain of ops on elements.
const CHAIN: &str = r#"func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = func.call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"#;

#[test]
fn a_sharding_of_a_value_holds_between_others() {
    let place = Place::new(CHAIN);
    let shards = ["--mesh", "x=2", "--shard", "arg0=x,_", "--shard", "@f:%0=_,x", "--shard", "result0=x,_"];
    let json = place.json(&[&["partition", "p.mlir", "--verify"], &shards[..]].concat());
    assert_eq!(json["verify"]["ok"], true);
    let collectives = json["collectives"].as_array().expect("a list");
    let constrained: Vec<&Value> = collectives
        .iter()
        .filter(|c| c["reason"].as_str().is_some_and(|r| r.starts_with("sharding_constraint: ")))
        .collect();
    assert_eq!(constrained.len(), 1, "{json}");
    assert_eq!(constrained[0]["value"], "@f:%0");
    assert_eq!(constrained[0]["kind"], "all_to_all");
    // `explain` is about the constrained value, which its uses read.
    let explained = place.json(&[&["explain", "p.mlir", "@f:%0"], &shards[..]].concat());
    assert_eq!(explained["value"], "@f:%0");
    assert_eq!(explained["sharding"], r#"<@mesh, [{}, {"x"}]>"#);
    let open = ["--mesh", "x=2", "--shard", "arg0=x,_", "--shard", "@f:%0=?,x", "--complete", "propagate"];
    let explained = place.json(&[&["explain", "p.mlir", "@f:%0"], &open[..]].concat());
    assert_eq!(explained["sharding"], r#"<@mesh, [{}, {"x"}]>"#);
}

#[test]
fn constraints_of_a_plan_stay_annotations() {
    let place = Place::new(CHAIN);
    let plan = r#"{"mesh": [["x", 2]], "arguments": {"arg0": "x,_"}, "constraints": [{"value": "@f:%0", "spec": "_,x"}]}"#;
    fs::write(place.path("plan.json"), plan).expect("a file");
    let command = ["partition", "p.mlir", "--dump-after", "import"];
    let annotated = place.succeeds(&[&command[..], &["--plan", "plan.json"]].concat());
    assert!(!annotated.contains("sdy.sharding_constraint"), "{annotated}");
    let shards = ["--mesh", "x=2", "--shard", "@f:%0=_,x"];
    let constrained = place.succeeds(&[&command[..], &shards].concat());
    assert!(constrained.contains(r#"sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]>"#), "{constrained}");
    // What the option says must not contradict the plan.
    let against = ["partition", "p.mlir", "--plan", "plan.json", "--shard", "@f:%0=x,_"];
    let error = place.fails(&against, 1);
    let message = error["message"].as_str().expect("a message");
    assert!(message.ends_with("contradicts the annotation it has already"), "{message}");
}

#[test]
fn values_that_cannot_be_constrained_are_refused() {
    let program = r#"func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%1: tensor<f32>, %2: tensor<f32>) {
    %3 = stablehlo.add %1, %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
"#;
    let place = Place::new(program);
    let command = ["partition", "p.mlir", "--mesh", "x=2", "--shard"];
    let error = place.fails(&[&command[..], &["%3="]].concat(), 1);
    assert_eq!((&error["line"], &error["value"]), (&4.into(), &"%3".into()), "{error}");
    assert_eq!(error["fix"], "name an operand or a result of the `stablehlo.reduce`");
    let error = place.fails(&[&command[..], &["%9=x"]].concat(), 1);
    assert_eq!(error["message"], "`%9` in `--shard %9=x` matches no tensor");
}

/// The path of a program with a few annotations.
fn bare(name: &str) -> String {
    format!("{}/../../tests/complete/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn shardings_are_completed_by_cost_and_say_so() {
    let place = Place::new(LAYER);
    let file = bare("fsdp_embedding.mlir");
    let bytes = |args: &[&str]| {
        let json: Value = serde_json::from_str(&place.succeeds(args)).expect("JSON");
        (json["totals"]["ring_bytes"].as_u64().expect("a number"), json["completion"].clone())
    };
    let (by_cost, completion) = bytes(&["partition", &file, "--json", "--verify"]);
    let (propagated, none) = bytes(&["partition", &file, "--complete", "propagate", "--json"]);
    assert!(by_cost < propagated, "{by_cost} {propagated}");
    assert_eq!(completion["decision"]["chosen"]["ring_bytes"], by_cost);
    assert_eq!(completion["decision"]["propagated"]["ring_bytes"], propagated);
    let runner_up = &completion["decision"]["runner_up"];
    let sends = runner_up["ring_bytes"].as_u64().expect("a number");
    assert!(by_cost <= sends && sends <= propagated, "{runner_up}");
    for figure in ["peak_memory", "compute_seconds", "by"] {
        assert!(!runner_up[figure].is_null(), "{runner_up}");
    }
    assert!(none["decision"].is_null());
    let (with_effort, _) = bytes(&["partition", &file, "--effort", "4", "--json", "--verify"]);
    assert!(with_effort <= by_cost, "{with_effort} {by_cost}");
    let refused = place.fails(&["partition", &file, "--effort", "4", "--complete", "propagate"], 2);
    assert_eq!(refused["message"], "`--effort` is for `--complete cost`");
    let explained = place.succeeds(&["explain", &file, "%2"]);
    assert!(
        explained.contains("chosen by cost") && explained.contains("by propagation alone"),
        "{explained}"
    );
}

#[test]
fn weights_are_gathered_again_where_memory_is_short() {
    let place = Place::new(LAYER);
    let file = format!("{}/../../examples/tiny/decoder_unrolled.fsdp.sdy.mlir", env!("CARGO_MANIFEST_DIR"));
    let run = |args: &[&str]| {
        let text = place.succeeds(&[&["partition", &file, "--json", "--verify"], args].concat());
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["verify"]["ok"], true);
        let gathers = json["totals"]["by_kind"]["all_gather"]["executions"].as_u64().expect("a number");
        (json["memory"]["peak"].as_u64().expect("a number"), gathers)
    };
    let (peak, gathers) = run(&[]);
    let limit = peak * 6 / 10;
    let (less, more) = run(&["--memory", &limit.to_string()]);
    assert!(less <= limit && more > gathers, "{less} of {limit}, {gathers} and {more} gathers");
    let simulated = |args: &[&str]| {
        let said = place.json(&[&["simulate", &file, "--device", "tpu-v4"], args].concat());
        said["peak_memory"].as_u64().expect("a number")
    };
    let (roomy, short) = (simulated(&[]), simulated(&["--memory", &limit.to_string()]));
    assert!(short <= limit && limit < roomy, "{short} of {limit}, {roomy}");
    let results = |args: &[&str]| place.json(&[&["run", &file, "--spmd"], args].concat())["results"].clone();
    assert_eq!(results(&["--memory", &limit.to_string()]), results(&[]));
    let output = place.partita(&["partition", &file, "--memory", "1K"]);
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && note.contains("more than `--memory` allows (1.0 KiB)"), "{note}");
}

#[test]
fn a_saved_plan_gives_the_same_program_again() {
    let place = Place::new(LAYER);
    for name in ["fsdp_embedding.mlir", "muon.mlir", "agreement.mlir"] {
        let file = bare(name);
        place.succeeds(&["partition", &file, "-o", "first.mlir", "--save-plan", "plan.json"]);
        place.succeeds(&["partition", &file, "-o", "again.mlir", "--plan", "plan.json"]);
        assert_eq!(place.read("first.mlir"), place.read("again.mlir"), "{name}");
    }
    let plan = r#"{"choices": [{"value": "%99", "spec": "data"}], "complete": "propagate"}"#;
    fs::write(place.path("other.json"), plan).expect("a file");
    let output = place.partita(&["partition", "p.mlir", "--plan", "other.json"]);
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("which the program does not have"), "{error}");
}
