//! `partita simulate`, and the profile that `partita partition` weighs its choices by.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A product that is summed over the axis "model".
const LAYER: &str = r#"sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
    %arg0: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
    %arg1: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
"#;

/// A device of one's own.
const DEVICE: &str = r#"name = "mine"
[compute]
matrix = { bf16 = 1e12 }
vector = 1e11
[memory]
size = 1e9
bandwidth = 1e11
[network]
[[network.level]]
name = "ring"
torus = [8]
wrap = 8
bandwidth = 1e9
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("p.mlir"), LAYER).expect("a file");
        fs::write(folder.path().join("mine.toml"), DEVICE).expect("a file");
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn partita(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        command.args(args).current_dir(self.folder.path()).output().expect("the command runs")
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let output = self.partita(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// What a command says that refuses its input.
    #[track_caller]
    fn refuses(&self, args: &[&str]) -> String {
        let output = self.partita(args);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).expect("text")
    }
}

fn number(object: &Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("{key} of {object}"))
}

#[test]
fn a_program_is_simulated_where_it_was_never_run() {
    let place = Place::new();
    let said = place.json(&["simulate", "p.mlir", "--device", "mine.toml", "--tokens", "1000"]);
    // 4096³ multiplications and additions, an eighth on each device; half of the result all-reduced over four, on a line.
    let compute = 2.0 * 4096f64.powi(3) / 8.0 / 1e12;
    let sent = 2.0 * 2.0 * 4096.0 * 2048.0 * 0.75 / 1e9;
    assert!((number(&said, "compute_seconds") / compute - 1.0).abs() < 1e-9, "{said}");
    assert!((number(&said, "communication_seconds") / sent - 1.0).abs() < 1e-9, "{said}");
    let step = number(&said, "step_seconds");
    assert!((step / (compute + sent) - 1.0).abs() < 1e-9);
    assert!((number(&said, "exposed_communication_seconds") / sent - 1.0).abs() < 1e-9);
    assert!((number(&said, "tokens_per_second") * step / 1000.0 - 1.0).abs() < 1e-9);
    assert!((number(&said, "model_flops_utilization") / (compute / step) - 1.0).abs() < 1e-9);
    assert_eq!(said["model_flops_utilization"], said["hardware_flops_utilization"]);
    // What `partition` says is there as well.
    assert_eq!(said["collectives"][0]["kind"], "all_reduce");
    assert_eq!(said["peak_memory"], said["memory"]["peak"]);
}

#[test]
fn the_summary_names_what_takes_longest() {
    let place = Place::new();
    let output = place.partita(&["simulate", "p.mlir", "--device", "tpu-v4"]);
    let text = String::from_utf8(output.stdout).expect("text");
    for part in
        ["step ", "8 devices of TPU v4", "utilization", "memory", "32.0 GiB", "dot_general", "all_reduce"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_partition_wrote_is_simulated_as_it_is() {
    let place = Place::new();
    let whole = place.json(&["simulate", "p.mlir", "--device", "h100"]);
    place.json(&["partition", "p.mlir", "--device", "h100", "-o", "q.mlir"]);
    let written = place.json(&["simulate", "q.mlir", "--device", "h100"]);
    assert_eq!(whole["step_seconds"], written["step_seconds"]);
    assert_eq!(written["devices"], 8);
    let output = place.partita(&["simulate", "q.mlir", "--device", "h100", "--mesh", "data=8"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_trace_has_lanes_for_the_device_and_the_network() {
    let place = Place::new();
    place.json(&["simulate", "p.mlir", "--device", "h100", "--trace", "trace.json"]);
    let trace: Value = serde_json::from_str(&fs::read_to_string(place.path("trace.json")).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| events.iter().any(|e| e["args"]["name"] == name);
    assert!(named("compute") && named("nvlink 0"));
    let reduced = events.iter().find(|e| e["name"] == "all_reduce").unwrap();
    assert!(reduced["ts"].as_f64() > Some(0.0) && reduced["dur"].as_f64() > Some(0.0));
}

#[test]
fn a_sweep_tries_every_mesh_of_as_many_devices() {
    let place = Place::new();
    let said = place.json(&["simulate", "p.mlir", "--device", "tpu-v4", "--sweep", "mesh"]);
    let meshes = said["sweep"].as_array().unwrap();
    assert_eq!(meshes.len(), 4);
    let seconds: Vec<f64> = meshes.iter().map(|m| number(m, "step_seconds")).collect();
    assert!(seconds.is_sorted(), "{seconds:?}");
    // Without sums there is nothing to send.
    assert_eq!(meshes[0]["mesh"][1][1], 1);
}

#[test]
fn a_sweep_splits_the_state_of_the_optimizer_where_it_is_told_to() {
    let place = Place::new();
    let file = format!("{}/../../examples/tiny/decoder_unrolled.data.sdy.mlir", env!("CARGO_MANIFEST_DIR"));
    let held = |args: &[&str]| {
        let said =
            place.json(&[&["simulate", &file, "--device", "tpu-v4", "--sweep", "mesh"], args].concat());
        number(&said["sweep"][0], "peak_memory")
    };
    assert!(held(&["--zero"]) < held(&[]));
}

#[test]
fn axes_lie_where_the_user_says() {
    let place = Place::new();
    let inside =
        ["simulate", "p.mlir", "--device", "h100", "--mesh", "data=4,model=8", "--layout", "data=1,model=0"];
    let across = [
        "simulate",
        "p.mlir",
        "--device",
        "h100",
        "--mesh",
        "data=4,model=8",
        "--layout",
        "data=0,model=0+1",
    ];
    let seconds = |args: &[&str]| number(&place.json(args), "communication_seconds");
    assert!(seconds(&inside) < seconds(&across));
    let said = place.refuses(&["simulate", "p.mlir", "--device", "h100", "--layout", "data=2,model=0"]);
    assert!(said.contains("`data=2` is no part of a layout"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_with_the_numbers() {
    let place = Place::new();
    let refused = |args: &[&str]| place.refuses(&[&["simulate", "p.mlir"], args].concat());
    // A device that is not known.
    let said = refused(&["--device", "tpu-v9"]);
    assert!(said.contains("no device `tpu-v9`") && said.contains("tpu-v4"), "{said}");
    // A profile with a missing number, and with an absurd one: where it stands.
    fs::write(place.path("less.toml"), DEVICE.replace("vector = 1e11\n", "")).unwrap();
    let said = refused(&["--device", "less.toml"]);
    assert!(said.contains("`vector` is missing in compute") && said.contains("less.toml:2"), "{said}");
    fs::write(place.path("odd.toml"), DEVICE.replace("bandwidth = 1e9", "bandwidth = 1e99")).unwrap();
    let said = refused(&["--device", "odd.toml"]);
    assert!(said.contains("`bandwidth` is 1e99") && said.contains("odd.toml:13"), "{said}");
    // A mesh that does not fit the topology.
    let said = refused(&["--device", "mine.toml", "--mesh", "data=4,model=4"]);
    assert!(said.contains("data=4,model=4 of 16 devices") && said.contains("8 devices at most"), "{said}");
    let said = refused(&["--device", "tpu-v4", "--topology", "4x4x4"]);
    assert!(said.contains("of 8 devices does not fit") && said.contains("4x4x4"), "{said}");
    // A plan that does not fit the memory.
    let said = refused(&["--device", "mine.toml", "--memory-limit", "10M"]);
    assert!(said.contains("MiB on every device") && said.contains("10.0 MiB of mine"), "{said}");
    // No device.
    assert_eq!(place.partita(&["simulate", "p.mlir"]).status.code(), Some(2));
}

#[test]
fn what_splitting_the_state_of_the_optimizer_would_save_is_said() {
    let place = Place::new();
    let step = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/optimise/weight_update.mlir");
    let whole = place.json(&["simulate", step, "--device", "tpu-v4"]);
    // Momentum of 512 bytes over four devices.
    assert_eq!(whole["zero_saves"], 384);
    let split = place.json(&["simulate", step, "--device", "tpu-v4", "--zero"]);
    assert_eq!(split["zero_saves"], 0);
    assert!(number(&split, "peak_memory") < number(&whole, "peak_memory"), "{split}");
}
