//! The command as users meet it: exit codes, messages, files.

use expect_test::expect;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const ADD: &str = "\
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
";

const CHECKS: &str = "\
func.func @good() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  return
}
func.func @bad() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi32>
  return
}
";

/// A folder of its own, with the program run in it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a file");
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn partita(&self, args: &[&str]) -> Outcome {
        self.partita_with(args, b"")
    }

    fn partita_with(&self, args: &[&str], stdin: &[u8]) -> Outcome {
        let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
            .args(args)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        // A command that fails early does not read its input.
        let _ = child.stdin.take().expect("piped").write_all(stdin);
        Outcome::from(child.wait_with_output().expect("the command ends"))
    }
}

struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Outcome {
    #[track_caller]
    fn succeeds(self) -> Outcome {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    fn fails(self, code: i32) -> Outcome {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Standard output, which must be one JSON object.
    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

#[test]
fn check_accepts_a_sound_program() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    let outcome = place.partita(&["check", "add.mlir"]).succeeds();
    assert_eq!(outcome.stdout, "add.mlir: ok, 1 function with 2 operations\n");
    assert_eq!(outcome.stderr, "");
    let json = place.partita(&["check", "add.mlir", "--json"]).succeeds().json();
    assert_eq!((&json["schema"], &json["ok"]), (&1.into(), &true.into()));
    assert_eq!((&json["functions"], &json["ops"]), (&1.into(), &2.into()));
    assert!(json["timing_us"]["parse"].is_u64() && json["timing_us"]["verify"].is_u64());
}

#[test]
fn diagnostics_show_the_line_the_spot_and_the_fix() {
    let place = Place::new();
    place.file("bad.mlir", ADD.replace("%arg1 :", "%arg7 :").replace("return %0", "stablehlo.retrun %0"));
    let outcome = place.partita(&["check", "bad.mlir"]).fails(1);
    assert_eq!(outcome.stdout, "");
    expect![[r#"
        error: `%arg7` is not defined here
         --> bad.mlir:2:29
          |
        2 |   %0 = stablehlo.add %arg0, %arg7 : tensor<2x3xf32>
          |                             ^^^^^ used here
          |
          = help: define it before this line; values of a region are not visible outside it

        error: `stablehlo.retrun` is not an operation Partita knows
         --> bad.mlir:3:3
          |
        3 |   stablehlo.retrun %0 : tensor<2x3xf32>
          |   ^^^^^^^^^^^^^^^^
          |
          = help: did you mean `stablehlo.return`?

        2 errors
    "#]]
    .assert_eq(&outcome.stderr);
}

#[test]
fn json_errors_have_every_key() {
    let place = Place::new();
    place.file("bad.mlir", ADD.replace("%arg1 :", "%arg7 :"));
    let outcome = place.partita(&["--json", "check", "bad.mlir"]).fails(1);
    assert_eq!(outcome.stderr, "");
    let json = outcome.json();
    assert_eq!(json["schema"], 1);
    let error = json["error"].as_object().expect("an object");
    let keys: Vec<&str> = error.keys().map(String::as_str).collect();
    assert_eq!(keys, ["code", "message", "file", "line", "column", "value", "dimension", "axis", "fix"]);
    assert_eq!(
        (&error["file"], &error["line"], &error["column"]),
        (&"bad.mlir".into(), &2.into(), &29.into())
    );
    assert_eq!(json["errors"][0], json["error"]);
}

#[test]
fn wrong_usage_exits_2() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    for args in [
        &["chek", "add.mlir"][..],
        &[],
        &["check"],
        &["check", "add.mlir", "--nonsense"],
        &["run", "add.mlir", "--seed", "x"],
        &["run", "add.mlir", "--memory-limit", "8X"],
        &["run", "add.mlir", "--engine", "pjrt", "--profile"],
        &["run", "add.mlir", "--plugin", "x.so"],
        &["auto", "add.mlir", "--mesh", "x=2", "--plugin", "x.so"],
        &["auto", "add.mlir", "--mesh", "x=2", "--measure", "0"],
        &["run", "-", "--inputs", "-"],
        &["fmt", "add.mlir", "--json"],
    ] {
        let outcome = place.partita(args).fails(2);
        assert!(outcome.stdout.is_empty() || args.contains(&"--json"), "{args:?}: {}", outcome.stdout);
        let mut args = args.to_vec();
        args.push("--json");
        args.dedup();
        let json = place.partita(&args).fails(2).json();
        assert_eq!(json["error"]["code"], "usage", "{args:?}");
        assert!(json["error"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{args:?}");
    }
    assert!(place.partita(&["--help"]).succeeds().stdout.contains("check"));
    assert!(place.partita(&["run", "--help"]).succeeds().stdout.contains("reference interpreter"));
    assert!(place.partita(&["--version"]).succeeds().stdout.starts_with("partita "));
}

#[test]
fn files_that_are_no_plugins_are_refused() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    place.file("text.so", b"not a shared library");
    for plugin in ["missing.so", "text.so"] {
        let args = ["run", "add.mlir", "--engine", "pjrt", "--plugin", plugin, "--json"];
        let timed = ["auto", "add.mlir", "--mesh", "x=2", "--measure", "2", "--plugin", plugin, "--json"];
        for args in [&args[..], &timed] {
            let json = place.partita(args).fails(1).json();
            assert_eq!(json["error"]["code"], "plugin");
            assert!(json["error"]["message"].as_str().is_some_and(|m| m.contains(plugin)), "{json}");
        }
    }
}

#[test]
fn files_that_are_no_programs_are_refused() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).expect("a folder");
    place.file("latin.mlir", b"// a\n// caf\xe9\n");
    place.file("program.mlirbc", b"ML\xefR\x06StableHLO");
    let code = |name: &str| {
        let json = place.partita(&["check", name, "--json"]).fails(1).json();
        json["error"]["code"].as_str().expect("a code").to_string()
    };
    assert_eq!(code("missing.mlir"), "io");
    assert_eq!(code("folder"), "io");
    assert_eq!(code("program.mlirbc"), "bytecode");
    let json = place.partita(&["check", "latin.mlir", "--json"]).fails(1).json();
    let error = &json["error"];
    assert_eq!(error["code"], "not-utf8");
    assert_eq!((&error["line"], &error["column"]), (&2.into(), &7.into()));
    assert!(error["message"].as_str().is_some_and(|m| m.contains("byte 11")), "{error}");
}

#[test]
fn fmt_prints_to_standard_output_or_a_file() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    let printed = place.partita(&["fmt", "add.mlir"]).succeeds().stdout;
    assert!(printed.starts_with("module {\n"), "{printed}");
    assert_eq!(place.partita_with(&["fmt", "-"], printed.as_bytes()).succeeds().stdout, printed);
    place.partita(&["fmt", "add.mlir", "-o", "add.mlir"]).succeeds();
    assert_eq!(fs::read_to_string(place.path("add.mlir")).expect("written"), printed);
    let generic = place.partita(&["fmt", "add.mlir", "--generic"]).succeeds().stdout;
    assert!(generic.contains("\"stablehlo.add\"(%arg0, %arg1)"), "{generic}");
    let json = place.partita(&["fmt", "add.mlir", "-o", "out.mlir", "--json"]).succeeds().json();
    assert_eq!(json["bytes"], printed.len());
    assert_eq!(place.names(), ["add.mlir", "out.mlir"]);
}

#[test]
fn nothing_is_written_on_failure() {
    let place = Place::new();
    place.file("bad.mlir", ADD.replace("%arg1 :", "%arg7 :"));
    place.file("add.mlir", ADD);
    place.file("checks.mlir", CHECKS);
    place.file("old.npz", "precious");
    place.partita(&["fmt", "bad.mlir", "-o", "out.mlir"]).fails(1);
    place.partita(&["run", "bad.mlir", "--outputs", "out.npz"]).fails(1);
    place.partita(&["run", "checks.mlir", "--outputs", "old.npz"]).fails(1);
    place.partita(&["fmt", "add.mlir", "-o", "nowhere/out.mlir"]).fails(1);
    assert_eq!(place.names(), ["add.mlir", "bad.mlir", "checks.mlir", "old.npz"]);
    assert_eq!(fs::read_to_string(place.path("old.npz")).expect("kept"), "precious");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_links_are_written_through() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    place.file("target.mlir", "old");
    std::os::unix::fs::symlink("target.mlir", place.path("link.mlir")).expect("a link");
    place.partita(&["fmt", "add.mlir", "-o", "link.mlir"]).succeeds();
    assert!(fs::symlink_metadata(place.path("link.mlir")).expect("a link").is_symlink());
    assert!(fs::read_to_string(place.path("target.mlir")).expect("written").starts_with("module"));
    place.partita(&["fmt", "add.mlir", "-o", "/dev/null"]).succeeds();
    let outcome = place.partita(&["fmt", "add.mlir", "-o", "/dev/full"]).fails(1);
    assert!(outcome.stderr.contains("cannot write `/dev/full`"), "{}", outcome.stderr);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    let mut text = String::from("func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n");
    for i in 0..20_000 {
        text.push_str(&format!("  %{i} = stablehlo.add %arg0, %arg0 : tensor<f32>\n"));
    }
    text.push_str("  return %arg0 : tensor<f32>\n}\n");
    let path = place.file("long.mlir", text);
    let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
        .arg("fmt")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Arrays that a first run made from a seed and a second run read.
#[test]
fn results_of_one_program_are_inputs_of_another() {
    let place = Place::new();
    place.file(
        "identity.mlir",
        "func.func @main(%arg0: tensor<2x3xf32>, %x: tensor<4xbf16>, %arg2: tensor<i1>) \
         -> (tensor<2x3xf32>, tensor<4xbf16>, tensor<i1>) {\n  \
         return %arg0, %x, %arg2 : tensor<2x3xf32>, tensor<4xbf16>, tensor<i1>\n}\n",
    );
    let run = |args: &[&str]| {
        let mut all = vec!["run", "identity.mlir", "--json"];
        all.extend(args);
        place.partita(&all).succeeds().json()["results"].clone()
    };
    let first = run(&["--seed", "7", "--outputs", "seven.npz"]);
    assert_eq!(first[1]["type"], "tensor<4xbf16>");
    assert_eq!(first, run(&["--seed", "7"]));
    assert_ne!(first, run(&["--seed", "8"]));
    // `out0`, `out1` and `out2` name no argument, so they are taken in order.
    assert_eq!(first, run(&["--seed", "8", "--inputs", "seven.npz"]));
    let notes = place.partita(&["run", "identity.mlir", "--inputs", "seven.npz"]).succeeds().stderr;
    assert!(notes.contains("by order it is `%x`"), "{notes}");
    let bytes = fs::read(place.path("seven.npz")).expect("written");
    run(&["--seed", "7", "--outputs", "again.npz"]);
    assert_eq!(fs::read(place.path("again.npz")).expect("written"), bytes, "the same bytes every time");
}

#[test]
fn inputs_of_another_type_are_refused() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    place.file("narrow.mlir", ADD.replace("2x3xf32", "2xf32"));
    place.partita(&["run", "narrow.mlir", "--outputs", "in.npz"]).succeeds();
    let outcome = place.partita(&["run", "add.mlir", "--inputs", "in.npz"]).fails(1);
    expect![[r#"
        error: the argument `%arg0` is `tensor<2x3xf32>`, but the array `out0` in `in.npz`, taken by order, is float32 of shape (2,)
         |
         = help: save it as float32 of shape (2, 3)
    "#]]
    .assert_eq(&outcome.stderr);
    place.file("broken.npz", "PK");
    let json = place.partita(&["run", "add.mlir", "--inputs", "broken.npz", "--json"]).fails(1).json();
    assert_eq!(json["error"]["code"], "npz");
    place.file("none.mlir", "func.func @main() {\n  return\n}\n");
    let json = place.partita(&["run", "none.mlir", "--inputs", "in.npz", "--json"]).fails(1).json();
    assert_eq!(json["error"]["fix"], "the function takes no arguments");
}

#[test]
fn run_shows_the_first_elements() {
    let place = Place::new();
    place.file(
        "constants.mlir",
        "func.func @main() -> (tensor<2x3xf32>, tensor<i32>) {\n  \
         %0 = stablehlo.constant dense<[[1.0, 2.5, -0.1], [0.0, 1.0e+30, 0x7F800000]]> : tensor<2x3xf32>\n  \
         %1 = stablehlo.constant dense<7> : tensor<i32>\n  \
         return %0, %1 : tensor<2x3xf32>, tensor<i32>\n}\n",
    );
    let outcome = place.partita(&["run", "constants.mlir"]).succeeds();
    expect![[r#"
        @main: ok
          out0: tensor<2x3xf32> = [1, 2.5, -0.1, 0, 1e30, inf]
          out1: tensor<i32> = 7
    "#]]
    .assert_eq(&outcome.stdout);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn without_main_every_function_without_arguments_runs() {
    let place = Place::new();
    place.file("checks.mlir", CHECKS);
    let outcome = place.partita(&["run", "checks.mlir"]).fails(1);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("checks.mlir:8:3"), "{}", outcome.stderr);
    let json = place.partita(&["run", "checks.mlir", "--json"]).fails(1).json();
    assert_eq!(json["error"]["code"], "check-failed");
    let json = place.partita(&["run", "checks.mlir", "--function", "good", "--json"]).succeeds().json();
    assert_eq!(json["functions"], serde_json::json!(["good"]));
    let json = place.partita(&["run", "checks.mlir", "--function", "@none", "--json"]).fails(1).json();
    assert_eq!(json["error"]["fix"], "the file has `@good`, `@bad`");
}

#[test]
fn programs_that_need_too_much_memory_are_refused() {
    let place = Place::new();
    place.file("add.mlir", ADD.replace("2x3xf32", "1000000x1000000xf32"));
    let json = place.partita(&["run", "add.mlir", "--memory-limit", "1G", "--json"]).fails(1).json();
    assert_eq!(json["error"]["code"], "memory");
    assert!(json["error"]["message"].as_str().is_some_and(|m| m.contains("1.0 GiB")), "{json}");
    // A function that calls itself cannot run, but its arguments are not made to find that out.
    let endless = "func.func @main(%arg0: tensor<1000000x1000000xf32>) {\n  \
                   call @main(%arg0) : (tensor<1000000x1000000xf32>) -> ()\n  return\n}\n";
    place.file("endless.mlir", endless);
    let json = place.partita(&["run", "endless.mlir", "--memory-limit", "1G", "--json"]).fails(1).json();
    assert_eq!(json["error"]["code"], "recursion");
}

#[test]
fn sizes_that_overflow_are_refused() {
    let place = Place::new();
    let huge = "tensor<576460752303423487xcomplex<f64>>";
    let programs = [
        format!("func.func @main(%arg0: {huge}, %arg1: {huge}, %arg2: {huge}) {{\n  return\n}}\n"),
        format!("func.func @main(%arg0: tuple<{huge}, {huge}, {huge}>) {{\n  return\n}}\n"),
        format!(
            "func.func @main() -> {huge} {{\n  %0 = stablehlo.iota dim = 0 : {huge}\n  return %0 : {huge}\n}}\n"
        ),
    ];
    for program in programs {
        place.file("huge.mlir", &program);
        let json = place.partita(&["run", "huge.mlir", "--json"]).fails(1).json();
        assert_eq!(json["error"]["code"], "memory", "{program}");
    }
}

#[test]
fn errors_name_the_line_of_the_model() {
    let place = Place::new();
    let line = "%0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>";
    place.file(
        "bad.mlir",
        format!(
            "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {{\n  \
             {line} loc(\"model.py\":31:8)\n  return\n}}\n"
        ),
    );
    let outcome = place.partita(&["check", "bad.mlir"]).fails(1);
    assert!(outcome.stderr.contains("from model.py:31:8"), "{}", outcome.stderr);
}

#[test]
fn profiles_count_executions() {
    let place = Place::new();
    place.file("add.mlir", ADD);
    let json = place.partita(&["run", "add.mlir", "--profile", "--json"]).succeeds().json();
    let kinds = json["profile"]["kinds"].as_array().expect("a list");
    let add = kinds.iter().find(|kind| kind["op"] == "stablehlo.add").expect("an addition");
    assert_eq!(add["executions"], 1);
    assert_eq!(json["profile"]["slowest"].as_array().map(Vec::len), Some(1));
    let outcome = place.partita(&["run", "add.mlir", "--profile"]).succeeds();
    assert!(outcome.stderr.contains("%0 = stablehlo.add"), "{}", outcome.stderr);
    assert!(!outcome.stdout.contains("executions"), "{}", outcome.stdout);
}

#[test]
fn traces_have_a_track_for_each_device() {
    let place = Place::new();
    place.file(
        "sum.mlir",
        "sdy.mesh @mesh = <[\"x\"=2]>
         func.func @main(%0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<f32> {
           %c = stablehlo.constant dense<0.0> : tensor<f32>
           %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
           return %1 : tensor<f32>
         }",
    );
    place.partita(&["run", "sum.mlir", "--spmd", "--profile=trace.json"]).succeeds();
    let text = std::fs::read_to_string(place.path("trace.json")).expect("a trace");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    for device in 0..2 {
        let of =
            |name: &str| events.iter().any(|e| e["tid"] == device && e["name"] == name && e["ph"] == "X");
        assert!(of("stablehlo.reduce") && of("stablehlo.all_reduce"), "{text}");
    }
    assert!(events.iter().any(|e| e["cat"] == "waiting"), "{text}");
}
