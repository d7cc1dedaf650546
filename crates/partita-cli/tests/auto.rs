//! `partita auto` as users meet it.
//!
//! `tests/auto` holds small programs. Lines `// auto: --mesh x=4` say how each is searched; the plans that must come of that stand in the file
//! with the ending `.out` beside it, which `PARTITA_UPDATE=1` writes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn partita(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_partita")).args(args).output().expect("the command runs")
}

#[track_caller]
fn json(args: &[&str]) -> Value {
    let output = partita(&[args, &["--json"]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {told}{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The message and the fix of a refusal.
#[track_caller]
fn refused(args: &[&str]) -> (String, String) {
    let output = partita(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |key: &str| json["error"][key].as_str().unwrap_or_default().to_string();
    (text("message"), text("fix"))
}

fn tiny(name: &str) -> String {
    folder("examples/tiny").join(format!("{name}.none.sdy.mlir")).display().to_string()
}

fn small(name: &str) -> String {
    folder("tests/auto").join(name).display().to_string()
}

#[test]
fn small_programs_have_the_plans_beside_them() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder("tests/auto"))
        .expect("the folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let mut plans = String::new();
        for options in text.lines().filter_map(|line| line.strip_prefix("// auto: ")) {
            let path = file.display().to_string();
            let found = json(&[&["auto", &*path], &options.split(' ').collect::<Vec<_>>()[..]].concat());
            plans.push_str(&format!("{options}\n"));
            for decision in found["decisions"].as_array().expect("a list") {
                plans.push_str(&format!("  {}\n", decision.as_str().expect("text")));
            }
            for part in ["arguments", "results"] {
                for (name, spec) in found["plan"][part].as_object().expect("names") {
                    plans.push_str(&format!("  {name} = {}\n", spec.as_str().expect("text")));
                }
            }
        }
        let beside = file.with_extension("out");
        if std::env::var_os("PARTITA_UPDATE").is_some() {
            std::fs::write(&beside, &plans).expect("written");
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        assert_eq!(plans, expected, "{}", file.display());
    }
}

#[test]
fn every_tactic_splits_what_it_says_and_the_program_stays_right() {
    let directory = tempfile::tempdir().expect("a folder");
    let file = directory.path().join("plan.json").display().to_string();
    for (example, mesh, tactics, expected) in [
        ("decoder_unrolled", "x=2", &["data:x"][..], &["batch['targets'] dim 0 over x"][..]),
        ("decoder_unrolled", "x=4", &["sequence:x"], &["batch['targets'] dim 1 over x"]),
        (
            "decoder_unrolled",
            "x=4",
            &["megatron:x"],
            &[
                "params['embedding'] dim 0 over x",
                "params['layer_0']['attention']['wk'] dim 1 over x",
                "params['layer_0']['mlp']['w1'] dim 1 over x",
            ],
        ),
        (
            "decoder_unrolled",
            "x=2",
            &["data:x", "zero1:x"],
            &["batch['targets'] dim 0 over x", "optimizer state over x"],
        ),
        (
            "decoder_unrolled",
            "x=2",
            &["data:x", "zero2:x"],
            &["batch['targets'] dim 0 over x", "optimizer state over x"],
        ),
        (
            "decoder_unrolled",
            "x=2",
            &["fsdp:x"],
            &["batch['targets'] dim 0 over x", "parameters and optimizer state over x"],
        ),
        ("decoder_unrolled", "x=2", &["zero3:x"], &["parameters and optimizer state over x"]),
        ("moe", "x=4", &["expert:x"], &["params['pairs']['experts']['gate'] dim 2 over x"]),
        ("pipeline_gpipe", "x=4", &["pipeline:x"], &["params['stages']['attention']['wk'] dim 0 over x"]),
        ("metnet", "x=2", &["spatial:x"], &["batch['maps'] dim 1 over x"]),
    ] {
        let program = tiny(example);
        let mut args = vec!["auto", &*program, "--mesh", mesh, "--margin", "0", "--save-plan", &*file];
        tactics.iter().for_each(|tactic| args.extend(["--tactic", *tactic]));
        let found = json(&args);
        let decisions: Vec<&str> =
            found["decisions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        for decision in expected {
            assert!(decisions.iter().any(|d| d.ends_with(decision)), "{example} {tactics:?}: {decisions:?}");
        }
        let verified = json(&["partition", &program, "--plan", &file, "--device", "tpu-v3", "--verify"]);
        assert_eq!(verified["verify"]["ok"], Value::Bool(true), "{example} {tactics:?}");
        assert_eq!(verified["totals"]["ring_bytes"], found["ring_bytes"], "{example} {tactics:?}");
    }
}

#[test]
fn json_has_the_plan_and_what_it_costs() {
    let found = json(&["auto", &small("step.mlir"), "--mesh", "data=2,model=4"]);
    for key in ["cost", "step_seconds", "compute_seconds", "communication_seconds", "seconds"] {
        assert!(found[key].as_f64().is_some_and(|n| n >= 0.0), "{key}: {}", found[key]);
    }
    for key in ["ring_bytes", "peak_memory", "evaluations", "judged"] {
        assert!(found[key].is_u64(), "{key}: {}", found[key]);
    }
    assert_eq!(found["stop_reason"], "exhausted");
    assert_eq!(found["mesh"], serde_json::json!([["data", 2], ["model", 4]]));
    assert!(found["plan"]["arguments"].is_object() && found["plan"]["results"].is_object());
    assert!(found["plan"]["constraints"].is_array());
    let others = found["alternatives"].as_array().expect("a list");
    assert!(!others.is_empty() && others.iter().all(|o| o["cost"].is_f64() && o["decisions"].is_array()));
}

#[test]
fn the_record_tells_a_ranker_what_it_sees_and_what_came_of_it() {
    let output =
        partita(&["auto", &small("step.mlir"), "--mesh", "data=2,model=4", "--record", "--lessons", "2"]);
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = lines.iter().find(|line| line["lessons"].is_array()).expect("lessons");
    let lessons = told["lessons"].as_array().expect("a list");
    assert_eq!(lessons.len(), 2);
    for lesson in lessons {
        assert!(lesson["cost"].as_f64().is_some_and(|cost| cost > 0.0));
        let (classes, moves) = (lesson["classes"].as_array(), lesson["moves"].as_array());
        assert!(classes.is_some_and(|list| !list.is_empty()) && moves.is_some_and(|list| !list.is_empty()));
    }
    // The quick judge looked at everything, the full one at one plan.
    assert_eq!(lines.iter().filter(|line| line["judged"].is_u64()).count(), 1);
}

#[test]
fn without_grouping_every_layer_has_decisions_of_its_own() {
    let decisions = |options: &[&str]| {
        let program = tiny("decoder_unrolled");
        let space = json(&[&["auto", &program, "--mesh", "x=2,y=4", "--space"], options].concat());
        space["decisions"].as_array().map_or(0, Vec::len)
    };
    assert!(decisions(&["--no-grouping"]) > decisions(&[]));
}

#[test]
fn a_decision_is_explained_by_what_the_next_best_would_cost() {
    let step = small("step.mlir");
    let saved = json(&["auto", &step, "--mesh", "data=2,model=4"]);
    let (name, spec) = saved["plan"]["arguments"].as_object().and_then(|all| all.iter().next()).expect("one");
    let output = partita(&["auto", &step, "--mesh", "data=2,model=4", "--explain", name]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&format!("{name} is {}", spec.as_str().expect("a spec"))), "{text}");
    assert!(text.contains("the best plan in which it is ") && text.contains(" ms a step: "), "{text}");
    let (message, _) = refused(&["auto", &step, "--mesh", "data=2,model=4", "--explain", "nothing"]);
    assert_eq!(message, "no plan says anything of `nothing`");
}

#[test]
fn bounds_leave_nothing_out_that_is_better() {
    let best = |options: &[&str]| {
        let found = json(&[&["auto", &small("step.mlir"), "--mesh", "data=2,model=4"], options].concat());
        (found["cost"].clone(), found["decisions"].clone())
    };
    assert_eq!(best(&[]), best(&["--no-bounds"]));
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let step = small("step.mlir");
    let (message, fix) = refused(&["auto", &step, "--mesh", "x=2", "--memory", "1000"]);
    assert!(message.starts_with("no plan that was found fits: the smallest holds"), "{message}");
    assert!(
        message.contains("more than the 1000 B it has") && fix.contains("devices would hold it"),
        "{message} {fix}"
    );
    let (message, fix) = refused(&["auto", &step, "--mesh", "x=2", "--tactic", "magic:x"]);
    assert_eq!(message, "there is no tactic `magic`");
    assert!(fix.starts_with("the tactics are data, megatron"), "{fix}");
    let (message, fix) = refused(&["auto", &step, "--mesh", "x=2", "--tactic", "data:y"]);
    assert_eq!(message, "the tactic is over the axis \"y\", which the mesh has not");
    assert_eq!(fix, "its axes are x");
    let (message, _) = refused(&["auto", &step, "--mesh", "x=2", "--tactic", "expert:x"]);
    assert_eq!(message, "the tactic `expert:x` finds no experts in the program");
    let (message, _) = refused(&["auto", &step, "--mesh", "x=2", "--shard", "x=y,_"]);
    assert!(message.contains("\"y\""), "{message}");
    let (message, _) = refused(&["auto", &step, "--mesh", "x=2", "--shard", "nothing=x,_"]);
    assert!(message.contains("nothing"), "{message}");
    for wrong in [["--time-limit", "-1"], ["--margin", "-1"], ["--devices", "0"]] {
        let args = [&["auto", &*step], &wrong[..]].concat();
        assert_eq!(partita(&args).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn no_time_gives_the_first_plan() {
    let found = json(&["auto", &small("step.mlir"), "--mesh", "x=2", "--time-limit", "0"]);
    assert_eq!((&found["stop_reason"], &found["judged"]), (&"time".into(), &1.into()));
}

#[test]
fn devices_without_a_mesh_are_laid_out_in_every_way() {
    let found = json(&["auto", &small("step.mlir"), "--devices", "4"]);
    let sizes = found["mesh"].as_array().expect("axes").iter().filter_map(|axis| axis[1].as_i64());
    assert_eq!(sizes.product::<i64>(), 4);
}

#[test]
#[cfg(unix)]
fn an_interrupt_gives_the_best_so_far() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(["auto", &*tiny("decoder_unrolled"), "--mesh", "a=2,b=2,c=2", "--record", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut record = BufReader::new(child.stderr.take().expect("piped"));
    // The search has begun where something is recorded, and waits where nobody reads on.
    record.read_line(&mut String::new()).expect("a record");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    std::thread::sleep(std::time::Duration::from_millis(300));
    record.read_to_string(&mut String::new()).expect("the rest");
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["stop_reason"], &found["judged"]), (&"interrupted".into(), &1.into()));
}

#[test]
fn annotations_are_completed_by_cost_where_that_is_best() {
    let file = folder("tests/complete/muon.mlir");
    let file = file.to_str().expect("a path");
    let plan = std::env::temp_dir().join(format!("partita-plan-{}.json", std::process::id()));
    let plan = plan.to_str().expect("a path");
    let found = json(&["auto", file, "--mesh", "d=4", "--device", "tpu-v4", "--save-plan", plan]);
    let partitioned = json(&["partition", file, "--device", "tpu-v4"]);
    let applied = json(&["partition", file, "--device", "tpu-v4", "--plan", plan]);
    std::fs::remove_file(plan).expect("the plan");
    assert_eq!(found["ring_bytes"], partitioned["totals"]["ring_bytes"]);
    assert_eq!(found["ring_bytes"], applied["totals"]["ring_bytes"]);
    let decisions = found["decisions"].as_array().expect("a list");
    assert!(decisions.iter().any(|d| d.as_str().is_some_and(|d| d.contains("completed by cost"))), "{found}");
}
