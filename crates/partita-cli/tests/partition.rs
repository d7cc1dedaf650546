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
